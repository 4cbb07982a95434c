// The messages of a course.

import Earth

/// Valid, with times, distances and positions, for navigation.
private let courseCapabilities: Int64 = 2 + 4 + 8 + 16 + 512

// MARK: Writing

extension FITMessage {
  mutating func setCourse(_ header: ActivityHeader) {
    begin(FITMessageNumber.course)
    add(4, .enum, Int64((header.sport ?? .cycling).rawValue))
    add(5, text: header.name ?? "Route")
    add(6, .uint32z, courseCapabilities)
    add(7, .enum, header.subSport.map { Int64($0.rawValue) })
  }

  mutating func setCourseLap(
    from first: RoutePoint, to last: RoutePoint, length: Double, _ start: FITTime, _ end: FITTime
  ) {
    var summary = ActivitySummary(start: 0, elapsed: Double(end.seconds - start.seconds))
    summary[.timerTime] = summary.elapsed
    summary[.distance] = length
    summary.startPosition = first.position
    summary.endPosition = last.position
    setLap(
      ActivityLap(index: 0, trigger: .end, summary: summary), FITSummaryFrame(start: start, end: end, index: 0))
  }

  mutating func setCourseRecord(_ point: RoutePoint, distance: Double, _ time: FITTime) {
    var record = ActivityPoint(t: 0)
    record.position = point.position
    record[.altitude] = point.altitude
    record[.distance] = distance
    setRecord(record, at: time)
  }

  mutating func setCue(_ cue: RouteCue, index: Int, at position: Coordinate, distance: Double, _ time: FITTime) {
    begin(FITMessageNumber.coursePoint)
    add(FITFieldKey(fitMessageIndex), .uint16, Int64(index))
    add(1, .uint32, time.seconds)
    addPosition(2, 3, cue.position ?? position)
    add(FITQuantity(4, .uint32, scale: 100), cue.distance ?? distance)
    add(5, .enum, Int64(cue.kind.rawValue))
    add(6, text: cue.name)
  }
}

// MARK: Reading

extension RouteCue {
  init(_ message: FITReceived) {
    self.init(
      kind: message.integer(5).flatMap(UInt8.init(exactly:)).map(CueKind.init(rawValue:)) ?? .generic,
      position: message.position(2, 3), distance: message.value(FITQuantity(4, .uint32, scale: 100)))
    name = message.text(6)
  }
}

extension RoutePoint {
  /// nil for a record without a position.
  init?(_ record: FITReceived) {
    var point = ActivityPoint(t: 0)
    point.add(record, FITDeveloperFields())
    guard let position = point.position else { return nil }
    self.init(position: position, altitude: point[.altitude], distance: point[.distance])
  }
}
