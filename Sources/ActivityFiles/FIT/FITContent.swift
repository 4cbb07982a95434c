// One file of a chain: its messages become items. The header is emitted when the first record, lap
// or session is there, because what it consists of is spread over several messages. Devices and
// events before that wait for it.

import Time

struct FITContent {
  private static let mostWaiting = 300
  private static let mostFollowing = 100
  private static let mostSummaries = 100
  private static let mostBeats = 1000

  private var header = ActivityHeader()
  private var fileType: Int?
  private var clock = FITClock()
  private var waiting: [(time: FITTime, item: ActivityItem)] = []
  /// The second being read: more records and intervals between heartbeats can belong to it.
  private var point: ActivityPoint?
  /// Items that came after it.
  private var following: [ActivityItem] = []
  private var lastPoint: Int?
  private var compressedDistance = FITCompressedDistance()
  private var lapCount = 0
  /// Wait for the offset from UTC, which comes last.
  private var summaries: [ActivitySummary] = []
  private var utcOffset: Int?
  /// Of the sessions, in case no message about zones comes.
  private var sessionZones: ActivityZones?
  private var hasZones = false
  private var tally = ActivityTally()
  private(set) var isWorthKeeping = false

  private var hasBegun: Bool { clock.start != nil }

  /// Why there is nothing to keep.
  var refusal: String? {
    switch fileType {
    case 2: "this FIT file has settings, not an activity"
    case 5: "this FIT file has a workout, not an activity"
    case 34: "this FIT file has a segment, not an activity"
    case .some(let type) where type != 4 && type != 6: "this FIT file is of type \(type), not an activity"
    default: nil
    }
  }

  /// Returns what is wrong with the message.
  mutating func add(
    _ message: FITReceived, _ developers: FITDeveloperFields, _ item: (ActivityItem) -> Void
  ) -> FITProblem? {
    switch message.definition.message {
    case FITMessageNumber.fileID: addFileID(message)
    case FITMessageNumber.fileCreator:
      header.recorder.softwareVersion = message.integer(0).map { Double($0) / 100 }
    case FITMessageNumber.userProfile: header.rider = ActivityRider(message)
    case FITMessageNumber.sport: addSport(message, sport: 0, subSport: 1, name: 3)
    case FITMessageNumber.course: addSport(message, sport: 4, subSport: 7, name: 5)
    case FITMessageNumber.record: return addRecord(message, developers, item)
    case FITMessageNumber.hrv: addBeats(message, item)
    case FITMessageNumber.lap: return addLap(message, developers, item)
    case FITMessageNumber.session: return addSession(message, developers, item)
    case FITMessageNumber.event:
      if let kind = ActivityEvent.Kind(message) { emit(.event(ActivityEvent(t: 0, kind: kind)), message.time, item) }
    case FITMessageNumber.deviceInfo: emit(.device(ActivityDevice(message, t: 0)), message.time, item)
    case FITMessageNumber.timeInZone:
      if let zones = ActivityZones(message) { addZones(zones, message.time, item) }
    case FITMessageNumber.coursePoint: return addCue(message, item)
    case FITMessageNumber.activity: addOffset(message)
    default: break
    }
    return nil
  }

  mutating func finish(_ item: (ActivityItem) -> Void) {
    flushPoint(item)
    if let sessionZones, !hasZones, summaries.count == 1 { item(.zones(sessionZones)) }
    for var summary in summaries {
      summary.utcOffset = utcOffset
      item(.summary(summary))
    }
    summaries = []
  }
}

// MARK: Header

extension FITContent {
  private mutating func addFileID(_ message: FITReceived) {
    guard fileType == nil else { return }
    fileType = message.integer(0) ?? 4
    if fileType == 6 { header.content = .route }
    let version = header.recorder.softwareVersion
    header.recorder = DeviceLabel(fileID: message)
    header.recorder.softwareVersion = version
  }

  private mutating func addSport(_ message: FITReceived, sport: UInt8, subSport: UInt8, name: UInt8) {
    header.sport = message.integer(sport).flatMap(UInt8.init(exactly:)).map(SportCode.init(rawValue:))
    header.subSport = message.integer(subSport).flatMap(UInt8.init(exactly:)).map(SubSportCode.init(rawValue:))
    header.name = message.text(name)
  }

  private mutating func addOffset(_ message: FITReceived) {
    guard let time = message.time, let local = message.date(5) else { return }
    let offset = Int(local.seconds - time.seconds)
    // No time zone is further from UTC.
    if abs(offset) <= 15 * 3600 { utcOffset = offset }
  }

  /// Emits the header, if that has not been done. The activity starts with its timer.
  private mutating func begin(at time: FITTime, _ item: (ActivityItem) -> Void) -> FITProblem? {
    guard !hasBegun else { return nil }
    let timer = waiting.first { entry in
      if case .event(let event) = entry.item, case .start = event.kind { true } else { false }
    }
    let start = timer.map { time.seconds - $0.time.seconds }.flatMap { 0...86_400 ~= $0 ? timer?.time : nil } ?? time
    clock.start(at: start)
    if start.isDate, header.content == .activity { header.start = WallTime(seconds: start.unix) }
    item(.header(header))
    let early = waiting
    waiting = []
    for entry in early { emit(entry.item, entry.time, item) }
    if fileType == nil { return .noFileID }
    return start.isDate || header.content == .route ? nil : .noDate
  }

  /// Emits an item with its place, as soon as the activity has begun.
  private mutating func emit(_ found: ActivityItem, _ time: FITTime?, _ item: (ActivityItem) -> Void) {
    guard header.content == .activity else { return }
    guard hasBegun else {
      if waiting.count < Self.mostWaiting, let time { waiting.append((time, found)) }
      return
    }
    let t = time.map(clock.t)
    switch found {
    case .event(var event):
      guard let t else { return }
      event.t = t
      if tally.add(event) { append(.event(event), item) }
    case .device(var device):
      device.t = max(0, t ?? 0)
      append(.device(device), item)
    default: append(found, item)
    }
  }

  /// Emits an item after the point that is still being read.
  private mutating func append(_ next: ActivityItem, _ item: (ActivityItem) -> Void) {
    following.append(next)
    if point == nil || following.count > Self.mostFollowing { flushPoint(item) }
  }
}

// MARK: Records

extension FITContent {
  private mutating func addRecord(
    _ message: FITReceived, _ developers: FITDeveloperFields, _ item: (ActivityItem) -> Void
  ) -> FITProblem? {
    guard header.content == .activity else { return addRoutePoint(message, item) }
    guard let time = message.time else { return nil }
    let problem = begin(at: time, item)
    switch clock.place(record: time) {
    case .t(let t):
      add(message, developers, at: t, item)
      return problem
    case .changed(let t):
      add(message, developers, at: t, item)
      return .clockChanged
    case .outOfOrder: return .outOfOrder
    }
  }

  private mutating func add(
    _ message: FITReceived, _ developers: FITDeveloperFields, at t: Int, _ item: (ActivityItem) -> Void
  ) {
    if point?.t != t { flushPoint(item) }
    guard point != nil || lastPoint.map({ t > $0 }) ?? true else { return }
    var current = point ?? ActivityPoint(t: t)
    current.add(message, developers)
    compressedDistance.add(message, to: &current)
    point = current
  }

  private mutating func flushPoint(_ item: (ActivityItem) -> Void) {
    if let complete = point, !complete.isEmpty {
      isWorthKeeping = true
      lastPoint = complete.t
      item(.point(complete))
    }
    point = nil
    let items = following
    following.removeAll(keepingCapacity: true)
    for next in items { item(next) }
  }

  private mutating func addBeats(_ message: FITReceived, _ item: (ActivityItem) -> Void) {
    guard point != nil else { return }
    let room = Self.mostBeats - (point?.beatIntervals.count ?? 0)
    point?.beatIntervals += message.array(0).compactMap(\.self).prefix(max(0, room))
  }
}

// MARK: Summaries

extension FITContent {
  private mutating func addZones(_ zones: ActivityZones, _ time: FITTime?, _ item: (ActivityItem) -> Void) {
    if zones.span == .activity { hasZones = true }
    emit(.zones(zones), time, item)
  }

  private mutating func addLap(
    _ message: FITReceived, _ developers: FITDeveloperFields, _ item: (ActivityItem) -> Void
  ) -> FITProblem? {
    guard header.content == .activity, let start = message.date(FITSummaryProfile.startTime) ?? message.time else {
      return nil
    }
    let problem = begin(at: start, item)
    let summary = ActivitySummary(message, .lap, start: clock.t(of: start), developers)
    // The upper bits of an index have another meaning.
    let index = message.integer(fitMessageIndex).map { $0 & 0x0fff } ?? lapCount
    append(.lap(ActivityLap(message, index: index, summary: summary)), item)
    lapCount += 1
    isWorthKeeping = true
    return problem
  }

  private mutating func addSession(
    _ message: FITReceived, _ developers: FITDeveloperFields, _ item: (ActivityItem) -> Void
  ) -> FITProblem? {
    guard header.content == .activity, let start = message.date(FITSummaryProfile.startTime) ?? message.time else {
      return nil
    }
    let problem = begin(at: start, item)
    if summaries.count < Self.mostSummaries {
      sessionZones = ActivityZones(summary: message, .session, span: .activity)
      summaries.append(ActivitySummary(message, .session, start: clock.t(of: start), developers))
    }
    isWorthKeeping = true
    return problem
  }
}

// MARK: Routes

extension FITContent {
  private mutating func addRoutePoint(_ message: FITReceived, _ item: (ActivityItem) -> Void) -> FITProblem? {
    guard let point = RoutePoint(message) else { return nil }
    let problem = begin(at: message.time ?? FITTime(seconds: 0), item)
    item(.routePoint(point))
    isWorthKeeping = true
    return problem
  }

  private mutating func addCue(_ message: FITReceived, _ item: (ActivityItem) -> Void) -> FITProblem? {
    guard header.content == .route else { return nil }
    let problem = begin(at: message.date(1) ?? FITTime(seconds: 0), item)
    item(.cue(RouteCue(message)))
    return problem
  }
}
