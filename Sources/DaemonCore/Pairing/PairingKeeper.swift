// Scans and pairings: what a client does until a sensor is in the sensors.roster.

import Connections
import EventLoop
import Linux
import ProgramKit
import Radio
import Sensing
import SensorKit
import Serving
import Time
import Wire

final class PairingKeeper {
  private let sensors: SensorKeeper
  private let plugins: PluginShelf
  private let radio: any SensorRadio
  private let loop: EventLoop
  private let log: Log
  private let environment: SensorSession.Environment
  private let startTime: MonotonicTime
  private(set) var scans: [Scan] = []
  private(set) var pairings: [Pairing] = []
  /// One at a time: it has the radio's attention for as long as it lasts.
  private(set) var inspection: Inspection?
  private var promptCount = 0
  /// Requests that wait until the state of the radio is known.
  private var deferred: [DeferredRequest] = []
  /// Called when other adverts may be needed.
  var changed: () -> Void = {}

  private static let defaultScanSeconds = 15.0
  /// For this long after the start, a missing radio is not reported: it may not have answered yet.
  private static let grace = Duration.seconds(3)

  init(
    for sensors: SensorKeeper, plugins: PluginShelf, radio: any SensorRadio, loop: EventLoop, log: Log,
    environment: SensorSession.Environment
  ) {
    self.sensors = sensors
    self.plugins = plugins
    self.radio = radio
    self.loop = loop
    self.log = log
    self.environment = environment
    startTime = loop.now
    sensors.isReserved = { [weak self] id, address in
      self?.pairings.contains { $0.session.id == id && $0.session.address != address } ?? false
    }
  }

  func stop() {
    for pairing in pairings { pairing.end() }
    inspection?.end()
  }

  var sessions: [SensorSession] { pairings.map(\.session) }

  var connections: [DeviceConnection] {
    sessions.map(\.connection) + (inspection.map { [$0.connection] } ?? [])
  }

  func handle(_ advert: Advert) {
    for scan in scans { scan.handle(advert) }
    if let inspection, inspection.connection.address == advert.address { inspection.handle(advert) }
    for pairing in pairings where pairing.session.address == advert.address { handle(advert, for: pairing) }
  }

  private func handle(_ advert: Advert, for pairing: Pairing) {
    let name = advert.name ?? radio.name(of: advert.address)
    if let name, pairing.session.connection.needsAdverts {
      var named = advert
      named.name = name
      pairing.session.introduce(
        id: sensors.identify(named).id, name: pairing.wantedName ?? name, deviceName: name)
    }
    pairing.session.handle(advert)
  }

  func ask(_ question: PairingQuestion) {
    guard let pairing = pairings.first(where: { $0.session.address == question.address }) else {
      log.warning("\(question.address) asks for a passkey, but is not being paired: refused")
      return question.answer(nil)
    }
    promptCount += 1
    pairing.ask(question, as: "p\(promptCount)")
  }

  func radioIsKnown() { runDeferred() }

  /// Shortly after the start, requests that need the radio wait until its state is known.
  private func whenRadioIsKnown(
    _ client: Client, _ asker: Asker, _ action: @escaping DeferredRequest.Action
  ) throws(Refusal) -> Answer {
    guard radio.condition.obstacle != nil, loop.now < startTime + Self.grace else { return try action(client) }
    try client.requireIdle()
    if deferred.isEmpty { loop.schedule(at: startTime + Self.grace) { [weak self] in self?.runDeferred() } }
    let request = DeferredRequest(of: asker, action)
    client.begin(request)
    deferred.append(request)
    return .later
  }

  private func runDeferred() {
    let requests = deferred
    deferred = []
    for request in requests { request.run() }
  }
}

// MARK: Requests

extension PairingKeeper {
  private func requireRadio() throws(Refusal) {
    guard radio.condition.obstacle != nil else { return }
    throw Refusal(.adapterUnavailable, radio.condition.message)
  }

  func scan(_ parameters: ScanParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    try whenRadioIsKnown(client, asker) { [self] client throws(Refusal) in try scan(parameters, client) }
  }

  func pair(_ parameters: PairParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    try whenRadioIsKnown(client, asker) { [self] client throws(Refusal) in try begin(parameters, client, asker) }
  }

  private func scan(_ parameters: ScanParameters, _ client: Client) throws(Refusal) -> Answer {
    try client.requireIdle()
    try requireRadio()
    let seconds = parameters.seconds ?? Self.defaultScanSeconds
    let scan = Scan(
      for: client, seconds: seconds, showsAll: parameters.all, plugins: plugins, loop: loop,
      identify: { [weak self] in self?.sensors.identify($0) ?? ("", false) },
      onEnd: { [weak self] scan in
        self?.scans.removeAll { $0 === scan }
        self?.changed()
      })
    client.begin(scan)
    scans.append(scan)
    changed()
    return .done.then { [radio] in for advert in radio.connectedSensors() { scan.handle(advert) } }
  }

  func inspect(_ parameters: InspectParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    try whenRadioIsKnown(client, asker) { [self] client throws(Refusal) in try begin(parameters, client, asker) }
  }

  private func begin(_ parameters: InspectParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    try client.requireIdle()
    let address = try requireAddress(parameters.address)
    if let paired = sensors.roster.sensor(at: address) {
      let hint = "'cyclo capture --sensor \(paired.id)' records what it sends"
      throw Refusal(.alreadyPaired, "\(address) is paired as \(paired.id): \(hint)")
    }
    try requireUnused(address)
    if inspection != nil { throw Refusal(.busy, "another client inspects a device: try again when it is done") }
    try requireRadio()
    let known = radio.connectedSensors().first { $0.address == address }
    let inspection = Inspection(
      of: address, name: known?.name ?? radio.name(of: address),
      seconds: parameters.seconds ?? Inspection.defaultSeconds, for: asker, loop: loop,
      services: environment.connecting, condition: { self.radio.condition }, identify: { self.sensors.identify($0).id }
    ) { [weak self] _ in
      self?.inspection = nil
      self?.changed()
    }
    client.begin(inspection)
    self.inspection = inspection
    inspection.connection.start()
    if let known { inspection.handle(known) }
    changed()
    return .later
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

  private func begin(_ parameters: PairParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    try client.requireIdle()
    let address = try requireAddress(parameters.address)
    let paired = sensors.roster.sensor(at: address)
    // A sensor in the state `error` may be paired again. It keeps its id, and is bonded again if it
    // requires that.
    if let paired, sensors.session(of: paired)?.state != .error {
      throw Refusal(.alreadyPaired, "\(address) is already paired as \(paired.id)")
    }
    if paired == nil { try sensors.roster.requireCapacity() }
    if let name = parameters.name { try sensors.roster.requireFreeName(name, for: address) }
    try requireUnused(address)
    try requireRadio()
    let known = radio.connectedSensors().first { $0.address == address }
    let pairing = makePairing(address, parameters, asker)
    client.begin(pairing)
    pairings.append(pairing)
    if let paired { sensors.session(of: paired)?.connection.rest() }
    pairing.session.connection.start()
    if let known { handle(known) }
    return .later
  }

  private func requireAddress(_ text: String) throws(Refusal) -> DeviceAddress {
    guard let address = DeviceAddress(text) else {
      throw Refusal(.badRequest, "address must look like A0:9E:1A:00:00:01")
    }
    return address
  }

  /// A device has one link at a time.
  private func requireUnused(_ address: DeviceAddress) throws(Refusal) {
    if pairings.contains(where: { $0.session.address == address }) {
      throw Refusal(.busy, "\(address) is being paired by another client")
    }
    if inspection?.connection.address == address {
      throw Refusal(.busy, "\(address) is being inspected by another client")
    }
  }

  private func makePairing(
    _ address: DeviceAddress, _ parameters: PairParameters, _ asker: Asker
  ) -> Pairing {
    let name = radio.name(of: address)
    let stranger = Advert(address: address, name: name, rssi: nil, services: [])
    let wantedName = parameters.name ?? sensors.roster.sensor(at: address)?.name
    let session = SensorSession(
      address: address, id: sensors.identify(stranger).id, name: wantedName ?? name ?? address.text,
      deviceName: name ?? "", settings: SensorSettings(role: parameters.role), isPairing: true,
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
      changed()
      return nil
    }
    let former = sensors.roster.sensor(at: session.address)
    let sensor = sensor(of: pairing, former: former)
    do throws(SystemError) {
      try sensors.roster.put(sensor)
    } catch {
      session.discard()
      throw error
    }
    session.finishPairing()
    sensors.adopt(session, of: sensor, former: former)
    log.info("\(sensor.name) (\(sensor.address)) is paired as \(sensor.id)", .sensor(sensor.id))
    sensors.publish(former == nil ? .added : .changed, sensor)
    return sensors.record(of: sensor)
  }

  /// A sensor that is paired again keeps its id and settings.
  private func sensor(of pairing: Pairing, former: PairedSensor?) -> PairedSensor {
    let session = pairing.session
    var sensor =
      former ?? PairedSensor(id: session.id, address: session.address, name: session.name, plugins: [])
    let name = sensors.roster.freeName(session.name, for: session.address)
    if name != session.name { session.rename(to: name) }
    sensor.name = name
    sensor.update(plugins: session.reader.infos, isBroadcaster: session.reader.isBroadcaster)
    if let role = pairing.role { _ = sensor.values.set(.role, to: .string(role.rawValue)) }
    sensor.isBonded = session.connection.isBonded
    sensor.update(deviceName: session.reader.deviceName)
    return sensor
  }
}

// MARK: What sessions report

extension PairingKeeper: SensorSessionDelegate {
  private func pairing(_ session: SensorSession) -> Pairing? { pairings.first { $0.session === session } }

  func sessionChangedState(_ session: SensorSession) {
    changed()
    pairing(session)?.changedState()
  }

  func sessionReceivedFirstValue(_ session: SensorSession) { pairing(session)?.succeeded() }

  /// The sensor was paired before, but could not be recognized by its private address.
  func sessionMoved(_ session: SensorSession) {
    guard let pairing = pairing(session), let former = sensors.roster.sensor(at: session.address) else { return }
    session.introduce(
      id: former.id, name: pairing.wantedName ?? former.name, deviceName: session.reader.deviceName)
  }

  func sessionLearned(_ session: SensorSession) {}
}

extension Client {
  func requireIdle() throws(Refusal) {
    guard operation != nil else { return }
    throw Refusal(.busy, "this connection has a scan, a pairing, a capture or an inspection under way: cancel it first")
  }
}
