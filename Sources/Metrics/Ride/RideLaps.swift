// The laps of the ride: the finished ones, each with its `lap_averages` at the end, and how the
// current one began.

/// Unknown numbers are nil.
public struct FinishedLap: Equatable, Sendable {
  public let number: Int
  public var lapTimeS: Double?
  public var movingTimeS = 0.0
  public var distanceM = 0.0
  public var ascentM: Double?
  public var speedAvgMps: Double?
  public var powerAvgW: Double?
  public var normalizedPowerW: Double?
  public var bpmAvg: Double?
  public var bpmMax: Double?
  public var cadenceAvgRpm: Double?

  public init(number: Int) { self.number = number }
}

struct RideLaps: Sendable {
  /// Of the current lap.
  private(set) var number = 1
  /// The oldest first.
  private(set) var finished: [FinishedLap] = []
  private var begun: SavedRide.LapStart?
  /// Metres ridden past the lap's mark when the lap began. This keeps laps by distance from growing
  /// by the distance between two checks.
  private var lead = 0.0

  /// The first laps are dropped when there are more, so that a reply stays a line of moderate
  /// length.
  static let capacity = 50

  init() {}

  init(_ saved: SavedRide) {
    (number, lead, begun) = (saved.lap, saved.lapLead, saved.training.lapStart)
    finished = saved.finishedLaps.suffix(Self.capacity)
  }

  func save(in saved: inout SavedRide) {
    (saved.lap, saved.lapLead, saved.training.lapStart) = (number, lead, begun)
    saved.finishedLaps = finished
  }

  /// The totals when the lap began; nil if an earlier release did not save them.
  var start: SavedRide.LapStart? { begun ?? (number == 1 ? SavedRide.LapStart() : nil) }

  /// Whether a lap of this length ends here. Returns the metres ridden past its mark.
  func excess(at way: Double, length: Double) -> Double? {
    let way = way + lead
    return way >= length ? way.truncatingRemainder(dividingBy: length) : nil
  }

  /// The current lap ends, and the next one begins with these totals.
  mutating func finish(_ lap: FinishedLap, next start: SavedRide.LapStart, lead: Double) {
    if finished.count == Self.capacity { finished.removeFirst() }
    finished.append(lap)
    (begun, self.lead) = (start, lead)
    number += 1
  }
}
