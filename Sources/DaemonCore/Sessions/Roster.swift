// The paired sensors, saved in the state directory.

import JSON
import Linux
import ProgramKit
import Radio
import Wire

final class Roster {
  static let version = 1
  /// This many sensors fit into one line of the protocol, even with the longest names and settings.
  static let capacity = 64

  private(set) var sensors: [PairedSensor] = []
  private let file: StateFile
  private let log: Log

  /// False on the very first start.
  var wasFound: Bool { file.wasFound }

  init(folder: String, file: String = "roster.json", change: StateChange? = nil, log: Log) {
    self.file = StateFile(
      folder + "/" + file, version: Self.version, fallback: "no paired sensors are known", change: change, log: log)
    self.log = log
    load()
  }

  func sensor(_ id: String) -> PairedSensor? {
    sensors.first { $0.id == id }
  }

  func sensor(at address: DeviceAddress) -> PairedSensor? {
    sensors.first { $0.address == address }
  }

  /// Adds the sensor, or replaces the one with its id, whose address must be the same.
  func put(_ sensor: PairedSensor) throws(SystemError) {
    var changed = sensors
    if let index = changed.firstIndex(where: { $0.id == sensor.id }) {
      guard changed[index] != sensor else { return }
      guard changed[index].address == sensor.address else { throw .alreadyThere("put", sensor.id) }
      changed[index] = sensor
    } else {
      changed.append(sensor)
    }
    try save(changed)
  }

  /// Changes the address of a sensor.
  func move(_ id: String, to address: DeviceAddress) throws(SystemError) {
    guard let index = sensors.firstIndex(where: { $0.id == id }) else { return }
    if let other = sensor(at: address), other.id != id { throw .alreadyThere("move", other.id) }
    var changed = sensors
    changed[index].address = address
    try save(changed)
  }

  func remove(_ id: String) throws(SystemError) {
    try save(sensors.filter { $0.id != id })
  }

  /// Replaces all sensors, for an import.
  func replace(with changed: [PairedSensor]) throws(SystemError) {
    if changed != sensors { try save(changed) }
  }

  private func save(_ changed: [PairedSensor]) throws(SystemError) {
    try file.save { writer in
      writer.member("sensors")
      writer.beginArray()
      for sensor in changed { sensor.write(into: &writer) }
      writer.endArray()
    }
    sensors = changed
  }
}

extension Roster {
  private func load() {
    guard let json = file.load() else { return }
    guard let entries = json["sensors"]?.items else { return file.quarantine("is damaged") }
    for entry in entries {
      if let good = PairedSensor(entry), isNew(good) { sensors.append(good) }
    }
    let bad = entries.count - sensors.count
    guard bad > 0, file.keepCopy("has \(bad) invalid or duplicate entries") else { return }
    do throws(SystemError) {
      try save(sensors)
    } catch {
      log.error("cannot save the paired sensors: \(error)")
    }
  }

  private func isNew(_ entry: PairedSensor) -> Bool {
    SensorID.isValid(entry.id) && sensor(entry.id) == nil && sensor(at: entry.address) == nil
  }
}
