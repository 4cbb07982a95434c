// Scanning and pairing.

import EventLoop
import JSON
import Linux
import ProgramKit
import Radio
import SensorKit
import Wire

extension Daemon {
  private static let defaultScanSeconds = 15.0

  private func requireRadio(_ id: RequestID) throws(ErrorRecord) {
    guard radio.condition.obstacle != nil else { return }
    throw ErrorRecord(id: id, .adapterUnavailable, radio.condition.message)
  }

  func scan(_ parameters: ScanParameters, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    try requireIdle(client, id)
    try requireRadio(id)
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
    reply(to: id, client)
    for advert in radio.connectedSensors() { scan.handle(advert) }
    reconsiderSearch()
  }

  func cancel(_ id: RequestID, _ client: Client) {
    client.operation?.cancel()
    reply(to: id, client)
  }

  func answer(_ parameters: AnswerParameters, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    guard let pairing = client.operation as? Pairing else {
      throw ErrorRecord(id: id, .badRequest, "this connection is not pairing, so there is no prompt to answer")
    }
    if let problem = pairing.answer(parameters.value, to: parameters.prompt) {
      throw ErrorRecord(id: id, .badRequest, problem)
    }
    reply(to: id, client)
  }

  func pair(_ parameters: PairParameters, _ id: RequestID, _ client: Client) throws(ErrorRecord) {
    try requireIdle(client, id)
    guard let address = DeviceAddress(parameters.address) else {
      throw ErrorRecord(id: id, .badRequest, "address must look like A0:9E:1A:00:00:01")
    }
    let paired = roster.sensor(at: address)
    // A sensor in the state `error` may be paired again. It keeps its id, and is bonded again if it
    // requires that.
    if let paired, session(of: paired)?.state != .error {
      throw ErrorRecord(id: id, .alreadyPaired, "\(address) is already paired as \(paired.id)")
    }
    if paired == nil { try requireCapacity(id) }
    if let name = parameters.name { try requireFreeName(name, for: address, id) }
    guard !pairings.contains(where: { $0.session.address == address }) else {
      throw ErrorRecord(id: id, .busy, "\(address) is being paired by another client")
    }
    try requireRadio(id)
    let known = radio.connectedSensors().first { $0.address == address }
    let pairing = makePairing(address, parameters, id, client)
    client.operation = pairing
    pairings.append(pairing)
    if let paired { session(of: paired)?.rest() }
    pairing.session.start()
    if let known { radio(received: known) }
  }

  private func makePairing(
    _ address: DeviceAddress, _ parameters: PairParameters, _ id: RequestID, _ client: Client
  ) -> Pairing {
    let name = radio.name(of: address)
    let stranger = Advert(address: address, name: name, rssi: nil, services: [])
    let wantedName = parameters.name ?? roster.sensor(at: address)?.name
    let session = SensorSession(
      address: address, id: identify(stranger).id, name: wantedName ?? name ?? address.text,
      deviceName: name ?? "", settings: SensorSettings(role: parameters.role?.rawValue),
      environment: environment, delegate: self)
    session.isProvisional = true
    return Pairing(
      session, role: parameters.role, name: wantedName, for: client, request: id, loop: loop,
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
    session.isProvisional = false
    releaseHolds(of: sensor.id)
    if let former {
      self.session(of: former)?.discard()
      sessions.removeAll { $0.id == former.id }
    }
    // Scheduled, because this can run while a packet is being handled.
    loop.schedule(after: .zero) { [weak session] in session?.readCompanions() }
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
      former ?? PairedSensor(id: session.id, address: session.address, name: session.name, plugins: [], role: nil)
    let name = freeName(session.name, for: session.address)
    if name != session.name { session.rename(to: name) }
    sensor.name = name
    sensor.plugins = session.infos.map(\.id)
    sensor.role = pairing.role ?? sensor.role
    sensor.isBonded = session.isBonded
    sensor.note(deviceName: session.deviceName)
    return sensor
  }
}
