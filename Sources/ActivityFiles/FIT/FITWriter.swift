// Writes an activity or a route as a FIT file, in the order that web sites and Garmin's decoder
// expect. What they require and the items lack is added: timer events, one lap, a summary.

import Time

/// The size of the data comes first in a FIT file. If it is not given, the file begins with a
/// placeholder: replace its first 14 bytes by `fileHeader` when it is finished. To send a file while
/// it is made, write the items twice: `dataSize` of the first time is for the second.
public struct FITWriter: ActivityWriter {
  private let declaredSize: Int?
  private var encoder = FITEncoder()
  private var message = FITMessage()
  private var hasBegun = false
  private var header: ActivityHeader?
  private var route: FITCourse?
  private var described: Set<FITFieldKey> = []
  private var tally = ActivityTally()
  private var lastPoint: Int?
  private var farthest = 0.0
  private var lapCount = 0
  private var summary: ActivitySummary?
  private var zones: ActivityZones?

  public init(dataSize: Int? = nil) {
    declaredSize = dataSize
  }

  /// Of the messages so far; of the file when it is finished.
  public var dataSize: Int { encoder.dataSize }

  /// The first 14 bytes of the finished file.
  public var fileHeader: [UInt8] { FITFileHeader.bytes(dataSize: dataSize) }

  public mutating func write(_ item: ActivityItem, into output: inout [UInt8]) throws(ActivityFileError) {
    switch item {
    case .header(let header): try begin(header, into: &output)
    case .device(let device): write(device, into: &output)
    case .point(let point): write(point, into: &output)
    case .lap(let lap): write(lap, into: &output)
    case .event(let event): write(event, into: &output)
    case .zones(let zones): write(zones, into: &output)
    case .summary(let summary): try write(summary, into: &output)
    case .routePoint(let point): route?.add(point)
    case .cue(let cue): route?.add(cue)
    case .warning, .omission: break
    }
  }

  public mutating func finish(into output: inout [UInt8]) throws(ActivityFileError) {
    while try finishSome(into: &output) {}
  }

  public mutating func finishSome(into output: inout [UInt8]) throws(ActivityFileError) -> Bool {
    guard let header else { throw ActivityFileError("there is no activity to write") }
    if var course = route {
      try course.check()
      let hasMore = course.writeSome(header, created: start) { (message: FITMessage) in
        encoder.write(message, into: &output)
      }
      route = course
      if hasMore { return true }
    } else {
      try finishActivity(header, into: &output)
    }
    var checksum = FITChecksum()
    checksum.update(FITFileHeader.bytes(dataSize: dataSize).span)
    let whole = checksum.followed(by: encoder.checksum, count: dataSize)
    output.appendLittleEndian(UInt64(whole.value), count: 2)
    guard declaredSize == nil || declaredSize == dataSize else {
      throw ActivityFileError("the activity changed while it was exported; export it again")
    }
    return false
  }
}

// MARK: Parts of the file

extension FITWriter {
  private mutating func begin(_ header: ActivityHeader, into output: inout [UInt8]) throws(ActivityFileError) {
    guard self.header == nil else { throw ActivityFileError("a FIT file holds one activity; export each by itself") }
    if header.content == .activity, !(header.start.map { FITTime(unix: $0.seconds).isDate } ?? false) {
      throw ActivityFileError("the date of this activity is unknown, and FIT files need one; give a start time")
    }
    self.header = header
    output += FITFileHeader.bytes(dataSize: declaredSize ?? 0)
    guard header.content == .activity else {
      route = FITCourse()
      return
    }
    message.setFileID(header, content: 4, created: start)
    send(into: &output)
    if let version = header.recorder.softwareVersion {
      message.setFileCreator(softwareVersion: version)
      send(into: &output)
    }
    if let rider = header.rider {
      message.setRider(rider)
      send(into: &output)
    }
    if header.name != nil {
      message.setSport(header)
      send(into: &output)
    }
  }

  private mutating func write(_ device: ActivityDevice, into output: inout [UInt8]) {
    // So that the descriptions are at the start, where most programs write them.
    switch device.kind {
    case .radar: describe(FITDeveloperField.ofRadar, into: &output)
    case .tirePressure: describe(FITDeveloperField.ofTires, into: &output)
    default: break
    }
    message.setDevice(device, at: time(at: Double(device.t)))
    send(into: &output)
  }

  private mutating func write(_ point: ActivityPoint, into output: inout [UInt8]) {
    guard lastPoint.map({ point.t > $0 }) ?? true, !point.isEmpty else { return }
    if !tally.hasTimer { startTimer(into: &output) }
    lastPoint = point.t
    var point = point
    if let distance = point[.distance] {
      // Readers expect that distances never fall.
      if distance < farthest { point[.distance] = nil }
      farthest = max(farthest, distance)
    }
    tally.add(point)
    message.setRecord(point, at: time(at: Double(point.t)))
    if message.fields.count > 1 { send(into: &output) }
    let intervals = point.beatIntervals.filter { 0.5 <= $0 && $0 < 65534.5 }
    for start in stride(from: 0, to: intervals.count, by: 5) {
      message.setBeatIntervals(intervals[start..<min(start + 5, intervals.count)])
      send(into: &output)
    }
  }

  private mutating func write(_ event: ActivityEvent, into output: inout [UInt8]) {
    guard tally.add(event) else { return }
    message.setEvent(event.kind, at: time(at: Double(event.t)))
    send(into: &output)
  }

  private mutating func startTimer(into output: inout [UInt8]) {
    write(ActivityEvent(t: 0, kind: .start(automatic: false)), into: &output)
  }

  private mutating func stopTimer(into output: inout [UInt8]) {
    guard tally.isRunning else { return }
    write(ActivityEvent(t: Int(tally.summary.elapsed), kind: .stop(automatic: false)), into: &output)
  }

  private mutating func write(_ lap: ActivityLap, into output: inout [UInt8]) {
    if lap.trigger == .end { stopTimer(into: &output) }
    var lap = lap
    lap.summary = lap.summary.withinFIT
    message.setLap(lap, frame(of: lap.summary, index: lapCount))
    lapCount += 1
    send(into: &output)
  }

  private mutating func write(_ zones: ActivityZones, into output: inout [UInt8]) {
    if zones.span == .activity { self.zones = zones }
    message.setZones(zones, end: time(at: tally.summary.elapsed))
    send(into: &output)
  }

  private mutating func write(_ summary: ActivitySummary, into output: inout [UInt8]) throws(ActivityFileError) {
    guard self.summary == nil else {
      throw ActivityFileError("the activity has several sports; divide it and export each by itself")
    }
    let summary = summary.withinFIT
    self.summary = summary
    stopTimer(into: &output)
    if lapCount == 0 { write(ActivityLap(index: 0, trigger: .end, summary: summary), into: &output) }
    var session = summary
    session.sport = summary.sport ?? header?.sport ?? .generic
    session.subSport = summary.subSport ?? header?.subSport
    message.setSession(session, frame(of: summary, index: 0), laps: lapCount, zones: zones)
    send(into: &output)
  }

  private mutating func finishActivity(
    _ header: ActivityHeader, into output: inout [UInt8]
  ) throws(ActivityFileError) {
    if summary == nil { try write(tally.summary, into: &output) }
    guard let summary else { return }
    message.setActivity(
      timerTime: summary[.timerTime] ?? summary.elapsed, end: time(at: summary.end),
      utcOffset: summary.utcOffset ?? header.utcOffset)
    send(into: &output)
  }
}

// MARK: Messages

extension FITWriter {
  private mutating func send(into output: inout [UInt8]) {
    let message = message
    let missing = message.fields.filter { $0.key.developer != nil && !described.contains($0.key) }.map(\.key)
    if !missing.isEmpty {
      let ofRadar = missing.contains { $0.developer == FITDeveloper.myBikeTraffic.rawValue }
      let own = FITDeveloperField.ownOfPoint.map(\.1).filter { missing.contains($0.key) }
      describe((ofRadar ? FITDeveloperField.ofRadar : []) + own, into: &output)
    }
    encoder.write(message, into: &output)
  }

  private mutating func describe(_ fields: [FITDeveloperField], into output: inout [UInt8]) {
    var description = FITMessage()
    for field in fields where !described.contains(field.key) {
      if !described.contains(where: { $0.developer == field.developer.rawValue }) {
        description.setDeveloper(field.developer)
        encoder.write(description, into: &output)
      }
      description.setDescription(field)
      encoder.write(description, into: &output)
      described.insert(field.key)
    }
  }

  private var start: FITTime? { header?.start.map { FITTime(unix: $0.seconds) } }

  /// The nearest that a file can hold.
  private func time(at t: Double) -> FITTime {
    FITTime(seconds: min(max(0, (start?.seconds ?? 0) &+ (t.roundedInteger ?? 0)), Int64(UInt32.max - 1)))
  }

  private func frame(of summary: ActivitySummary, index: Int) -> FITSummaryFrame {
    FITSummaryFrame(start: time(at: Double(summary.start)), end: time(at: summary.end), index: index)
  }
}
