// Writes an activity or a route as GPX 1.1. A point needs a position; a pause begins a new segment.
// Programs compare prefixes and not namespaces, so the prefixes are those that they know. Power comes
// twice: without a prefix for web sites, with one for programs.

import Earth
import Time

public struct GPXWriter: ActivityWriter {
  /// In seconds. A longer time without a position begins a new segment.
  private static let longestGap = 60

  private var header: ActivityHeader?
  private var start = WallTime(seconds: 0)
  private var route: RouteDraft?
  /// Cues and points of the route.
  private var written = 0
  private var lastPoint: Int?
  private var isInSegment = false

  public init() {}

  public mutating func write(_ item: ActivityItem, into output: inout [UInt8]) throws(ActivityFileError) {
    switch item {
    case .header(let header): try begin(header, into: &output)
    case .point(let point): write(point, into: &output)
    case .event(let event):
      if case .stop = event.kind { endSegment(into: &output) }
    case .routePoint(let point): route?.add(point)
    case .cue(let cue): route?.add(cue)
    case .device, .lap, .zones, .summary, .warning, .omission: break
    }
  }

  public mutating func finish(into output: inout [UInt8]) throws(ActivityFileError) {
    while try finishSome(into: &output) {}
  }

  public mutating func finishSome(into output: inout [UInt8]) throws(ActivityFileError) -> Bool {
    guard let header else { throw ActivityFileError("there is no activity to write") }
    if let route {
      try route.check()
      if writeSome(of: route, header, into: &output) { return true }
    } else {
      guard lastPoint != nil else { throw ActivityFileError(ActivityFormat.noPositions) }
      endSegment(into: &output)
      output.append(text: "  </trk>\n")
    }
    output.append(text: "</gpx>\n")
    return false
  }
}

// MARK: Activities

extension GPXWriter {
  private mutating func begin(_ header: ActivityHeader, into output: inout [UInt8]) throws(ActivityFileError) {
    guard self.header == nil else { throw ActivityFileError("a GPX file holds one activity; export each by itself") }
    self.header = header
    if header.content == .route { route = RouteDraft() } else { start = try header.requireStart(for: "GPX") }
    output.append(text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"")
    output.append(xml: (header.recorder.name ?? "Cyclometer") + (header.hasBarometer ? GPXNames.barometerEnding : ""))
    output.append(text: "\" xmlns=\"\(GPXNames.gpx)\" xmlns:xsi=\"\(GPXNames.instance)\"")
    output.append(text: " xmlns:gpxtpx=\"\(GPXNames.trackPoint)\" xmlns:pwr=\"\(GPXNames.power)\"")
    output.append(text: " xsi:schemaLocation=\"\(GPXNames.gpx) \(GPXNames.gpx)/gpx.xsd\">\n")
    guard header.content == .activity else { return }
    output.append(text: "  <metadata><time>\(start.dateText)</time></metadata>\n")
    beginTrack(header, into: &output)
  }

  private func beginTrack(_ header: ActivityHeader, into output: inout [UInt8]) {
    output.append(text: "  <trk>\n")
    for (name, text) in [("name", header.name), ("desc", header.note), ("type", typeName(header.sport))] {
      guard let text else { continue }
      output.append(text: "    ")
      output.append(element: name, xml: text)
      output.append(text: "\n")
    }
  }

  private func typeName(_ sport: SportCode?) -> String? {
    switch sport {
    case nil, .generic: nil
    case .electricCycling: SportCode.cycling.name
    case .some(let sport): sport.name
    }
  }

  private mutating func endSegment(into output: inout [UInt8]) {
    guard isInSegment else { return }
    isInSegment = false
    output.append(text: "    </trkseg>\n")
  }

  private mutating func write(_ point: ActivityPoint, into output: inout [UInt8]) {
    guard let position = point.position, lastPoint.map({ point.t > $0 }) ?? true else { return }
    if let lastPoint, point.t - lastPoint > Self.longestGap { endSegment(into: &output) }
    lastPoint = point.t
    if !isInSegment {
      isInSegment = true
      output.append(text: "    <trkseg>\n")
    }
    output.append(text: "      <trkpt")
    append(position, into: &output)
    output.append(text: ">\n        ")
    if let altitude = point[.altitude] {
      output.append(element: "ele", number: altitude, decimals: 1)
      output.append(text: "\n        ")
    }
    output.append(element: "time", date: start.advanced(by: Double(point.t)))
    output.append(text: "\n")
    appendExtensions(of: point, into: &output)
    output.append(text: "      </trkpt>\n")
  }

  private func append(_ position: Coordinate, into output: inout [UInt8]) {
    output.append(text: " lat=\"")
    output.append(degrees: position.latitude)
    output.append(text: "\" lon=\"")
    output.append(degrees: position.writtenLongitude)
    output.append(text: "\"")
  }

  private func appendExtensions(of point: ActivityPoint, into output: inout [UInt8]) {
    let power = point[.power].flatMap { max(0, $0).rounded(within: 0...65_535) }
    let values = [
      ("atemp", point[.airTemperature], 1), ("hr", point[.heartRate]?.rounded(within: 1...254), 0),
      ("cad", point[.cadence]?.rounded(within: 0...254), 0), ("speed", point[.speed].map { max(0, $0) }, 3),
    ]
    let hasValues = values.contains { $0.1 != nil }
    guard power != nil || hasValues else { return }
    output.append(text: "        <extensions>\n")
    for name in ["power", "pwr:PowerInWatts"] where power != nil {
      output.append(text: "          ")
      output.append(element: name, number: power)
      output.append(text: "\n")
    }
    if hasValues {
      output.append(text: "          <gpxtpx:TrackPointExtension>")
      for (name, value, decimals) in values {
        output.append(element: "gpxtpx:" + name, number: value, decimals: decimals)
      }
      output.append(text: "</gpxtpx:TrackPointExtension>\n")
    }
    output.append(text: "        </extensions>\n")
  }
}

// MARK: Routes

extension GPXWriter {
  /// The cues are waypoints next to the track. Returns whether there is more.
  private mutating func writeSome(of route: RouteDraft, _ header: ActivityHeader, into output: inout [UInt8]) -> Bool {
    let cues = route.cues.count
    let end = min(cues + route.points.count, written + RouteDraft.portion)
    for index in written..<end {
      if index < cues {
        write(route.cues[index], of: route, into: &output)
        continue
      }
      if index == cues {
        beginTrack(header, into: &output)
        output.append(text: "    <trkseg>\n")
      }
      write(route.points[index - cues], into: &output)
    }
    written = end
    guard end == cues + route.points.count else { return true }
    output.append(text: "    </trkseg>\n  </trk>\n")
    return false
  }

  private func write(_ cue: RouteCue, of route: RouteDraft, into output: inout [UInt8]) {
    output.append(text: "  <wpt")
    append(cue.position ?? route.points[route.nearest(to: cue)].position, into: &output)
    output.append(text: ">")
    output.append(element: "name", xml: cue.name)
    output.append(element: "desc", xml: cue.note)
    let kind = cue.kind.name ?? "generic"
    output.append(element: "sym", xml: kind)
    output.append(element: "type", xml: kind)
    output.append(text: "</wpt>\n")
  }

  private func write(_ point: RoutePoint, into output: inout [UInt8]) {
    output.append(text: "      <trkpt")
    append(point.position, into: &output)
    output.append(text: ">")
    output.append(element: "ele", number: point.altitude, decimals: 1)
    output.append(text: "</trkpt>\n")
  }
}
