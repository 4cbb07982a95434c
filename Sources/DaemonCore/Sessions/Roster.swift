// The paired sensors, kept in the state directory. The file has a version and is replaced as a whole; one that is torn, or
// written by a newer daemon, is set aside, said, and never overwritten; so is one that cannot be read.

import Linux
import Wire

final class Roster {
  static let version = 1
  /// A line of the protocol has room for them, names and settings of the longest.
  static let capacity = 64

  private(set) var sensors: [PairedSensor] = []
  private let path: String
  private let log: Log

  /// Whether there was a roster to read: false on the very first start.
  private(set) var wasFound = true
  /// Why there may be a file whose content nobody has seen: nothing is written over it.
  private var obstacle: SystemError?

  init(folder: String, file: String = "roster.json", log: Log) {
    path = folder + "/" + file
    self.log = log
    load()
  }

  func sensor(_ id: String) -> PairedSensor? {
    sensors.first { $0.id == id }
  }

  func sensor(at address: DeviceAddress) -> PairedSensor? {
    sensors.first { $0.address == address }
  }

  /// Adds it, or puts it in the place of the one with its id, which must be the same sensor.
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

  /// It is the same sensor, known by another address from now on.
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

  /// What could not be written is not pretended to be remembered.
  private func save(_ changed: [PairedSensor]) throws(SystemError) {
    if let obstacle { throw obstacle }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", Self.version)
    writer.member("sensors")
    writer.beginArray()
    for sensor in changed { sensor.write(into: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    try Files.replace(path, with: writer.bytes, mode: 0o600)
    sensors = changed
  }
}

extension Roster {
  private func load() {
    let content: [UInt8]
    do throws(SystemError) {
      content = try Files.read(path)
    } catch {
      wasFound = !error.isMissingFile
      guard wasFound else { return }
      obstacle = error
      return log.error("the paired sensors cannot be read, and none are known: \(error)")
    }
    guard let json = try? JSON.parse(content), let version = json["version"]?.integer,
      let entries = json["sensors"]?.items
    else { return setAside("is damaged") }
    guard version <= Self.version else { return setAside("was written by a newer release (format \(version))") }
    for entry in entries {
      if let good = PairedSensor(entry), isNew(good) { sensors.append(good) }
    }
    let bad = entries.count - sensors.count
    if bad > 0 { keepCopy("has \(bad) entries that say no sensor, or one twice") }
  }

  /// Ids go into records and to people's scripts; `ride` is the daemon's own, and `gps` is no sensor.
  private func isNew(_ entry: PairedSensor) -> Bool {
    let isValid = entry.id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
    return isValid && !entry.id.isEmpty && !["ride", CaptureLine.positionName].contains(entry.id)
      && sensor(entry.id) == nil
      && sensor(at: entry.address) == nil
  }

  private func setAside(_ what: String) {
    let aside = unusedName()
    do throws(SystemError) {
      try Files.rename(path, to: aside)
      log.error("\(path) \(what): it is kept as \(aside), and no paired sensors are known")
    } catch {
      obstacle = error
      log.error("\(path) \(what), and it cannot be set aside: \(error)")
    }
  }

  /// The good entries are used and saved, and the file as it was is kept beside.
  private func keepCopy(_ what: String) {
    let aside = unusedName()
    do throws(SystemError) {
      try Files.replace(aside, with: try Files.read(path), mode: 0o600)
      log.error("\(path) \(what): the others are used, and it is kept as \(aside)")
    } catch {
      obstacle = error
      return log.error("\(path) \(what), and no copy can be kept: \(error)")
    }
    do throws(SystemError) {
      try save(sensors)
    } catch {
      log.error("the paired sensors cannot be saved: \(error)")
    }
  }

  private func unusedName() -> String {
    var number = 1
    while Files.exists("\(path).damaged-\(number)") { number += 1 }
    return "\(path).damaged-\(number)"
  }
}
