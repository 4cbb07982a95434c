// The part of a ride that survives a restart or a power failure, as plain numbers.

public import Vocabulary

public struct SavedRide: Equatable, Sendable {
  public struct Clock: Equatable, Sendable {
    public var rideTime = 0.0
    public var movingTime = 0.0
    public var isPausedByHand = false
    /// Begun by a command, and no sensor that shows movement has sent anything since.
    public var isBegunByHand = false

    public init() {}
  }

  /// Of one value: the sum of value times seconds, the seconds, and the maximum.
  public struct Statistic: Equatable, Sendable {
    public var sum = 0.0
    public var seconds = 0.0
    public var maximum: Double?

    public init() {}
  }

  public struct Power: Equatable, Sendable {
    /// The sum of the fourth powers of 30-second means.
    public var fourths = 0.0
    public var fourthSeconds = 0.0
    public var workJ = 0.0
    public var seconds = 0.0

    public init() {}
  }

  /// Totals of the ride; its lap has another set.
  public struct Totals: Equatable, Sendable {
    public var distance = 0.0
    public var movingTime = 0.0
    public var speed = Statistic()
    public var cadence = Statistic()
    public var power = Statistic()
    public var heartRate = Statistic()
    public var balance = Statistic()
    public var powerNumbers = Power()

    public init() {}
  }

  /// The best efforts, and the last ridden seconds that they and normalized power continue from.
  public struct Efforts: Equatable, Sendable {
    /// Tenths of a watt.
    public var recentTenths: [UInt16] = []
    public var best5s: Double?
    public var best1min: Double?
    public var best5min: Double?
    public var best20min: Double?

    public init() {}
  }

  public var identity: RideIdentity?
  /// The rider closed the ride.
  public var isClosed = false
  /// The sport named by the rider.
  public var sport: Sport?
  /// Moving time in each sport, in the order of `Sport.allCases`.
  public var sportSeconds: [Double] = []
  public var clock = Clock()
  public var lap = 1
  /// Metres already ridden past the lap's mark when the lap began.
  public var lapLead = 0.0
  /// The oldest first.
  public var finishedLaps: [FinishedLap] = []
  public var totals = Totals()
  public var lapTotals = Totals()
  public var kilocalories: Double?
  /// The floors of the zones, and the seconds below the first and in each.
  public var zoneFloorsBpm: [Double] = []
  public var zoneSeconds: [Double] = []
  public var efforts = Efforts()
  public var training = Training()
  public var ascentM = 0.0
  public var descentM = 0.0

  public init() {}
}
