// The files in Tests/ActivityFilesTests/Vectors, and the ride of a JSON file there as items: for the
// tests of formats and of the logbook.

public import ActivityFiles
import Earth
public import Foundation
public import JSON
import Time

public enum Vector {
  struct Missing: Error {}

  public static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "ActivityFilesTests/Vectors")

  public static func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: name)))
  }

  public static func json(_ name: String) throws -> JSONValue {
    try JSONValue.parse(bytes(name))
  }

  /// The bytes of a file of hexadecimal numbers with comments.
  public static func hex(_ name: String) throws -> [UInt8] {
    let text = String(decoding: try bytes(name), as: UTF8.self)
    return text.split(separator: "\n").flatMap { line in
      line.prefix { $0 != "#" }.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }
  }

  /// The items of `ride.json` or `minimal.json`, in the order of a file.
  public static func ride(_ name: String) throws -> [ActivityItem] {
    let ride = try json(name)
    let laps = (ride["laps"]?.items ?? []).map(lap)
    var header = ActivityHeader(start: try date(ride))
    header.utcOffset = ride["utc_offset_s"]?.integer
    header.sport = ride["sport"]?.text.flatMap(SportCode.init(name:))
    header.subSport = ride["sub_sport"]?.text.flatMap(SubSportCode.init(name:))
    header.laps = laps
    header.recorder.manufacturer = 255
    header.recorder.product = 0
    header.recorder.serial = ride["serial"]?.integer.map(UInt32.init)
    let devices = (ride["devices"]?.items ?? []).enumerated().map { device($1, index: UInt8($0)) }
    if !devices.isEmpty {
      header.name = ride["name"]?.text
      header.recorder.name = devices[0].label.name
      header.recorder.softwareVersion = 0.2
    }
    var timed: [(time: Double, item: ActivityItem)] = []
    for event in ride["events"]?.items ?? [] {
      let t = event["t"]?.integer ?? 0
      let isStart = event["type"]?.text == "start"
      let kind: ActivityEvent.Kind = isStart ? .start(automatic: false) : .stop(automatic: false)
      timed.append((Double(t) + (isStart ? -0.1 : 0.1), .event(ActivityEvent(t: t, kind: kind))))
    }
    for record in ride["records"]?.items ?? [] {
      let point = point(record)
      timed.append((Double(point.t), .point(point)))
    }
    for lap in laps { timed.append((lap.summary.end + 0.2, .lap(lap))) }
    timed.sort { $0.time < $1.time }
    guard let session = ride["session"] else { throw Missing() }
    var summary = summary(session, start: 0)
    summary.sport = header.sport
    summary.subSport = header.subSport
    summary.utcOffset = header.utcOffset
    return [.header(header)] + devices.map(ActivityItem.device) + timed.map(\.item) + [.summary(summary)]
  }

  private static func date(_ ride: JSONValue) throws -> WallTime {
    guard let text = ride["start"]?.text else { throw Missing() }
    let date = try Date(text, strategy: .iso8601)
    return WallTime(seconds: Int64(date.timeIntervalSince1970))
  }

  private static func device(_ json: JSONValue, index: UInt8) -> ActivityDevice {
    let kind: ActivityDevice.Kind =
      switch json["device_type"]?.integer {
      case 1: .heartRate
      case 2: .power
      case 4: .speed
      default: index == 0 ? .recorder : .other
      }
    var device = ActivityDevice(t: 0, index: index, kind: kind, label: DeviceLabel(name: json["product_name"]?.text))
    device.label.manufacturer = json["manufacturer"]?.integer.map(UInt16.init)
    device.label.serial = json["serial"]?.integer.map(UInt32.init)
    device.batteryPercent = json["battery_pct"]?.integer
    return device
  }

  private static func point(_ json: JSONValue) -> ActivityPoint {
    var point = ActivityPoint(t: json["t"]?.integer ?? 0)
    for field in PointField.allCases { point[field] = json[field.name]?.number }
    if let latitude = json["lat"]?.number, let longitude = json["lon"]?.number {
      point.position = Coordinate(latitude: latitude, longitude: longitude)
    }
    point.beatIntervals = (json["rr_ms"]?.items ?? []).compactMap(\.number)
    if let radar = json["radar"] {
      point.radar = radar["targets"]?.items.map { .vehicles($0.compactMap(vehicle)) } ?? .silent
    }
    return point
  }

  private static func vehicle(_ json: JSONValue) -> RadarVehicle? {
    guard let distance = json["distance_m"]?.number, let speed = json["approach_speed_mps"]?.number else { return nil }
    return RadarVehicle(distance: distance, approachSpeed: speed)
  }

  private static func lap(_ json: JSONValue) -> ActivityLap {
    var summary = summary(json, start: json["start_t"]?.integer ?? 0)
    summary[.vehicleCount] = json["radar_lap"]?.number
    let trigger: ActivityLap.Trigger = json["trigger"]?.text == "end" ? .end : .manual
    return ActivityLap(index: json["index"]?.integer ?? 0, trigger: trigger, summary: summary)
  }

  private static func summary(_ json: JSONValue, start: Int) -> ActivitySummary {
    var summary = ActivitySummary(start: start, elapsed: json["elapsed_s"]?.number ?? 0)
    for field in SummaryField.allCases { summary[field] = json[field.name]?.number }
    return summary
  }
}

// MARK: Reading and writing

/// What came out of a reader. Warnings and omissions are apart.
public struct ReadItems: Equatable {
  public private(set) var items: [ActivityItem] = []
  public private(set) var warnings: [String] = []
  public private(set) var omissions: [String] = []

  public init(items: [ActivityItem] = [], warnings: [String] = [], omissions: [String] = []) {
    (self.items, self.warnings, self.omissions) = (items, warnings, omissions)
  }

  public mutating func add(_ item: ActivityItem) {
    switch item {
    case .warning(let text): warnings.append(text)
    case .omission(let text): omissions.append(text)
    default: items.append(item)
    }
  }

  public var headers: [ActivityHeader] { items.compactMap { if case .header(let header) = $0 { header } else { nil } } }
  public var points: [ActivityPoint] { items.compactMap { if case .point(let point) = $0 { point } else { nil } } }
  public var laps: [ActivityLap] { items.compactMap { if case .lap(let lap) = $0 { lap } else { nil } } }
  public var events: [ActivityEvent] { items.compactMap { if case .event(let event) = $0 { event } else { nil } } }
  public var devices: [ActivityDevice] { items.compactMap { if case .device(let device) = $0 { device } else { nil } } }
  public var summaries: [ActivitySummary] {
    items.compactMap { if case .summary(let summary) = $0 { summary } else { nil } }
  }
  public var routePoints: [RoutePoint] {
    items.compactMap { if case .routePoint(let point) = $0 { point } else { nil } }
  }
  public var cues: [RouteCue] { items.compactMap { if case .cue(let cue) = $0 { cue } else { nil } } }
}

/// Reads a whole file, in pieces of that size.
public func read(
  _ bytes: [UInt8], with reader: some ActivityReader, inPieces size: Int = 4096
) throws(ActivityFileError) -> ReadItems {
  var reader = reader
  var result = ReadItems()
  for start in stride(from: 0, to: bytes.count, by: size) {
    try reader.feed(bytes.span.extracting(start..<min(bytes.count, start + size))) { result.add($0) }
  }
  try reader.finish { result.add($0) }
  return result
}

/// A whole FIT file.
public func writeFIT(_ items: [ActivityItem]) throws(ActivityFileError) -> [UInt8] {
  var writer = FITWriter()
  var bytes: [UInt8] = []
  for item in items { try writer.write(item, into: &bytes) }
  try writer.finish(into: &bytes)
  bytes.replaceSubrange(..<14, with: writer.fileHeader)
  return bytes
}

/// A whole file of any format.
public func write(_ items: [ActivityItem], _ format: ActivityFormat) throws -> [UInt8] {
  guard format != .fit else { return try writeFIT(items) }
  guard var writer = format.makeWriter() else { throw Vector.Missing() }
  var bytes: [UInt8] = []
  for item in items { try writer.write(item, into: &bytes) }
  try writer.finish(into: &bytes)
  return bytes
}

/// Keeps a file for other decoders: Tests/ActivityDecoders reads them.
public func keepExport(_ bytes: [UInt8], _ name: String) throws {
  guard let folder = ProcessInfo.processInfo.environment["CYCLOMETER_EXPORTS"] else { return }
  try Data(bytes).write(to: URL(filePath: folder).appending(path: name))
}
