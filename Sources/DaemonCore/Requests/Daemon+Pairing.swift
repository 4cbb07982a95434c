// Scanning and pairing.

import Connections
import EventLoop
import JSON
import Linux
import ProgramKit
import Radio
import Sensing
import SensorKit
import Serving
import Wire

extension Daemon {
  private static let defaultScanSeconds = 15.0

  private func requireRadio() throws(Refusal) {
    guard radio.condition.obstacle != nil else { return }
    throw Refusal(.adapterUnavailable, radio.condition.message)
  }

  func scan(_ parameters: ScanParameters, _ client: Client) throws(Refusal) -> Answer {
    try requireIdle(client)
    try requireRadio()
    let seconds = parameters.seconds ?? Self.defaultScanSeconds
    let scan = Scan(
      for: client, seconds: seconds, showsAll: parameters.all, plugins: plugins, loop: loop,
      identify: { [weak self] in self?.identify($0) ?? ("", false) },
      onEnd: { [weak self] scan in
        self?.scans.removeAll { $0 === scan }
        self?.reconsiderSearch()
      })
    client.operation = scan
    scans.append(scan)
    reconsiderSearch()
    return .done.then { [radio] in for advert in radio.connectedSensors() { scan.handle(advert) } }
  }

  func answer(_ parameters: AnswerParameters, _ client: Client) throws(Refusal) -> Answer {
    guard let pairing = client.operation as? Pairing else {
      throw Refusal(.badRequest, "this connection is not pairing, so there is no prompt to answer")
    }
    if let problem = pairing.answer(parameters.value, to: parameters.prompt) {
      throw Refusal(.badRequest, problem)
    }
    return .done
  }

  func pair(_ parameters: PairParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    try requireIdle(client)
    guard let address = DeviceAddress(parameters.address) else {
      throw Refusal(.badRequest, "address must look like A0:9E:1A:00:00:01")
    }
    let paired = roster.sensor(at: address)
    // A sensor in the state `error` may be paired again. It keeps its id, and is bonded again if it
    // requires that.
    if let paired, session(of: paired)?.state != .error {
      throw Refusal(.alreadyPaired, "\(address) is already paired as \(paired.id)")
    }
    if paired == nil { try requireCapacity() }
    if let name = parameters.name { try requireFreeName(name, for: address) }
    guard !pairings.contains(where: { $0.session.address == address }) else {
      throw Refusal(.busy, "\(address) is being paired by another client")
    }
    try requireRadio()
    let known = radio.connectedSensors().first { $0.address == address }
    let pairing = makePairing(address, parameters, asker)
    client.operation = pairing
    pairings.append(pairing)
    if let paired { session(of: paired)?.connection.rest() }
    pairing.session.connection.start()
    if let known { radio(received: known) }
    return .later
  }

  private func makePairing(
    _ address: DeviceAddress, _ parameters: PairParameters, _ asker: Asker
  ) -> Pairing {
    let name = radio.name(of: address)
    let stranger = Advert(address: address, name: name, rssi: nil, services: [])
    let wantedName = parameters.name ?? roster.sensor(at: address)?.name
    let session = SensorSession(
      address: address, id: identify(stranger).id, name: wantedName ?? name ?? address.text,
      deviceName: name ?? "", settings: SensorSettings(role: parameters.role?.rawValue), isPairing: true,
      environment: environment, delegate: self)
    return Pairing(
      session, role: parameters.role, name: wantedName, for: asker, loop: loop,
      condition: { self.radio.condition }
    ) { [weak self] pairing, isPaired throws(SystemError) in try self?.ended(pairing, isPaired) }
  }

  private func ended(_ pairing: Pairing, _ isPaired: Bool) throws(SystemError) -> SensorRecord? {
    pairings.removeAll { $0 === pairing }
    let session = pairing.session
    guard isPaired else {
      session.discard()
      reconsiderSearch()
      return nil
    }
    let former = roster.sensor(at: session.address)
    let sensor = sensor(of: pairing, former: former)
    do throws(SystemError) {
      try roster.put(sensor)
    } catch {
      session.discard()
      throw error
    }
    session.finishPairing()
    releaseHolds(of: sensor.id)
    if let former {
      self.session(of: former)?.discard()
      sessions.removeAll { $0.id == former.id }
    }
    sessions.append(session)
    applyBikeDefaults(sensor)
    log.info("\(sensor.name) (\(sensor.address)) is paired as \(sensor.id)", .sensor(sensor.id))
    let record = record(of: sensor)
    publisher.publish(SensorChangeRecord(former == nil ? .added : .changed, record))
    return record
  }

  /// A sensor that is paired again keeps its id and settings.
  private func sensor(of pairing: Pairing, former: PairedSensor?) -> PairedSensor {
    let session = pairing.session
    var sensor =
      former ?? PairedSensor(id: session.id, address: session.address, name: session.name, plugins: [])
    let name = freeName(session.name, for: session.address)
    if name != session.name { session.rename(to: name) }
    sensor.name = name
    sensor.plugins = session.reader.infos.map(\.id)
    if let role = pairing.role { _ = sensor.values.set(.role, to: .string(role.rawValue)) }
    sensor.isBonded = session.connection.isBonded
    sensor.note(deviceName: session.reader.deviceName)
    return sensor
  }
}
