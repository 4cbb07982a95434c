// Reads the document of a route in pieces, object by object. A route of 50,000 points has several
// megabytes as text, and only what is needed of each point is kept.

import Earth
import Guidance
import JSON
import LogbookWire
import Wire

struct RouteReader {
  /// More points than any device follows.
  static let mostPoints = 500_000
  /// Of a point, a cue or the head of the document.
  private static let mostBytes = 16 << 10

  /// 16 bytes.
  private struct PackedPoint {
    private static let perDegree = 1e7
    var latitude: Int32
    var longitude: Int32
    /// NaN if they are unknown.
    var altitude: Float
    var distance: Float

    init?(_ point: TrackPoint) {
      guard abs(point.latitudeDeg) <= 90, abs(point.longitudeDeg) <= 180 else { return nil }
      latitude = Int32((point.latitudeDeg * Self.perDegree).rounded())
      longitude = Int32((point.longitudeDeg * Self.perDegree).rounded())
      altitude = point.altitudeM.map { Float($0) } ?? .nan
      distance = point.distanceM.map { Float($0) } ?? .nan
    }

    var point: Route.Point? {
      Coordinate(latitude: Double(latitude) / Self.perDegree, longitude: Double(longitude) / Self.perDegree).map {
        Route.Point(
          $0, altitudeM: altitude.isNaN ? nil : Double(altitude), distanceM: distance.isNaN ? nil : Double(distance))
      }
    }
  }

  private(set) var record: RouteRecord?
  private(set) var cues: [RouteCueRecord] = []
  private var points: [PackedPoint] = []
  /// Objects and arrays that are open.
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// The last string of the document's own members: the name of the one that follows.
  private var name: [UInt8] = []
  /// The object being read, and the depth outside of it.
  private var item: [UInt8] = []
  private var itemDepth: Int?
  private(set) var isComplete = false
  private(set) var hasFailed = false

  /// The line, and the cues at distances along it. Nil if the route is not a line.
  func route() -> (route: Route, cues: [Cue])? {
    var places = cues.map(\.distanceM)
    guard let route = Route(points.lazy.compactMap(\.point), converting: &places) else { return nil }
    let converted = zip(cues, places).map { Cue(Cue.Kind(rawValue: $0.kind), atM: $1, text: $0.text) }
    return (route, converted)
  }

  mutating func feed(_ bytes: [UInt8]) {
    for byte in bytes where !hasFailed {
      let isOfItem = itemDepth != nil
      read(byte)
      if isOfItem || itemDepth != nil { append(byte) }
      if let outside = itemDepth, depth == outside, !isInString { endItem() }
    }
  }

  private mutating func append(_ byte: UInt8) {
    item.append(byte)
    if item.count > Self.mostBytes { hasFailed = true }
  }

  private mutating func read(_ byte: UInt8) {
    if isInString { return readString(byte) }
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
      if depth == 1 { name.removeAll(keepingCapacity: true) }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // The head of the document, or an item of a list.
      if byte == UInt8(ascii: "{"), itemDepth == nil, 1...2 ~= depth { itemDepth = depth }
      depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if depth == 0 { isComplete = true }
      if depth < 0 { hasFailed = true }
    default: break
    }
  }

  private mutating func readString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    } else if depth == 1 {
      name.append(byte)
      if name.count > Self.mostBytes { hasFailed = true }
    }
  }

  private mutating func endItem() {
    defer {
      itemDepth = nil
      item.removeAll(keepingCapacity: true)
    }
    guard let json = try? JSONValue.parse(item) else { return hasFailed = true }
    switch String(decoding: name, as: UTF8.self) {
    case "route":
      record = RouteRecord(json)
      if let count = record?.points, 1...Self.mostPoints ~= count { points.reserveCapacity(count) }
    case "points":
      guard let point = TrackPoint(json).flatMap({ PackedPoint($0) }), points.count < Self.mostPoints else {
        return hasFailed = true
      }
      points.append(point)
    case "cues":
      guard let cue = RouteCueRecord(json) else { return hasFailed = true }
      cues.append(cue)
    default: break
    }
  }
}
