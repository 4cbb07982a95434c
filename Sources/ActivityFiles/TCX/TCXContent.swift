// What the elements of a TCX file mean. Activities are emitted as they are read, courses when they
// end. A gap between two tracks of an activity is a pause.

import Expat

struct TCXContent: XMLContent {
  private static let mostLaps = 5000

  /// nil: whatever the file has.
  private let wanted: ActivityHeader.Content?
  private var path = ElementPath()
  private var header = ActivityHeader()
  private var id: Int64?
  private var notes: String?
  private var creator = DeviceLabel()
  private var isInActivity = false
  private var lap: TCXLap?
  /// Ended, but where the next one begins is not known.
  private var endedLap: (lap: TCXLap, t: Int)?
  private var lapCount = 0
  private var lastLapEnd = 0.0
  private var totals = FieldValues<SummaryField>()
  private var point: TCXPoint?
  private var cue: TCXCue?
  private var course: TCXRoute?
  /// Emitted when the next one ends, or at the end of the file.
  private var endedCourse: (course: TCXRoute, emission: RouteEmission)?
  private var assembler: ActivityAssembler?
  private var isWorthKeeping = false
  private var hasCourse = false
  private(set) var problems = ReadProblems()
  private(set) var omissions = XMLOmissions()
  private(set) var refusal: String?

  init(as wanted: ActivityHeader.Content?) {
    self.wanted = wanted
  }

  mutating func add(_ event: XMLEvent, _ emit: (ActivityItem) -> Void) {
    guard refusal == nil else { return }
    switch event {
    case .start(let name, let attributes):
      path.push(name.local)
      start(name.local, attributes, emit)
    case .end(let name, let text):
      end(name, text, emit)
      path.pop()
    }
  }

  /// Returns false if there was nothing to keep. The last course follows with `emitSome`.
  mutating func finish(_ emit: (ActivityItem) -> Void) -> Bool {
    if let lap { endLap(lap, emit) }
    endActivity(emit)
    endCourse(emit)
    return isWorthKeeping
  }

  /// Why there is nothing to keep.
  var emptiness: String {
    if wanted == .activity, hasCourse { return "the TCX file has a course, which is a route and not an activity" }
    return wanted == .route ? "the TCX file has no route" : "the TCX file has no laps, no points and no course"
  }
}

// MARK: Elements

extension TCXContent {
  private mutating func start(_ name: String, _ attributes: [XMLAttribute], _ emit: (ActivityItem) -> Void) {
    if path.depth == 1, name != "TrainingCenterDatabase" {
      refusal = "this is not a TCX file: its first element is \(name.prefix(scalars: 50)), not TrainingCenterDatabase"
      return
    }
    switch name {
    case "Activity": beginActivity(attributes, emit)
    case "Course":
      endCourse(emit)
      course = TCXRoute()
    case "Lap" where isInActivity && course == nil:
      if let lap { endLap(lap, emit) }
      let new = TCXLap(attributes)
      emitEndedLap(nextStart: new.start, emit)
      lap = new
    case "Track": assembler?.beginStretch()
    case "Trackpoint": point = TCXPoint()
    case "CoursePoint": cue = TCXCue()
    default: break
    }
  }

  private mutating func end(_ name: XMLName, _ text: String, _ emit: (ActivityItem) -> Void) {
    switch name.local {
    case "Trackpoint": return endPoint(emit)
    case "CoursePoint":
      if let cue { course?.add(cue) }
      cue = nil
    case "Lap":
      if let lap { endLap(lap, emit) }
    case "Activity": return endActivity(emit)
    case "Course": return endCourse(emit)
    default:
      if point != nil { return endField(name, text) }
      if cue != nil { cue?.set(name.local, text); return }
      endOther(name.local, text)
    }
  }

  private mutating func endField(_ name: XMLName, _ text: String) {
    let isKnown = name.namespace?.hasPrefix(TCXNames.knownStart) ?? true
    if !isKnown || point?.set(path.parent, name.local, text) == false { omissions.add(name) }
  }

  private mutating func endOther(_ name: String, _ text: String) {
    switch (path.parent, name) {
    case ("Activity", "Id"): id = DateText(text)?.seconds
    case ("Activity", "Notes"):
      notes = text.trimmed(to: 10_000)
      course?.set(notes: text)
    case ("Course", "Name"): course?.set(name: text)
    case ("Course", "Notes"): course?.set(notes: text)
    case ("Creator", "Name"): creator.name = text.trimmed(to: 200)
    case ("Creator", "UnitId"):
      creator.serial = text.trimmed(to: 20).flatMap { UInt32($0) }.flatMap { $0 == 0 ? nil : $0 }
    case ("Creator", "ProductID"): creator.product = text.trimmed(to: 20).flatMap { UInt16($0) }
    case ("Version", "VersionMajor"): creator.softwareVersion = Double(decimal: text)
    case ("Version", "VersionMinor"): addMinorVersion(text)
    default: lap?.set(path.parent, name, text)
    }
  }

  private mutating func addMinorVersion(_ text: String) {
    guard let major = creator.softwareVersion, let minor = Double(decimal: text), 0..<100 ~= minor else { return }
    creator.softwareVersion = major + (minor < 10 ? minor / 10 : minor / 100)
  }
}

// MARK: Activities

extension TCXContent {
  private mutating func beginActivity(_ attributes: [XMLAttribute], _ emit: (ActivityItem) -> Void) {
    endActivity(emit)
    isInActivity = true
    header = ActivityHeader()
    header.sport = attributes.first { $0.name.local == "Sport" }.flatMap { TCXNames.sport(named: $0.value) }
    if wanted == .route { course = TCXRoute() }
  }

  /// The activity starts with its first lap, if its first point fits that.
  private mutating func begin(at first: Int64, _ emit: (ActivityItem) -> Void) {
    guard assembler == nil else { return }
    let start = [lap?.start, id].compactMap(\.self).first { first - 86_400...first ~= $0 } ?? first
    var new = ActivityAssembler()
    new.begin(header, at: start, emit)
    assembler = new
  }

  private mutating func endPoint(_ emit: (ActivityItem) -> Void) {
    guard let point else { return }
    self.point = nil
    if point.hasImpossibleTime { problems.add(.impossibleTime) }
    if point.hasImpossiblePosition { problems.add(.impossiblePosition) }
    if course != nil {
      course?.add(point)
    } else if isInActivity {
      guard let time = point.time else { return problems.add(.noTime, count: point.hasImpossibleTime ? 0 : 1) }
      if !time.hasZone { problems.add(.noZone) }
      begin(at: time.seconds, emit)
      assembler?.add(point.values, at: time.seconds, emit)
    }
  }

  private mutating func endLap(_ ended: TCXLap, _ emit: (ActivityItem) -> Void) {
    lap = nil
    emitEndedLap(nextStart: ended.start, emit)
    // Without points, only the start of the lap is known.
    if assembler == nil, let start = ended.start ?? id {
      lap = ended
      begin(at: start, emit)
      lap = nil
    }
    guard let assembler else { return }
    endedLap = (ended, max(0, ended.start.map { assembler.t(of: $0) } ?? assembler.end))
  }

  /// A lap lasts until the next one begins, or as long as its points and its timer.
  private mutating func emitEndedLap(nextStart: Int64?, _ emit: (ActivityItem) -> Void) {
    guard let (ended, start) = endedLap, let assembler else { return }
    endedLap = nil
    guard lapCount < Self.mostLaps else { return }
    let timer = ended.values[.timerTime] ?? 0
    let next = nextStart.map { Double(assembler.t(of: $0) - start) }.flatMap { 0...604_800 ~= $0 ? $0 : nil }
    let elapsed = max(next ?? Double(max(0, assembler.end - start)), timer.rounded(.down))
    var summary = ActivitySummary(start: start, elapsed: elapsed)
    summary.values = ended.values
    if summary[.timerTime] == nil { summary[.timerTime] = elapsed }
    self.assembler?.append(
      .lap(ActivityLap(index: lapCount, trigger: nextStart == nil ? .end : ended.trigger, summary: summary)), emit)
    lapCount += 1
    for field in [SummaryField.timerTime, .distance, .energy] {
      if let value = summary[field] { totals[field] = (totals[field] ?? 0) + value }
    }
    for field in [SummaryField.maxSpeed, .maxHeartRate, .maxCadence, .maxPower] {
      if let value = summary[field] { totals[field] = max(totals[field] ?? 0, value) }
    }
    lastLapEnd = max(lastLapEnd, summary.end)
  }

  private mutating func endActivity(_ emit: (ActivityItem) -> Void) {
    emitEndedLap(nextStart: nil, emit)
    assembler?.finish(emit)
    if let assembler {
      problems.add(assembler.problems)
      isWorthKeeping = isWorthKeeping || assembler.hasPoints || lapCount > 0
      if creator != DeviceLabel() {
        emit(.device(ActivityDevice(t: 0, index: 0, kind: .recorder, label: creator)))
      }
      if lapCount > 0 { emit(.summary(summary(end: Double(assembler.end)))) }
    }
    assembler = nil
    isInActivity = false
    (id, notes, creator, lapCount, lastLapEnd) = (nil, nil, DeviceLabel(), 0, 0)
    totals = FieldValues()
    if wanted == .route { endCourse(emit) }
  }

  private func summary(end: Double) -> ActivitySummary {
    var summary = ActivitySummary(start: 0, elapsed: max(end, lastLapEnd))
    summary.values = totals
    summary.sport = header.sport
    if let notes { (summary.name, summary.note) = TCXCue.firstLine(notes) }
    return summary
  }
}

// MARK: Courses

extension TCXContent {
  private mutating func endCourse(_ emit: (ActivityItem) -> Void) {
    guard let ended = course else { return }
    course = nil
    hasCourse = hasCourse || !ended.isEmpty
    guard wanted != .activity, !ended.isEmpty else { return }
    problems.add(ended.problems)
    isWorthKeeping = true
    // The one before.
    while emitSome(emit) {}
    endedCourse = (ended, RouteEmission(ended.header, ended.draft))
  }

  /// Emits some of the last course that ended. Returns whether there is more.
  mutating func emitSome(_ emit: (ActivityItem) -> Void) -> Bool {
    guard let course = endedCourse?.course else { return false }
    if endedCourse?.emission.emitPoints(emit) == true { return true }
    endedCourse = nil
    course.emitCues(emit)
    return false
  }
}
