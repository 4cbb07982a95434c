// The fields of one sensor in an activity, for curves of what that sensor itself sent. A field that
// several kinds have, such as `distance_m` of the ride, is named with its kind: `ride.distance_m`.

import JSON
import SQLite
import Wire

struct RawFields {
  /// The streams of each activity that is shown.
  private var streams: [Int64: [RecordedStream]] = [:]
  private let sensor: String
  private(set) var names: [String] = []
  private(set) var sensors: [String] = []
  private var ambiguous: Set<String> = []

  init(_ sensor: String, _ spans: [ActivitySpan], in database: Database) throws(SQLiteError) {
    self.sensor = sensor
    for span in spans where streams[span.activity] == nil {
      streams[span.activity] = try SecondsReader.streams(of: span.activity, in: database)
    }
    var kinds: [String: Set<String>] = [:]
    var order: [(kind: String, field: String)] = []
    for stream in spans.flatMap({ streams[$0.activity] ?? [] }) {
      guard let id = Self.text(stream.sensor), let kind = Self.text(stream.kind) else { continue }
      if !sensors.contains(id) { sensors.append(id) }
      guard id == sensor else { continue }
      for name in stream.fieldNames {
        let field = String(decoding: name, as: UTF8.self)
        if kinds[field, default: []].insert(kind).inserted { order.append((kind, field)) }
      }
    }
    ambiguous = Set(kinds.filter { $1.count > 1 }.keys)
    names = order.map { name($0.kind, $0.field) }
  }

  private func name(_ kind: String, _ field: String) -> String {
    ambiguous.contains(field) ? "\(kind).\(field)" : field
  }

  /// For each stream of an activity, which of its fields are which of `wanted`.
  func places(of wanted: [String], in activity: Int64) -> [[(field: Int, series: Int)]] {
    (streams[activity] ?? []).map { stream in
      guard Self.text(stream.sensor) == sensor, let kind = Self.text(stream.kind) else { return [] }
      return stream.fieldNames.enumerated().compactMap { index, bytes in
        let field = name(kind, String(decoding: bytes, as: UTF8.self))
        return wanted.firstIndex(of: field).map { (index, $0) }
      }
    }
  }

  private static func text(_ json: [UInt8]) -> String? { (try? JSONValue.parse(json.span))?.text }

  /// Throws unless the sensor is in the activity.
  func requireSensor() throws(Refusal) {
    guard !sensors.contains(sensor) else { return }
    let known = sensors.isEmpty ? "it has none" : "it has " + sensors.joined(separator: ", ")
    throw Refusal(.badRequest, "this activity has no sensor \(sensor); \(known)")
  }
}
