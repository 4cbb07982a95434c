// The paired sensors at work: a session for each, and every change to them. Each change is saved
// before it takes effect.

import Connections
import EventLoop
import JSON
import Linux
import Metrics
import ProgramKit
import Radio
import Ride
import Sensing
import SensorKit
import Serving
import Vocabulary
import Wire

final class SensorKeeper {
  let roster: Roster
  private(set) var sessions: [SensorSession] = [] { didSet { changed() } }
  /// Sensors that clients keep disabled.
  private(set) var holds: [SensorHold] = []
  private let equipment: Equipment
  private let plugins: PluginShelf
  private let radio: any SensorRadio
  private let environment: SensorSession.Environment
  private let loop: EventLoop
  private let log: Log
  private let publisher: Publisher
  private let ride: RideKeeper
  /// Called when a sensor may need other adverts, or has another state.
  var changed: () -> Void = {}
  /// Whether a sensor that is being paired at another address will have the id.
  var isReserved: (_ id: String, DeviceAddress) -> Bool = { _, _ in false }

  init(
    _ roster: Roster, _ equipment: Equipment, plugins: PluginShelf, radio: any SensorRadio, loop: EventLoop,
    log: Log, environment: SensorSession.Environment
  ) {
    self.roster = roster
    self.equipment = equipment
    self.plugins = plugins
    self.radio = radio
    self.environment = environment
    self.loop = loop
    self.log = log
    publisher = environment.publisher
    ride = environment.ride
    equipment.changed = { [weak self] in self?.equipAll() }
  }

  func start() {
    for sensor in roster.sensors { begin(sensor) }
  }

  func stop() {
    for session in sessions { session.discard() }
    sessions = []
  }

  func session(of sensor: PairedSensor) -> SensorSession? {
    sessions.first { $0.id == sensor.id }
  }

  var isListening: Bool { holds.contains(where: \.listens) }

  func handle(_ advert: Advert) {
    for session in sessions where session.address == advert.address {
      session.handle(advert)
      for hold in holds where hold.sensor == session.id { hold.report(rssi: advert.rssi, at: loop.now) }
    }
  }

  /// Connects to a sensor of the roster.
  func begin(_ sensor: PairedSensor) {
    let infos = plugins.registry.plugins(continuing: sensor.plugins).map(\.info)
    let session = SensorSession(
      address: sensor.address, id: sensor.id, name: sensor.name, deviceName: sensor.deviceName ?? sensor.name,
      settings: equipment.equip(sensor), plugins: sensor.plugins, isBonded: sensor.isBonded,
      isUrgent: infos.contains(where: \.watchesTheRoad),
      environment: environment,
      delegate: self)
    sessions.append(session)
    resume(sensor)
  }

  /// Takes over the session of a sensor that was just paired and is in the roster now. `former`: it
  /// was paired before.
  func adopt(_ session: SensorSession, of sensor: PairedSensor, former: PairedSensor?) {
    session.work(for: self)
    releaseHolds(of: sensor.id)
    if let former {
      self.session(of: former)?.discard()
      sessions.removeAll { $0.id == former.id }
    }
    sessions.append(session)
    equip(sensor)
  }

  /// A sensor of the roster has changed, except for its address.
  func follow(_ sensor: PairedSensor) {
    equip(sensor)
    session(of: sensor)?.rename(to: sensor.name)
    resume(sensor)
  }

  func publish(_ change: SensorChangeRecord.Change, _ sensor: PairedSensor) {
    publisher.publish(SensorChangeRecord(change, record(of: sensor)))
  }

  private func equip(_ sensor: PairedSensor) {
    let settings = equipment.equip(sensor)
    if let session = session(of: sensor), session.reader.settings != settings { session.reader.apply(settings) }
  }

  private func equipAll() {
    for sensor in roster.sensors { equip(sensor) }
  }

  /// The plugins were read again.
  func followPlugins() {
    for session in sessions { session.followPlugins() }
    for sensor in roster.sensors {
      failIfNothingDecodes(sensor)
      equip(sensor)
    }
    changed()
  }

  /// Called when the measured wheel size of a sensor has changed.
  func followWheel(of id: String) {
    guard let sensor = roster.sensor(id) else { return }
    let settings = equipment.measuredSettings(of: sensor)
    session(of: sensor)?.reader.apply(settings)
    guard let measured = ride.measuredMM(of: id), let used = settings.circumferenceMM, abs(used - measured) < 1 else {
      return
    }
    log.info("\(sensor.name): using the wheel size measured with positions from gpsd (\(Int(measured.rounded())) mm)")
  }
}

// MARK: Ids and descriptions

extension SensorKeeper {
  /// Makes a sensor that was never connected.
  func makeSensor(of advert: Advert) -> PairedSensor {
    let plugins = plugins.registry.recognize(DeviceDescription(advert)).map(\.info.id)
    return PairedSensor(
      id: identify(advert).id, address: advert.address,
      name: roster.freeName(advert.name ?? advert.address.text, for: advert.address),
      plugins: plugins)
  }

  /// The id of a paired sensor, or the id that the device would get.
  func identify(_ advert: Advert) -> (id: String, isPaired: Bool) {
    if let sensor = roster.sensor(at: advert.address) { return (sensor.id, true) }
    let isTaken = { [roster, isReserved] id in roster.sensor(id) != nil || isReserved(id, advert.address) }
    if let id = radio.id(of: advert.address), !isTaken(id) { return (id, false) }
    let fallback = plugins.registry.recognize(DeviceDescription(advert)).first?.info.id ?? "sensor"
    return (PairedSensor.makeID(name: advert.name, address: advert.address, fallback: fallback, taken: isTaken), false)
  }

  func record(of sensor: PairedSensor) -> SensorRecord {
    let session = sessions.first { $0.id == sensor.id }
    let infos = plugins.registry.plugins(continuing: sensor.plugins).map(\.info)
    var record = SensorRecord(id: sensor.id, name: sensor.name, address: sensor.address.text)
    record.plugins = sensor.plugins
    record.kinds = infos.flatMap(\.kinds).map(\.name.description)
    record.settingKeys = Setting.ofSensor.filter { infos.isEmpty || PairedSensor.uses($0, infos) }.map(\.key)
    record.staleAfterMS = infos.staleLimits
    record.role = sensor.role.map(WireWord.init)
    (record.isBonded, record.isBroadcaster) = (sensor.isBonded, sensor.isBroadcaster)
    let settings = Setting.ofSensor.filter { $0.key != Setting.role.key }.compactMap { setting in
      sensor.values[setting].map { JSONValue.Member(setting.key, $0) }
    }
    record.settings = .object(settings)
    guard let session else { return record }
    record.commands = session.reader.supportedCommands
    record.state = WireWord(session.state)
    record.reason = session.connection.reason.map(WireWord.init)
    record.batteryPct = session.reader.batteryPct
    record.rssiDBm = session.connection.rssi
    let measured =
      ride.measuredMM(of: sensor.id).map { [JSONValue.Member("measured_circumference_mm", .number($0))] } ?? []
    record.facts = .object(session.reader.facts.map { JSONValue.Member($0.name, $0.value) } + measured)
    record.link = session.connection.statistics.record
    record.programs = session.reader.programs
    return record
  }
}

// MARK: Requests

extension SensorKeeper {
  func forget(_ name: String) throws(Refusal) -> Answer {
    let sensor = try roster.require(name)
    let record = record(of: sensor)
    try saving { () throws(SystemError) in try roster.remove(sensor.id) }
    drop(sensor)
    return .reply(record).then { [publisher] in
      publisher.publish(SensorChangeRecord(.removed, record))
    }
  }

  /// Ends everything that belongs to a sensor that is no longer in the roster.
  private func drop(_ sensor: PairedSensor) {
    session(of: sensor)?.discard()
    sessions.removeAll { $0.id == sensor.id }
    releaseHolds(of: sensor.id)
    publisher.forget(sensor.id)
    ride.leave(sensor.id)
    log.info("\(sensor.name) (\(sensor.address)) was forgotten", .sensor(sensor.id))
    changed()
  }

  func enable(_ name: String, _ isEnabled: Bool) throws(Refusal) -> Answer {
    var sensor = try roster.require(name)
    let hasChanged = sensor.isEnabled != isEnabled
    sensor.isEnabled = isEnabled
    try remember(sensor)
    // Even if nothing changed: this retries a sensor in the state `error`.
    if isEnabled { releaseHolds(of: sensor.id) }
    resume(sensor)
    changed()
    return answer(with: sensor, hasChanged: hasChanged)
  }

  func rename(_ name: String, to newName: String) throws(Refusal) -> Answer {
    var sensor = try roster.require(name)
    let hasChanged = sensor.name != newName
    if hasChanged { try roster.requireFreeName(newName, for: sensor.address) }
    let deviceName = sensor.deviceName ?? sensor.name
    sensor.name = newName
    sensor.update(deviceName: deviceName)
    try remember(sensor)
    session(of: sensor)?.rename(to: newName)
    return answer(with: sensor, hasChanged: hasChanged)
  }

  func set(_ parameters: SettingParameters) throws(Refusal) -> Answer {
    let before = try roster.require(parameters.sensor)
    guard let setting = Setting.ofSensor.first(where: { $0.key == parameters.key }) else {
      let keys = Setting.ofSensor.map(\.key).joined(separator: ", ")
      throw Refusal(.badRequest, "unknown setting \(parameters.key.prefix(80)); known settings: \(keys)")
    }
    var sensor = before
    guard sensor.values.set(setting, to: parameters.value) else {
      throw Refusal(.badRequest, "\(setting.key) is \(setting.expected)")
    }
    if let problem = sensor.tire.contradiction() { throw Refusal(.badRequest, problem) }
    try remember(sensor)
    equip(sensor)
    return answer(with: sensor, hasChanged: sensor != before)
  }

  private func remember(_ sensor: PairedSensor) throws(Refusal) {
    try saving { () throws(SystemError) in try roster.put(sensor) }
  }

  /// The sensor, followed by the record of its change if there is one.
  private func answer(with sensor: PairedSensor, hasChanged: Bool) -> Answer {
    let record = record(of: sensor)
    let answer = Answer.reply(record)
    guard hasChanged else { return answer }
    return answer.then { [publisher] in publisher.publish(SensorChangeRecord(.changed, record)) }
  }
}

extension SensorKeeper {
  func command(_ parameters: CommandParameters, _ client: Client, _ asker: Asker) throws(Refusal) -> Answer {
    let sensor = try roster.require(parameters.sensor)
    let command = Command(name: parameters.name, value: parameters.numbers["value"], parameters: parameters.numbers)
    func named(_ refusal: Refusal) -> Refusal { Refusal(refusal.code, "\(sensor.name): \(refusal.message)") }
    do throws(Refusal) {
      guard let session = session(of: sensor) else { throw Refusal(.internal, "the sensor has no session") }
      try session.command(command) { [weak client] outcome in
        guard let client else { return }
        defer { client.didReply() }
        switch outcome {
        case .success(let answer): asker.answer(.result { $0.value(answer) })
        case .failure(let refusal): asker.refuse(named(refusal))
        }
      }
    } catch {
      throw named(error)
    }
    client.expectReply()
    return .later
  }
}

// MARK: Sensors that other receivers have

extension SensorKeeper {
  func hold(_ parameters: DisableParameters, _ client: Client) throws(Refusal) -> Answer {
    let sensor = try roster.require(parameters.sensor)
    removeHolds { $0.sensor == sensor.id && $0.belongs(to: client) }
    holds.append(SensorHold(of: sensor.id, for: client, listens: parameters.listen))
    client.hold(true)
    resume(sensor)
    changed()
    let record = record(of: sensor)
    return .result { record.write(into: &$0) }
  }

  /// Connects the sensor, unless the user or a client has disabled it.
  func resume(_ sensor: PairedSensor) {
    guard let session = session(of: sensor) else { return }
    let isHeld = holds.contains { $0.sensor == sensor.id }
    if sensor.isEnabled, !isHeld {
      session.connection.start()
      failIfNothingDecodes(sensor)
    } else {
      session.connection.disable(because: sensor.isEnabled ? .elsewhere : .user)
    }
  }

  /// Discovery would run for adverts that nothing decodes.
  private func failIfNothingDecodes(_ sensor: PairedSensor) {
    guard sensor.isBroadcaster else { return }
    let plugins = plugins.registry.plugins(continuing: sensor.plugins)
    if plugins.allSatisfy(\.info.isCompanion) { session(of: sensor)?.failWithoutPlugin() }
  }

  /// The user's word counts more: who enables or pairs a sensor wants it here.
  func releaseHolds(of sensor: String) { removeHolds { $0.sensor == sensor } }

  func releaseHolds(by client: Client) {
    let held = holds.filter { $0.belongs(to: client) }.map(\.sensor)
    guard !held.isEmpty else { return }
    holds.removeAll { $0.belongs(to: client) }
    for sensor in held { if let sensor = roster.sensor(sensor) { resume(sensor) } }
    changed()
  }

  private func removeHolds(_ isEnded: (SensorHold) -> Bool) {
    let ended = holds.filter(isEnded)
    holds.removeAll(where: isEnded)
    for hold in ended { hold.client?.hold(holds.contains { $0.client === hold.client }) }
  }
}

// MARK: What sessions report

extension SensorKeeper: SensorSessionDelegate {
  func sessionChangedState(_ session: SensorSession) {
    changed()
    session.connection.logState()
    session.leaveRideIfSilent()
    publisher.publish(session.stateRecord)
  }

  func sessionReceivedFirstValue(_ session: SensorSession) {}

  func sessionMoved(_ session: SensorSession) {
    do throws(SystemError) {
      if let other = roster.sensor(at: session.address), other.id != session.id {
        return try removeDouble(session.id, of: other)
      }
      try roster.move(session.id, to: session.address)
    } catch {
      log.error("cannot save the address of \(session.name): \(error)", .sensor(session.id))
    }
    guard let sensor = roster.sensor(session.id) else { return }
    publish(.changed, sensor)
  }

  /// The sensor was paired twice, once by a private address.
  private func removeDouble(_ id: String, of sensor: PairedSensor) throws(SystemError) {
    log.warning("\(id) is the same device as \(sensor.id): removed the duplicate", .sensor(sensor.id))
    guard let double = roster.sensor(id) else { return }
    let record = record(of: double)
    try roster.remove(id)
    drop(double)
    publisher.publish(SensorChangeRecord(.removed, record))
  }

  func sessionLearned(_ session: SensorSession) {
    guard var sensor = roster.sensor(session.id) else { return }
    let infos = session.reader.infos
    if !infos.isEmpty { sensor.update(plugins: infos, isBroadcaster: session.reader.isBroadcaster) }
    sensor.update(deviceName: session.reader.deviceName)
    sensor.isBonded = session.connection.isBonded
    do throws(SystemError) {
      try roster.put(sensor)
    } catch {
      log.error("cannot save what \(sensor.name) supports: \(error)", .sensor(sensor.id))
    }
    // A pedal may have turned out to be a power meter.
    equip(sensor)
    publish(.changed, sensor)
  }
}

extension [SensorInfo] {
  /// If several plugins have a kind, the longest limit counts.
  fileprivate var staleLimits: KindLimits {
    var limits: [(kind: String, milliseconds: Int)] = []
    for info in self {
      guard let staleAfter = info.silence.staleAfter else { continue }
      let milliseconds = Int(staleAfter.wholeNanoseconds / 1_000_000)
      for kind in info.kinds where !info.lastingKinds.contains(kind) {
        let name = kind.name.description
        if let index = limits.firstIndex(where: { $0.kind == name }) {
          limits[index].milliseconds = Swift.max(limits[index].milliseconds, milliseconds)
        } else {
          limits.append((name, milliseconds))
        }
      }
    }
    return KindLimits(limits)
  }
}
