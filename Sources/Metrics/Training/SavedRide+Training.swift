// The part of the training numbers that survives a restart.

extension SavedRide {
  public struct PowerZones: Equatable, Sendable {
    /// Saved with the times, which are only valid for the same zones.
    public var thresholdW: Double
    /// One entry per zone.
    public var seconds: [Double]

    public init(thresholdW: Double, seconds: [Double]) {
      (self.thresholdW, self.seconds) = (thresholdW, seconds)
    }
  }

  public struct Coasting: Equatable, Sendable {
    public var ride: Double
    public var lap: Double

    public init(ride: Double, lap: Double) {
      (self.ride, self.lap) = (ride, lap)
    }
  }

  /// Sums of a piece of the ride for its efficiency factor.
  public struct Piece: Equatable, Sendable {
    public var seconds = 0.0
    /// The sum of the fourth powers of 30-second means.
    public var fourths = 0.0
    public var windows = 0.0
    /// The sum of the heart rates of the seconds that have one.
    public var beats = 0.0
    public var beatSeconds = 0.0

    public init() {}
  }

  public struct Pieces: Equatable, Sendable {
    /// Seconds of a complete piece.
    public var length: Double
    public var complete: [Piece]
    public var current: Piece

    public init(length: Double = 60, complete: [Piece] = [], current: Piece = Piece()) {
      (self.length, self.complete, self.current) = (length, complete, current)
    }
  }

  /// The totals of the ride when the lap began.
  public struct LapStart: Equatable, Sendable {
    public var rideTime: Double
    public var ascentM: Double
    public var descentM: Double

    public init(rideTime: Double = 0, ascentM: Double = 0, descentM: Double = 0) {
      (self.rideTime, self.ascentM, self.descentM) = (rideTime, ascentM, descentM)
    }
  }

  public struct Training: Equatable, Sendable {
    public var powerZones: PowerZones?
    public var wPrimeSpentJ: Double?
    public var heartRateLoad: Double?
    public var carsPassed: Int?
    public var coasting: Coasting?
    public var pieces = Pieces()
    public var lapStart: LapStart?

    public init() {}
  }
}
