// The sensors of a recording as devices of a file, with their batteries at the start and at the end.

import ActivityFiles
import JSON
import Logbook
import SQLite

final class RecordedDevices {
  private struct Sensor {
    let id: String
    var kinds: Set<String> = []
    var name: String?
    var facts = JSONValue.object([])
    var firstBattery: Int?
    var lastBattery: Int?

    /// As it was known when the recording began.
    var battery: Int? {
      facts["battery_pct"]?.number.flatMap { 0...100 ~= $0 ? Int($0.rounded()) : nil }
    }
  }

  /// These are not sensors.
  private static let others: Set<String> = ["ride", "file"]
  private static let most = 200

  private var sensors: [Sensor] = []
  /// Where batteries are: by activity and stream, the place of the level among the fields, and the sensor.
  private struct Battery {
    let field: Int
    let sensor: Int
  }

  private var batteries: [Int64: [Int: Battery]] = [:]
  /// Nil if there is nothing to find.
  private var reader: SecondsReader?

  init(_ spans: [ActivitySpan], toMS: Int64, in database: Database) throws(SQLiteError) {
    let rows = try database.prepare("SELECT sensor, kind, name, facts FROM stream WHERE activity = ?1 ORDER BY n")
    for span in spans where batteries[span.activity] == nil {
      batteries[span.activity] = [:]
      try rows.bind(1, span.activity)
      while try rows.step() {
        // As lines have them: with quotes.
        guard let id = rows.text(0)?.jsonText, let kind = rows.text(1)?.jsonText, !Self.others.contains(id),
          let index = index(of: id)
        else { continue }
        sensors[index].kinds.insert(kind)
        sensors[index].name = rows.text(2) ?? sensors[index].name
        if let facts = rows.text(3).flatMap({ try? JSONValue.parse($0) }) { sensors[index].facts = facts }
      }
      try findBatteries(of: span.activity, in: database)
    }
    if batteries.values.contains(where: { !$0.isEmpty }) { reader = try SecondsReader(spans, in: database, toMS: toMS) }
  }

  private func findBatteries(of activity: Int64, in database: Database) throws(SQLiteError) {
    for (number, stream) in try SecondsReader.streams(of: activity, in: database).enumerated()
    where stream.kind.elementsEqual("\"battery\"".utf8) {
      guard let field = stream.fieldNames.firstIndex(where: { $0.elementsEqual("battery_pct".utf8) }),
        let id = String(decoding: stream.sensor, as: UTF8.self).jsonText,
        let sensor = sensors.firstIndex(where: { $0.id == id })
      else { continue }
      batteries[activity]?[number] = Battery(field: field, sensor: sensor)
    }
  }

  private func index(of id: String) -> Int? {
    if let index = sensors.firstIndex(where: { $0.id == id }) { return index }
    guard sensors.count < Self.most else { return nil }
    sensors.append(Sensor(id: id))
    return sensors.count - 1
  }

  /// Looks for batteries. Returns false when they are all known.
  func step(_ limit: Int) throws(SQLiteError) -> Bool {
    guard let reader else { return false }
    return try reader.read(limit) { moment, sample in
      guard let battery = batteries[moment.activity]?[moment.stream], battery.field < sample.values.count,
        let level = sample.values[battery.field]?.doubleValue, 0...100 ~= level
      else { return }
      let percent = Int(level.rounded())
      sensors[battery.sensor].firstBattery = sensors[battery.sensor].firstBattery ?? percent
      sensors[battery.sensor].lastBattery = percent
    }
  }

  /// First those at the start, the recording computer as the first one, then those that have a level
  /// of the battery at the end.
  func devices(end: Int) -> [ActivityDevice] {
    var label = DeviceLabel(name: "Cyclometer")
    (label.manufacturer, label.product) = (255, 0)
    var devices = [ActivityDevice(t: 0, index: 0, kind: .recorder, label: label)]
    for (index, sensor) in sensors.enumerated() {
      var device = ActivityDevice(
        t: 0, index: UInt8(index + 1), kind: Self.kind(sensor.kinds),
        label: Self.label(sensor.id, sensor.name, sensor.facts))
      device.batteryPercent = sensor.firstBattery ?? sensor.battery
      devices.append(device)
    }
    for (index, sensor) in sensors.enumerated() where sensor.lastBattery != nil && end > 0 {
      var device = devices[index + 1]
      (device.t, device.batteryPercent) = (end, sensor.lastBattery)
      devices.append(device)
    }
    return devices
  }

  /// By what a sensor sends, the most particular kind first.
  private static func kind(_ kinds: Set<String>) -> ActivityDevice.Kind {
    let known: [(String, ActivityDevice.Kind)] = [
      ("trainer", .trainer), ("power", .power), ("radar", .radar), ("tire_pressure", .tirePressure),
      ("muscle_oxygen", .muscleOxygen), ("body_temperature", .coreTemperature), ("heart_rate", .heartRate),
      ("position", .gps),
    ]
    if let found = known.first(where: { kinds.contains($0.0) }) { return found.1 }
    switch (kinds.contains("speed"), kinds.contains("cadence")) {
    case (true, true): return .speedAndCadence
    case (true, false): return .speed
    case (false, true): return .cadence
    case (false, false): return kinds.contains("environment") ? .thermometer : .other
    }
  }

  private static func label(_ id: String, _ name: String?, _ facts: JSONValue) -> DeviceLabel {
    var label = DeviceLabel(name: facts["model"]?.text ?? name ?? id)
    let maker = facts["manufacturer"]?.text?.lowercased()
    label.manufacturer = makers.first { maker?.hasPrefix($0.0) ?? false }?.1
    // A serial that is not a number has no place in a file.
    label.serial = facts["serial"]?.text.flatMap { UInt32($0) }.flatMap { $0 == 0 ? nil : $0 }
    label.softwareVersion = (facts["firmware"]?.text ?? facts["software"]?.text).flatMap(version)
    return label
  }

  /// The numbers of makers in FIT files.
  private static let makers: [(String, UInt16)] = [
    ("garmin", 1), ("wahoo", 32), ("stages", 69), ("moxy", 76), ("magene", 107), ("polar", 123), ("favero", 263),
    ("sram", 268), ("quarq", 268), ("hammerhead", 289), ("greenteg", 303),
  ]

  /// "2.1.9" is 2.1.
  private static func version(_ text: String) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let major = parts.first.flatMap({ UInt16($0) }), major < 600 else { return nil }
    let minor = parts.dropFirst().first.flatMap { UInt16($0) } ?? 0
    guard minor < 100 else { return Double(major) }
    return Double(major) + Double(minor) / (minor < 10 ? 10 : 100)
  }
}

extension String {
  /// The string that this JSON text is.
  var jsonText: String? { (try? JSONValue.parse(self))?.text }
}
