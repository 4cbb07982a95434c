// What an activity consists of, without its values: it says what a format would leave out.

public struct ActivityContents: Equatable, Sendable {
  /// A bit for each PointField.
  private var fields: UInt64 = 0
  private(set) var hasPoints = false
  private(set) var hasPositions = false
  private(set) var hasPointsWithoutPosition = false
  private(set) var hasBeats = false
  private(set) var hasRadar = false
  private(set) var hasDevices = false
  private(set) var hasZones = false
  private(set) var hasRider = false
  private(set) var hasSummary = false
  private(set) var hasOtherEvents = false
  private(set) var isRoute = false
  /// Longer texts of a route and of its cues.
  private(set) var hasRouteNotes = false
  /// Cues that are something else in TCX.
  private(set) var hasFineCues = false
  private var lapCount = 0
  private var stopCount = 0

  public init() {}

  var hasLaps: Bool { lapCount > 1 }
  /// The last stop is the end.
  var hasPauses: Bool { stopCount > 1 }

  func has(_ field: PointField) -> Bool { fields & 1 << UInt64(field.rawValue) != 0 }

  public mutating func add(_ item: ActivityItem) {
    switch item {
    case .header(let header):
      hasRider = hasRider || header.rider != nil
      isRoute = isRoute || header.content == .route
      hasRouteNotes = hasRouteNotes || header.content == .route && header.note != nil
    case .device: hasDevices = true
    case .point(let point): add(point)
    case .lap: lapCount += 1
    case .event(let event):
      switch event.kind {
      case .start: break
      case .stop: stopCount += 1
      case .other: hasOtherEvents = true
      }
    case .zones: hasZones = true
    case .summary: hasSummary = true
    case .cue(let cue):
      hasRouteNotes = hasRouteNotes || cue.note != nil
      hasFineCues = hasFineCues || TCXNames.cue(named: TCXNames.cue(cue.kind)) != cue.kind
    case .routePoint, .warning, .omission: break
    }
  }

  private mutating func add(_ point: ActivityPoint) {
    hasPoints = true
    if point.position != nil { hasPositions = true } else { hasPointsWithoutPosition = true }
    hasBeats = hasBeats || !point.beatIntervals.isEmpty
    hasRadar = hasRadar || point.radar != nil
    for field in PointField.allCases where point[field] != nil { fields |= 1 << UInt64(field.rawValue) }
  }
}
