// Writes an activity as TCX. Laps enclose their points and begin with their totals, so the header
// must have all laps: an `ActivityArrangement` provides them. A pause ends a Track.

import Earth
import Time

public struct TCXWriter: ActivityWriter {
  private var header: ActivityHeader?
  private var start = WallTime(seconds: 0)
  private var course: TCXCourse?
  private var laps: ArraySlice<ActivityLap> = []
  private var lap: ActivityLap?
  private var isInTrack = false
  private var lastPoint: Int?
  private var farthest = 0.0

  private var isRunning: Bool { header?.sport == .running }

  public init() {}

  public mutating func write(_ item: ActivityItem, into output: inout [UInt8]) throws(ActivityFileError) {
    switch item {
    case .header(let header): try begin(header, into: &output)
    case .point(let point): write(point, into: &output)
    case .event(let event):
      if case .stop = event.kind { endTrack(into: &output) }
    case .routePoint(let point): course?.add(point)
    case .cue(let cue): course?.add(cue)
    case .device, .lap, .zones, .summary, .warning, .omission: break
    }
  }

  public mutating func finish(into output: inout [UInt8]) throws(ActivityFileError) {
    while try finishSome(into: &output) {}
  }

  public mutating func finishSome(into output: inout [UInt8]) throws(ActivityFileError) -> Bool {
    guard let header else { throw ActivityFileError("there is no activity to write") }
    if course != nil {
      if try course?.writeSome(header, start: header.start, into: &output) == true { return true }
    } else {
      while lap != nil { advanceLap(into: &output) }
      let texts = [header.name, header.note].compactMap(\.self)
      if !texts.isEmpty {
        output.append(text: "      ")
        output.append(element: "Notes", xml: texts.joined(separator: "\n"))
        output.append(text: "\n")
      }
      writeCreator(header.recorder, into: &output)
      output.append(text: "    </Activity>\n  </Activities>\n")
    }
    output.append(text: "</TrainingCenterDatabase>\n")
    return false
  }

  private mutating func begin(_ header: ActivityHeader, into output: inout [UInt8]) throws(ActivityFileError) {
    guard self.header == nil else { throw ActivityFileError("a TCX file holds one activity; export each by itself") }
    self.header = header
    if header.content == .activity {
      start = try header.requireStart(for: "TCX")
      guard !header.laps.isEmpty else { throw ActivityFileError("TCX needs the laps before the points") }
    } else {
      course = TCXCourse()
    }
    output.append(text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TrainingCenterDatabase")
    output.append(text: " xmlns=\"\(TCXNames.database)\" xmlns:xsi=\"\(GPXNames.instance)\"")
    output.append(text: " xmlns:ax=\"\(TCXNames.activityExtension)\"")
    let schema = "http://www.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd"
    output.append(text: " xsi:schemaLocation=\"\(TCXNames.database) \(schema)\">\n")
    guard header.content == .activity else { return }
    output.append(text: "  <Activities>\n    <Activity Sport=\"\(TCXNames.sport(header.sport))\">\n      ")
    output.append(element: "Id", date: start)
    output.append(text: "\n")
    laps = header.laps[...]
    advanceLap(into: &output)
  }

  private func writeCreator(_ recorder: DeviceLabel, into output: inout [UInt8]) {
    output.append(text: "      <Creator xsi:type=\"Device_t\">")
    output.append(element: "Name", xml: recorder.name ?? "Cyclometer")
    let hundredths = Int(((recorder.softwareVersion ?? 0) * 100).rounded(within: 0...65_535) ?? 0)
    let minor = hundredths % 10 == 0 ? hundredths % 100 / 10 : hundredths % 100
    output.append(text: "<UnitId>\(recorder.serial ?? 0)</UnitId><ProductID>\(recorder.product ?? 0)</ProductID>")
    output.append(
      text: "<Version><VersionMajor>\(hundredths / 100)</VersionMajor><VersionMinor>\(minor)</VersionMinor>")
    output.append(text: "</Version></Creator>\n")
  }
}

// MARK: Laps

extension TCXWriter {
  /// Ends the current lap, if there is one, and begins the next.
  private mutating func advanceLap(into output: inout [UInt8]) {
    if let lap { end(lap, into: &output) }
    lap = laps.popFirst()
    if let lap { begin(lap.summary, TCXNames.trigger(lap.trigger), into: &output) }
  }

  private func begin(_ summary: ActivitySummary, _ trigger: String, into output: inout [UInt8]) {
    output.append(text: "      <Lap StartTime=\"\(start.advanced(by: Double(summary.start)).dateText)\">")
    appendElement("TotalTimeSeconds", max(0, summary[.timerTime] ?? summary.elapsed), 3, into: &output)
    appendElement("DistanceMeters", max(0, summary[.distance] ?? 0), 2, into: &output)
    appendElement("MaximumSpeed", summary[.maxSpeed], 3, into: &output)
    appendElement("Calories", (summary[.energy] ?? 0).rounded(within: 0...65_535) ?? 0, 0, into: &output)
    for (name, field) in [
      ("AverageHeartRateBpm", SummaryField.averageHeartRate), ("MaximumHeartRateBpm", .maxHeartRate),
    ] {
      guard let rate = summary[field]?.rounded(within: 1...255) else { continue }
      output.append(text: "\n        <\(name)><Value>\(Int(rate))</Value></\(name)>")
    }
    output.append(text: "\n        <Intensity>Active</Intensity>")
    if !isRunning {
      appendElement("Cadence", summary[.averageCadence]?.rounded(within: 0...254), 0, into: &output)
    }
    output.append(text: "\n        <TriggerMethod>\(trigger)</TriggerMethod>\n")
  }

  private func appendElement(_ name: String, _ number: Double?, _ decimals: Int, into output: inout [UInt8]) {
    guard let number else { return }
    output.append(text: "\n        ")
    output.append(element: name, number: number, decimals: decimals)
  }

  private mutating func end(_ lap: ActivityLap, into output: inout [UInt8]) {
    endTrack(into: &output)
    let values = lap.summary
    let cadences =
      isRunning ? ("AvgRunCadence", values[.averageCadence], "MaxRunCadence") : ("", nil, "MaxBikeCadence")
    let elements = [
      ("AvgSpeed", values[.averageSpeed], 3), (isRunning ? "" : cadences.2, values[.maxCadence], 0),
      (cadences.0, cadences.1, 0), (isRunning ? cadences.2 : "", values[.maxCadence], 0),
      ("AvgWatts", values[.averagePower]?.rounded(within: 0...65_535), 0),
      ("MaxWatts", values[.maxPower]?.rounded(within: 0...65_535), 0),
    ].filter { !$0.0.isEmpty && $0.1 != nil }
    if !elements.isEmpty {
      output.append(text: "        <Extensions><ax:LX>")
      for (name, value, decimals) in elements {
        output.append(element: "ax:" + name, number: value, decimals: decimals)
      }
      output.append(text: "</ax:LX></Extensions>\n")
    }
    output.append(text: "      </Lap>\n")
  }

  private mutating func endTrack(into output: inout [UInt8]) {
    guard isInTrack else { return }
    isInTrack = false
    output.append(text: "        </Track>\n")
  }
}

// MARK: Points

extension TCXWriter {
  private mutating func write(_ point: ActivityPoint, into output: inout [UInt8]) {
    guard lap != nil, lastPoint.map({ point.t > $0 }) ?? true else { return }
    lastPoint = point.t
    while let next = laps.first, point.t >= next.summary.start { advanceLap(into: &output) }
    if !isInTrack {
      isInTrack = true
      output.append(text: "        <Track>\n")
    }
    output.append(text: "          <Trackpoint>")
    output.append(element: "Time", date: start.advanced(by: Double(point.t)))
    if let position = point.position { output.append(tcx: position, name: "Position") }
    output.append(element: "AltitudeMeters", number: point[.altitude], decimals: 1)
    if let distance = point[.distance], distance >= farthest {
      farthest = distance
      output.append(element: "DistanceMeters", number: distance, decimals: 2)
    }
    if let rate = point[.heartRate]?.rounded(within: 1...255) {
      output.append(text: "<HeartRateBpm><Value>\(Int(rate))</Value></HeartRateBpm>")
    }
    let cadence = point[.cadence]?.rounded(within: 0...254)
    if !isRunning { output.append(element: "Cadence", number: cadence) }
    appendExtensions(of: point, runCadence: isRunning ? cadence : nil, into: &output)
    output.append(text: "</Trackpoint>\n")
  }

  private func appendExtensions(of point: ActivityPoint, runCadence: Double?, into output: inout [UInt8]) {
    let speed = point[.speed].map { max(0, $0) }
    let power = point[.power].flatMap { max(0, $0).rounded(within: 0...65_535) }
    guard speed != nil || power != nil || runCadence != nil else { return }
    output.append(text: "<Extensions><ax:TPX>")
    output.append(element: "ax:Speed", number: speed, decimals: 3)
    output.append(element: "ax:RunCadence", number: runCadence)
    output.append(element: "ax:Watts", number: power)
    output.append(text: "</ax:TPX></Extensions>")
  }
}

extension [UInt8] {
  mutating func append(tcx position: Coordinate, name: String) {
    append(text: "<\(name)><LatitudeDegrees>")
    append(degrees: position.latitude)
    append(text: "</LatitudeDegrees><LongitudeDegrees>")
    append(degrees: position.writtenLongitude)
    append(text: "</LongitudeDegrees></\(name)>")
  }
}
