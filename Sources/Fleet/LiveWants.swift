// What others want to see live: messages on the topic `want`. Several are joined by kind: the
// highest rate that somebody wants counts, until the last of those wants ends.

import JSON
public import Time
import Wire

/// A message on the topic `want`.
public struct LiveWant: Equatable, Sendable {
  public static let rates = 0.1...4.0
  public static let longest = Duration.seconds(3600)
  static let mostKinds = 128
  /// What a kept message says in the end.
  public static let passed = FleetProblem("want: until has passed; send a later time")

  /// Nil for every kind.
  let kinds: [[UInt8]]?
  let hz: Double
  let until: MonotonicTime

  /// `wall` is the clock of this receiver, nil if it is not set. A message that the broker kept may
  /// be old, so without a clock it is refused. One that was sent just now lasts ten minutes then.
  public init(
    _ message: Span<UInt8>, isRetained: Bool, at now: MonotonicTime, wall: WallTime?
  ) throws(FleetProblem) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue.parse(message)
    } catch {
      throw FleetProblem("want: the message is not JSON (\(error)); send an object with kinds, hz and until")
    }
    guard json.members != nil else { throw FleetProblem("want: the message is not an object; send {\"until\":…}") }
    kinds = try Self.kinds(json["kinds"])
    hz = try Self.hz(json["hz"])
    until = now + (try Self.duration(json["until"], isRetained, wall))
  }

  /// The message as a reader sends it. Without kinds it wants all.
  public static func message(kinds: [String]?, hz: Double, until: WallTime) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("kinds", kinds)
    writer.member("hz", hz)
    writer.member("until", until)
    writer.endObject()
    return writer.bytes
  }

  private static func kinds(_ json: JSONValue?) throws(FleetProblem) -> [[UInt8]]? {
    guard let json, json != .null else { return nil }
    guard let texts = json.texts, texts.count <= mostKinds else {
      throw FleetProblem("want: kinds is not a list of at most \(mostKinds) strings; omit it for every kind")
    }
    return texts.map { Array($0.utf8) }
  }

  private static func hz(_ json: JSONValue?) throws(FleetProblem) -> Double {
    guard let json, json != .null else { return 1 }
    guard let hz = json.number, rates.contains(hz) else {
      throw FleetProblem("want: hz is not a number from 0.1 to 4; omit it for one per second")
    }
    return hz
  }

  private static func duration(
    _ json: JSONValue?, _ isRetained: Bool, _ wall: WallTime?
  ) throws(FleetProblem) -> Duration {
    guard let until = json?.text.flatMap(WallTime.init) else {
      throw FleetProblem("want: until is missing or not a time; send one such as 2026-11-22T16:00:00Z")
    }
    guard let wall else {
      guard !isRetained else {
        throw FleetProblem("want: the clock is not set, so a kept message may be old; send it again")
      }
      return .seconds(600)
    }
    let left = until.secondsSince1970 - wall.secondsSince1970
    guard left > 0 else { throw passed }
    return min(longest, .seconds(left))
  }
}

/// All wants that have not ended.
struct LiveWants {
  /// Bounds the memory, whatever others send. What ends first is dropped.
  static let mostRows = 512

  private struct Row {
    /// Nil for every kind.
    let kind: [UInt8]?
    let hz: Double
    let until: MonotonicTime
  }

  private var rows: [Row] = []

  mutating func add(_ want: LiveWant, at now: MonotonicTime) {
    guard let kinds = want.kinds else { return add(Row(kind: nil, hz: want.hz, until: want.until), at: now) }
    for kind in kinds { add(Row(kind: kind, hz: want.hz, until: want.until), at: now) }
  }

  private mutating func add(_ new: Row, at now: MonotonicTime) {
    rows.removeAll { $0.until <= now || $0.kind == new.kind && $0.hz <= new.hz && $0.until <= new.until }
    if rows.contains(where: { $0.kind == new.kind && $0.hz >= new.hz && $0.until >= new.until }) { return }
    rows.append(new)
    guard rows.count > Self.mostRows, let first = rows.indices.min(by: { rows[$0].until < rows[$1].until }) else {
      return
    }
    rows.remove(at: first)
  }

  /// Nil if this kind is not wanted.
  func hz(of kind: [UInt8], at now: MonotonicTime) -> Double? {
    var highest: Double?
    for row in rows where row.until > now && (row.kind.map { $0 == kind } ?? true) {
      highest = max(highest ?? 0, row.hz)
    }
    return highest
  }

  /// When the last one ends; nil without any.
  func end(after now: MonotonicTime) -> MonotonicTime? {
    var last: MonotonicTime?
    for row in rows where row.until > now { last = max(last ?? row.until, row.until) }
    return last
  }
}
