// Reads the JSON that workout apps export: a list of data points, by itself or within an object that
// describes the workout. Names of members differ, so common spellings are known. Without times,
// points are placed a second apart.

public struct JSONWorkoutReader: ActivityReader {
  /// An open object or array.
  private struct Frame {
    let isObject: Bool
    /// The name of the member that it is.
    let key: String
    var nextKey = ""
    /// What was found in it, if it is an object.
    var found = WorkoutPoint()
    /// Whether it contains a list of points.
    var hasPoints = false
  }

  private var scanner = JSONScanner()
  private var frames: [Frame] = []
  private var assembler: ActivityAssembler?
  private var description = WorkoutPoint()
  private var usesDates: Bool?
  private var isUntimed = false
  private var pointCount: Int64 = 0
  private var hasActivity = false
  private var hasFeed = false
  private var problems = ReadProblems()

  public init() {}

  public mutating func feed(_ bytes: Span<UInt8>, item: (ActivityItem) -> Void) throws(ActivityFileError) {
    var bytes = bytes
    if !hasFeed, bytes.count >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf {
      bytes = bytes.extracting(droppingFirst: 3)
    }
    if bytes.count > 0 { hasFeed = true }
    var scanner = scanner
    scanner.feed(bytes) { add($0, item) }
    self.scanner = scanner
  }

  public mutating func finish(item: (ActivityItem) -> Void) throws(ActivityFileError) {
    var scanner = scanner
    scanner.finish { add($0, item) }
    self.scanner = scanner
    endActivity(item)
    guard hasActivity else {
      throw ActivityFileError(scanner.problem ?? "this JSON file has no data points with a position or a heart rate")
    }
    if let problem = scanner.problem { problems.add(.broken(problem)) }
    problems.add(.cutText, count: scanner.cutTexts)
    for warning in problems.sentences { item(.warning(warning)) }
  }
}

// MARK: Structure

extension JSONWorkoutReader {
  private mutating func add(_ part: JSONScanner.Part, _ emit: (ActivityItem) -> Void) {
    let last = frames.count - 1
    switch part {
    case .object, .array:
      let key = last >= 0 ? (frames[last].isObject ? frames[last].nextKey : frames[last].key) : ""
      frames.append(Frame(isObject: part == .object, key: key))
    case .end: endFrame(emit)
    case .key(let key): if last >= 0 { frames[last].nextKey = key }
    case .text(let text): if last >= 0, frames[last].isObject { frames[last].found.set(key(in: last), text) }
    case .number(let number): if last >= 0, frames[last].isObject { frames[last].found.set(key(in: last), number) }
    case .other: break
    }
  }

  /// A member "value" has the meaning of its object: {"heart_rate": {"value": 120}}.
  private func key(in index: Int) -> String {
    frames[index].nextKey == "value" ? frames[index].key : frames[index].nextKey
  }

  private mutating func endFrame(_ emit: (ActivityItem) -> Void) {
    guard let ended = frames.popLast() else { return }
    let parent = frames.count - 1
    if ended.hasPoints {
      if parent >= 0 { frames[parent].hasPoints = true }
      guard ended.isObject else { return }
      // What comes after the points describes them, too.
      description.addDescription(ended.found)
      if parent < 0 || !frames[parent].isObject { endActivity(emit) }
    } else if ended.isObject {
      if parent >= 0, frames[parent].isObject {
        frames[parent].found.add(ended.found)
      } else if ended.found.isPoint || ended.found.hasImpossiblePosition {
        if parent >= 0 { frames[parent].hasPoints = true }
        addPoint(ended.found, emit)
      }
    }
  }
}

// MARK: Points

extension JSONWorkoutReader {
  private mutating func addPoint(_ point: WorkoutPoint, _ emit: (ActivityItem) -> Void) {
    if point.hasImpossiblePosition { problems.add(.impossiblePosition) }
    if point.hasImpossibleTime { problems.add(.impossibleTime) }
    if assembler == nil { begin(with: point, emit) }
    guard let seconds = seconds(of: point) else { return }
    if assembler?.start == nil {
      let header = header()
      let hasDate = usesDates == true || description.start != nil
      assembler?.begin(header, at: seconds, hasDate: hasDate, emit)
    }
    assembler?.add(point.complete, at: seconds, emit)
  }

  private mutating func begin(with point: WorkoutPoint, _ emit: (ActivityItem) -> Void) {
    assembler = ActivityAssembler()
    description = WorkoutPoint()
    for frame in frames.reversed() { description.addDescription(frame.found) }
    (usesDates, isUntimed, pointCount) = (nil, false, 0)
  }

  private func header() -> ActivityHeader {
    var header = ActivityHeader()
    header.sport = description.sport
    header.name = description.name
    header.note = description.note
    return header
  }

  /// Since 1970, or since the start if that is unknown. The first point decides which times count.
  private mutating func seconds(of point: WorkoutPoint) -> Int64? {
    let isFirst = usesDates == nil && !isUntimed
    switch point.time {
    case .date(let seconds):
      if isFirst { usesDates = true }
      if usesDates == true { return seconds }
    case .elapsed(let seconds):
      if isFirst { usesDates = false }
      if usesDates == false { return (description.start ?? 0) + seconds }
    case nil:
      if isFirst, !point.hasImpossibleTime {
        isUntimed = true
        problems.add(.timesAssumed)
      }
      if isUntimed {
        pointCount += 1
        return (description.start ?? 0) + pointCount - 1
      }
    }
    if !point.hasImpossibleTime { problems.add(.noTime) }
    return nil
  }

  private mutating func endActivity(_ emit: (ActivityItem) -> Void) {
    guard var ended = assembler else { return }
    assembler = nil
    guard ended.start != nil else { return }
    ended.finish(emit)
    problems.add(ended.problems)
    hasActivity = hasActivity || ended.hasPoints
    var summary = ended.summary
    summary.sport = description.sport
    summary.name = description.name
    summary.note = description.note
    emit(.summary(summary))
  }
}
