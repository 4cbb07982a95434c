// Changes to paired sensors. Each change is saved before it takes effect.

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
import Time
import Vocabulary
import Wire

extension Daemon {
  func record(of sensor: PairedSensor) -> SensorRecord {
    let session = sessions.first { $0.id == sensor.id }
    let infos = plugins.plugins(called: sensor.plugins).map(\.info)
    var record = SensorRecord(
      id: sensor.id, name: sensor.name, address: sensor.address.text, plugins: sensor.plugins,
      kinds: infos.flatMap(\.kinds).map(\.name.description),
      settingKeys: Setting.ofSensor.filter { infos.isEmpty || PairedSensor.uses($0, infos) }.map(\.key),
      staleAfterMS: infos.staleLimits, role: sensor.role?.rawValue)
    let settings = Setting.ofSensor.filter { $0.key != Setting.role.key }.compactMap { setting in
      sensor.values[setting].map { JSONValue.Member(setting.key, $0) }
    }
    record.settings = .object(settings)
    guard let session else { return record }
    record.commands = session.reader.supportedCommands
    record.state = session.state
    record.reason = session.connection.reason
    record.batteryPct = session.reader.batteryPct
    record.rssiDBm = session.connection.rssi
    let measured =
      ride.measuredMM(of: sensor.id).map { [JSONValue.Member("measured_circumference_mm", .number($0))] } ?? []
    record.facts = .object(session.reader.facts.map { JSONValue.Member($0.name, $0.value) } + measured)
    record.link = session.connection.statistics.json
    return record
  }

  func forget(_ name: String) throws(Refusal) -> Answer {
    let sensor = try requireSensor(name)
    let record = record(of: sensor)
    try saving { () throws(SystemError) in try roster.remove(sensor.id) }
    drop(sensor)
    return .result { record.write(into: &$0) }.then { [publisher] in
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
    reconsiderSearch()
  }

  /// Saves the new address of a sensor.
  func remember(addressOf session: SensorSession) {
    do throws(SystemError) {
      if let other = roster.sensor(at: session.address), other.id != session.id {
        return try removeDouble(session.id, of: other)
      }
      try roster.move(session.id, to: session.address)
    } catch {
      log.error("cannot save the address of \(session.name): \(error)", .sensor(session.id))
    }
    guard let sensor = roster.sensor(session.id) else { return }
    publisher.publish(SensorChangeRecord(.changed, record(of: sensor)))
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

  func enable(_ name: String, _ isEnabled: Bool) throws(Refusal) -> Answer {
    var sensor = try requireSensor(name)
    let hasChanged = sensor.isEnabled != isEnabled
    sensor.isEnabled = isEnabled
    try remember(sensor)
    // Even if nothing changed: this retries a sensor in the state `error`.
    if isEnabled { releaseHolds(of: sensor.id) }
    resume(sensor)
    reconsiderSearch()
    return answer(with: sensor, hasChanged: hasChanged)
  }

  func rename(_ name: String, to newName: String) throws(Refusal) -> Answer {
    var sensor = try requireSensor(name)
    let hasChanged = sensor.name != newName
    if hasChanged { try requireFreeName(newName, for: sensor.address) }
    let deviceName = sensor.deviceName ?? sensor.name
    sensor.name = newName
    sensor.note(deviceName: deviceName)
    try remember(sensor)
    session(of: sensor)?.rename(to: newName)
    return answer(with: sensor, hasChanged: hasChanged)
  }

  func set(_ parameters: SettingParameters) throws(Refusal) -> Answer {
    let before = try requireSensor(parameters.sensor)
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
    applyBikeDefaults(sensor)
    return answer(with: sensor, hasChanged: sensor != before)
  }

  /// Called when the measured wheel size of a sensor has changed.
  func followWheel(of id: String) {
    guard let sensor = roster.sensor(id) else { return }
    let settings = settings(of: effective(sensor))
    session(of: sensor)?.reader.apply(settings)
    guard let measured = ride.measuredMM(of: id), let used = settings.circumferenceMM, abs(used - measured) < 1 else {
      return
    }
    log.info("\(sensor.name): using the wheel size measured with positions from gpsd (\(Int(measured.rounded())) mm)")
  }

  private func remember(_ sensor: PairedSensor) throws(Refusal) {
    try saving { () throws(SystemError) in try roster.put(sensor) }
  }

  /// The sensor, followed by the record of its change if there is one.
  private func answer(with sensor: PairedSensor, hasChanged: Bool) -> Answer {
    let record = record(of: sensor)
    let answer = Answer.result { record.write(into: &$0) }
    guard hasChanged else { return answer }
    return answer.then { [publisher] in publisher.publish(SensorChangeRecord(.changed, record)) }
  }
}

extension [SensorInfo] {
  /// If several plugins have a kind, the longest limit counts.
  fileprivate var staleLimits: [KindLimit] {
    var limits: [KindLimit] = []
    for info in self {
      guard let staleAfter = info.silence.staleAfter else { continue }
      let milliseconds = Int(staleAfter.wholeNanoseconds / 1_000_000)
      for kind in info.kinds where !info.lastingKinds.contains(kind) {
        let limit = KindLimit(kind.name.description, milliseconds: milliseconds)
        if let index = limits.firstIndex(where: { $0.kind == limit.kind }) {
          if limits[index].milliseconds < milliseconds { limits[index] = limit }
        } else {
          limits.append(limit)
        }
      }
    }
    return limits
  }
}
