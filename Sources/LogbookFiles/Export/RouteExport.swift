// A route as a file or as a JSON document, made while the client reads it.

import ActivityFiles
import Earth
import JSON
package import Logbook
package import LogbookWire
import SQLite
import Time
package import Wire

/// Call `step` until it returns false; then `leftOut` is complete and `next` makes the file.
package final class RouteExport: SlicedWork {
  private static let portion = 500
  /// Their texts can be long.
  private static let cuePortion = 50

  private enum Phase {
    case looking, beginning, points, cues, ended
  }

  /// Such as `route-12.gpx`; nil for a document.
  package let name: String?
  /// What the format does not have.
  package var leftOut: [String] { format?.omissions(for: contents) ?? [] }

  /// Nil for a document.
  private let format: ActivityFormat?
  private let route: StoredRoute
  private let table: RouteTable
  private var output: any RouteOutput
  private var buffer: [UInt8] = []
  private var phase = Phase.looking
  private var contents = ActivityContents()
  private var nextPoint = 0
  private var nextCue = 0
  /// Each nth point is written, and the last one.
  private let stride: Int

  /// With `points`, at most so many of them are written.
  package init(
    _ route: StoredRoute, as format: RouteFormat, points: Int? = nil, _ table: RouteTable
  ) throws(Refusal) {
    (self.route, self.table) = (route, table)
    stride = points.map { max(1, (route.points - 2) / ($0 - 1) + 1) } ?? 1
    let file = format == .json ? nil : ActivityFormat(rawValue: format.rawValue)
    self.format = file
    name = file.map { "route-\(route.id).\($0.rawValue)" }
    if let writer = file?.makeWriter() { output = RouteFile(writer) } else { output = RouteText() }
    contents.add(.header(route.header))
  }

  /// A file that begins with its size is made as a whole.
  package func step() throws(Refusal) -> Bool {
    if phase == .looking {
      try look()
      return true
    }
    guard output.isMadeWhole, phase != .ended else { return false }
    try write()
    if phase == .ended { output.complete(&buffer) }
    return phase != .ended
  }

  /// The next piece, which may be empty; nil at the end.
  package func next(atMost count: Int) throws(Refusal) -> [UInt8]? {
    if buffer.isEmpty, phase != .ended { try write() }
    guard !buffer.isEmpty else { return phase == .ended ? nil : [] }
    let piece = Array(buffer.prefix(count))
    buffer.removeFirst(piece.count)
    return piece
  }

  private func look() throws(Refusal) {
    let cues = try nextCues()
    for cue in cues { contents.add(.cue(cue)) }
    if cues.isEmpty || format == nil { (phase, nextCue) = (.beginning, 0) }
  }

  private func nextCues() throws(Refusal) -> [RouteCue] {
    try stored { () throws(SQLiteError) in
      try table.cues(of: route.id, from: &nextCue, atMost: Self.cuePortion)
    }
  }

  private func write() throws(Refusal) {
    switch phase {
    case .beginning:
      try output.begin(route, into: &buffer)
      phase = .points
    case .points:
      let points = try stored { () throws(SQLiteError) in
        try table.points(of: route.id, from: &nextPoint, atMost: Self.portion)
      }
      for (index, point) in points.enumerated() {
        let number = nextPoint - points.count + index
        if number % stride == 0 || number == route.points - 1 { try output.write(point, into: &buffer) }
      }
      if points.isEmpty { phase = .cues }
    case .cues:
      let cues = try nextCues()
      for cue in cues { try output.write(cue, into: &buffer) }
      if cues.isEmpty { try end() }
    case .looking, .ended: break
    }
  }

  private func end() throws(Refusal) {
    // A route that was removed meanwhile would look like a shorter one.
    guard try stored({ () throws(SQLiteError) in try table.find(route.id) }) != nil else {
      throw Refusal(.noSuchActivity, "route \(route.id) was removed")
    }
    if try !output.finish(into: &buffer) { phase = .ended }
  }

  private func stored<Result>(_ body: () throws(SQLiteError) -> Result) throws(Refusal) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw Refusal(storage: error) }
  }
}

private protocol RouteOutput {
  /// Whether the beginning depends on the end.
  var isMadeWhole: Bool { get }
  mutating func begin(_ route: StoredRoute, into buffer: inout [UInt8]) throws(Refusal)
  mutating func write(_ point: RoutePoint, into buffer: inout [UInt8]) throws(Refusal)
  mutating func write(_ cue: RouteCue, into buffer: inout [UInt8]) throws(Refusal)
  /// Returns whether there is more.
  mutating func finish(into buffer: inout [UInt8]) throws(Refusal) -> Bool
  func complete(_ buffer: inout [UInt8])
}

// MARK: Files

private struct RouteFile: RouteOutput {
  private var writer: any ActivityWriter

  init(_ writer: any ActivityWriter) { self.writer = writer }

  var isMadeWhole: Bool { writer is FITWriter }

  mutating func begin(_ route: StoredRoute, into buffer: inout [UInt8]) throws(Refusal) {
    try write(.header(route.header), into: &buffer)
  }

  mutating func write(_ point: RoutePoint, into buffer: inout [UInt8]) throws(Refusal) {
    try write(.routePoint(point), into: &buffer)
  }

  mutating func write(_ cue: RouteCue, into buffer: inout [UInt8]) throws(Refusal) {
    try write(.cue(cue), into: &buffer)
  }

  private mutating func write(_ item: ActivityItem, into buffer: inout [UInt8]) throws(Refusal) {
    do throws(ActivityFileError) {
      try writer.write(item, into: &buffer)
    } catch {
      throw Refusal(.badFile, error.description)
    }
  }

  mutating func finish(into buffer: inout [UInt8]) throws(Refusal) -> Bool {
    do throws(ActivityFileError) {
      return try writer.finishSome(into: &buffer)
    } catch {
      throw Refusal(.badFile, error.description)
    }
  }

  func complete(_ buffer: inout [UInt8]) {
    if let fit = writer as? FITWriter { buffer.replaceSubrange(0..<fit.fileHeader.count, with: fit.fileHeader) }
  }
}

extension StoredRoute {
  fileprivate var header: ActivityHeader {
    // Files count in whole seconds.
    let start = addedUTCMS.map { WallTime(seconds: WallTime(milliseconds: $0).seconds) }
    var header = ActivityHeader(start: start, content: .route)
    (header.name, header.note, header.sport) = (name, note, .cycling)
    return header
  }
}

// MARK: JSON

/// A `RouteDocument`, without ever having one.
private struct RouteText: RouteOutput {
  private enum List {
    case points, cues
  }

  private var writer = JSONWriter()
  private var list = List.points

  var isMadeWhole: Bool { false }

  mutating func begin(_ route: StoredRoute, into buffer: inout [UInt8]) {
    writer.beginObject()
    writer.member("route")
    route.record.write(into: &writer)
    writer.member("points")
    writer.beginArray()
    flush(into: &buffer)
  }

  mutating func write(_ point: RoutePoint, into buffer: inout [UInt8]) {
    var place = TrackPoint()
    (place.latitudeDeg, place.longitudeDeg) = (point.position.latitude, point.position.longitude)
    (place.altitudeM, place.distanceM) = (point.altitude, point.distance)
    place.write(into: &writer)
    flush(into: &buffer)
  }

  mutating func write(_ cue: RouteCue, into buffer: inout [UInt8]) {
    if list == .points {
      list = .cues
      writer.endArray()
      writer.member("cues")
      writer.beginArray()
    }
    var record = RouteCueRecord()
    (record.distanceM, record.kind) = (cue.distance ?? 0, cue.kind.name ?? String(cue.kind.rawValue))
    record.text = cue.name ?? cue.note
    record.write(into: &writer)
    flush(into: &buffer)
  }

  mutating func finish(into buffer: inout [UInt8]) -> Bool {
    writer.endArray()
    writer.endObject()
    flush(into: &buffer)
    return false
  }

  func complete(_ buffer: inout [UInt8]) {}

  /// The writer goes on with its next value.
  private mutating func flush(into buffer: inout [UInt8]) {
    buffer += writer.bytes
    writer.bytes.removeAll(keepingCapacity: true)
  }
}
