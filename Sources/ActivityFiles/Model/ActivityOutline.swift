// What is known of a file after it was read once: all that readers learn too late, such as the sport
// and the laps. Reading it a second time through an `ActivityArrangement` gives complete headers, one
// sport per activity, and a summary for each. The outline holds no points.

import Time

public struct ActivityOutline: Sendable {
  private static let mostLaps = 5000
  private static let mostActivities = 1000

  /// What follows one header.
  struct Draft: Sendable {
    var header: ActivityHeader
    var summaries: [ActivitySummary] = []
    var laps: [ActivityLap] = []
    var zones: [ActivityZones] = []
    /// The first item of each.
    var devices: [ActivityDevice] = []
    var tally = ActivityTally()
  }

  private(set) var drafts: [Draft] = []
  /// Of all activities of the file together.
  public private(set) var contents = ActivityContents()

  public init() {}

  /// How many activities and routes an arrangement will emit.
  public var count: Int { drafts.reduce(0) { $0 + max(1, $1.summaries.count) } }

  /// Call this for each item of the first reading.
  public mutating func add(_ item: ActivityItem) {
    contents.add(item)
    if case .header(let header) = item, drafts.count < Self.mostActivities { drafts.append(Draft(header: header)) }
    guard let last = drafts.indices.last else { return }
    switch item {
    case .summary(let summary): drafts[last].summaries.append(summary)
    case .lap(let lap):
      if drafts[last].laps.count < Self.mostLaps { drafts[last].laps.append(lap) }
    case .zones(let zones):
      if drafts[last].zones.count < Self.mostLaps { drafts[last].zones.append(zones) }
    case .device(let device):
      if !drafts[last].devices.contains(where: { $0.index == device.index }) { drafts[last].devices.append(device) }
    case .point(let point): drafts[last].tally.add(point)
    case .event(let event): _ = drafts[last].tally.add(event)
    case .header, .routePoint, .cue, .warning, .omission: break
    }
  }
}

/// The items of the second reading, arranged: the header with all laps, then devices, points, events
/// and laps in the order of time, then zones and the summary.
public struct ActivityArrangement {
  private var drafts: ArraySlice<ActivityOutline.Draft>
  /// Of one header; several if it has several sports.
  private var parts: ArraySlice<ActivityPart> = []
  private var devices: [ActivityDevice] = []
  private var part: ActivityPart?
  /// The first of its laps that was not emitted.
  private var nextLap = 0

  public init(_ outline: ActivityOutline) {
    drafts = outline.drafts[...]
  }

  /// Call this for each item of the second reading.
  public mutating func add(_ item: ActivityItem, emit: (ActivityItem) -> Void) {
    switch item {
    case .header: beginDraft(emit)
    case .point(var point):
      advance(to: point.t, emit)
      guard let part else { return }
      point.t -= part.start
      emitLaps(endingBefore: point.t, emit)
      emit(.point(point))
    case .event(var event):
      if case .start = event.kind { advance(to: event.t, emit) }
      guard let part else { return }
      event.t -= part.start
      emitLaps(endingBefore: event.t, emit)
      emit(.event(event))
    case .device(var device):
      device.t = max(0, device.t - (part?.start ?? 0))
      emit(.device(device))
    case .lap, .zones, .summary: break
    case .routePoint, .cue, .warning, .omission: emit(item)
    }
  }

  public mutating func finish(emit: (ActivityItem) -> Void) {
    while part != nil { endPart(emit) }
  }

  private mutating func beginDraft(_ emit: (ActivityItem) -> Void) {
    finish(emit: emit)
    guard let draft = drafts.popFirst() else { return }
    guard draft.header.content == .activity else { return emit(.header(draft.header)) }
    parts = ActivityPart.parts(of: draft)[...]
    devices = draft.devices
    part = parts.popFirst()
    if let part { emit(.header(part.header)) }
  }

  /// Begins the parts up to that time.
  private mutating func advance(to t: Int, _ emit: (ActivityItem) -> Void) {
    while let next = parts.first, t >= next.start { endPart(emit) }
  }

  /// Ends the current part and begins the next one of the same header.
  private mutating func endPart(_ emit: (ActivityItem) -> Void) {
    guard let ended = part else { return }
    emitLaps(endingBefore: .max, emit)
    for zones in ended.zones { emit(.zones(zones)) }
    emit(.summary(ended.summary))
    nextLap = 0
    part = parts.popFirst()
    guard let part else { return }
    emit(.header(part.header))
    for device in devices {
      var device = device
      device.t = 0
      emit(.device(device))
    }
  }

  private mutating func emitLaps(endingBefore t: Int, _ emit: (ActivityItem) -> Void) {
    guard let laps = part?.header.laps else { return }
    while nextLap < laps.count, laps[nextLap].summary.end < Double(t) {
      emit(.lap(laps[nextLap]))
      nextLap += 1
    }
  }
}

/// An activity of one sport.
private struct ActivityPart {
  /// Seconds since the start of the header that was read.
  let start: Int
  let header: ActivityHeader
  let summary: ActivitySummary
  let zones: [ActivityZones]

  static func parts(of draft: ActivityOutline.Draft) -> [ActivityPart] {
    guard draft.summaries.count > 1 else {
      let summary = draft.summaries.first ?? draft.tally.summary
      return [ActivityPart(draft, summary, start: 0, laps: draft.laps, zones: draft.zones)]
    }
    let summaries = draft.summaries.sorted { $0.start < $1.start }
    return summaries.indices.map { index in
      // The first part has what comes before it, too.
      let start = index == 0 ? 0 : summaries[index].start
      let end = index + 1 < summaries.count ? summaries[index + 1].start : .max
      let laps = draft.laps.filter { (index == 0 || $0.summary.start >= start) && $0.summary.start < end }
      return ActivityPart(draft, summaries[index], start: start, laps: laps, zones: [])
    }
  }

  private init(
    _ draft: ActivityOutline.Draft, _ summary: ActivitySummary, start: Int, laps: [ActivityLap], zones: [ActivityZones]
  ) {
    self.start = start
    self.zones = zones
    var summary = summary
    summary.start -= start
    self.summary = summary
    var header = draft.header
    header.start = header.start.map { WallTime(seconds: $0.seconds + Int64(start)) }
    header.sport = summary.sport ?? header.sport
    header.subSport = summary.subSport ?? header.subSport
    header.utcOffset = summary.utcOffset ?? header.utcOffset
    header.name = header.name ?? summary.name
    header.note = header.note ?? summary.note
    header.laps = laps.sorted { $0.summary.start < $1.summary.start }.enumerated().map { index, lap in
      var lap = lap
      lap.index = index
      lap.summary.start -= start
      return lap
    }
    if header.laps.isEmpty { header.laps = [ActivityLap(index: 0, trigger: .end, summary: summary)] }
    self.header = header
  }
}
