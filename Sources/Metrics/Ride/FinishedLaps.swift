// The finished laps of the ride, each with its `lap_averages` at the end.

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

struct FinishedLaps: Sendable {
  /// The oldest first.
  private(set) var all: [FinishedLap]

  /// The first laps are dropped when there are more, so that a reply stays a line of moderate
  /// length.
  static let capacity = 50

  init(_ saved: [FinishedLap] = []) {
    all = saved.suffix(Self.capacity)
  }

  mutating func add(_ lap: FinishedLap) {
    if all.count == Self.capacity { all.removeFirst() }
    all.append(lap)
  }
}

extension RideMetrics {
  public var finishedLaps: [FinishedLap] { laps.all }

  /// The current lap as if it ended now.
  var finishedLap: FinishedLap {
    var lap = FinishedLap(number: lapNumber)
    let start = lapStart
    lap.lapTimeS = start.map { max(0, clock.rideTime - $0.rideTime) }
    (lap.movingTimeS, lap.distanceM) = (totals.movingTime.lap, totals.distance.lap)
    if let start, road.elevation.isKnown { lap.ascentM = max(0, road.elevation.ascentM - start.ascentM) }
    lap.speedAvgMps = totals.meanSpeed(.lap)
    lap.powerAvgW = totals.powerNumbers.ridden.average(.lap)
    lap.normalizedPowerW = totals.powerNumbers.ridden.normalized(.lap)
    (lap.bpmAvg, lap.bpmMax) = (totals.heartRate.mean(.lap), totals.heartRate.maximum(.lap))
    lap.cadenceAvgRpm = totals.cadence.mean(.lap)
    return lap
  }
}
