// A route as a TCX course. Names are cut to what the schema allows; Notes have the whole text.

import Time

struct TCXCourse {
  /// The date of the virtual ride, if the route has none: the first day of 2020.
  private static let anyDate = WallTime(seconds: 1_577_836_800)

  private var draft = RouteDraft()
  /// For each point, once it is complete.
  private var times: [Int64] = []
  /// Points and cues.
  private var written = 0

  mutating func add(_ point: RoutePoint) {
    draft.add(point)
  }

  mutating func add(_ cue: RouteCue) {
    draft.add(cue)
  }

  /// Returns whether there is more.
  mutating func writeSome(
    _ header: ActivityHeader, start: WallTime?, into output: inout [UInt8]
  ) throws(ActivityFileError) -> Bool {
    try draft.check()
    let start = start ?? Self.anyDate
    let points = draft.points.count
    let end = min(points + draft.cues.count, written + RouteDraft.portion)
    if written == 0 {
      times = draft.times()
      writeBeginning(header, into: &output)
    }
    for index in written..<end {
      if index < points {
        write(index, at: start.advanced(by: Double(times[index])), into: &output)
        if index == points - 1 { endTrack(header, into: &output) }
      } else {
        let cue = draft.cues[index - points]
        let place = draft.nearest(to: cue)
        write(cue, draft.points[place], start.advanced(by: Double(times[place])), into: &output)
      }
    }
    written = end
    guard end == points + draft.cues.count else { return true }
    output.append(text: "    </Course>\n  </Courses>\n")
    return false
  }

  private func name(_ header: ActivityHeader) -> String { header.name ?? "Route" }

  private func writeBeginning(_ header: ActivityHeader, into output: inout [UInt8]) {
    guard let first = draft.points.first, let last = draft.points.last else { return }
    output.append(text: "  <Courses>\n    <Course>\n      ")
    output.append(element: "Name", xml: name(header).prefix(scalars: TCXNames.longestCourseName))
    output.append(text: "\n      <Lap><TotalTimeSeconds>\(times.last ?? 0)</TotalTimeSeconds>")
    output.append(element: "DistanceMeters", number: draft.length, decimals: 2)
    output.append(tcx: first.position, name: "BeginPosition")
    output.append(tcx: last.position, name: "EndPosition")
    output.append(text: "<Intensity>Active</Intensity></Lap>\n      <Track>\n")
  }

  private func write(_ index: Int, at time: WallTime, into output: inout [UInt8]) {
    let point = draft.points[index]
    output.append(text: "        <Trackpoint>")
    output.append(element: "Time", date: time)
    output.append(tcx: point.position, name: "Position")
    output.append(element: "AltitudeMeters", number: point.altitude, decimals: 1)
    output.append(element: "DistanceMeters", number: draft.distances[index], decimals: 2)
    output.append(text: "</Trackpoint>\n")
  }

  private func endTrack(_ header: ActivityHeader, into output: inout [UInt8]) {
    output.append(text: "      </Track>\n")
    guard let notes = Self.notes(name(header), header.note, longest: TCXNames.longestCourseName) else { return }
    output.append(text: "      ")
    output.append(element: "Notes", xml: notes)
    output.append(text: "\n")
  }

  private func write(_ cue: RouteCue, _ point: RoutePoint, _ time: WallTime, into output: inout [UInt8]) {
    let word = TCXNames.cue(cue.kind)
    let name = cue.name ?? word
    output.append(text: "      <CoursePoint>")
    output.append(element: "Name", xml: name.prefix(scalars: TCXNames.longestCueName))
    output.append(element: "Time", date: time)
    output.append(tcx: point.position, name: "Position")
    output.append(element: "AltitudeMeters", number: point.altitude, decimals: 1)
    output.append(element: "PointType", xml: word)
    output.append(element: "Notes", xml: Self.notes(name, cue.note, longest: TCXNames.longestCueName))
    output.append(text: "</CoursePoint>\n")
  }

  /// The whole name, if it was cut, and the note in the next line.
  private static func notes(_ name: String, _ note: String?, longest: Int) -> String? {
    let isCut = name.unicodeScalars.count > longest
    let texts = [isCut || note != nil ? name : nil, note].compactMap(\.self)
    return texts.isEmpty ? nil : texts.joined(separator: "\n")
  }
}

extension String {
  func prefix(scalars count: Int) -> String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
  }
}
