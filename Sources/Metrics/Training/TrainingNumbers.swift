// Numbers for riders who follow a training plan, fed with each second of power, heart rates and
// cars. Each number has a type of its own; this one distributes the input. docs/metrics.md has the
// definitions.

public import Time

/// Computes zones, W' balance, load, decoupling, climbing, coasting and cars of one ride.
public struct TrainingNumbers: Sendable {
  public private(set) var rider: Rider
  public private(set) var zones: PowerZoneTimes?
  public private(set) var balance: WPrimeBalance
  public private(set) var load: HeartRateLoad
  public private(set) var halves: Decoupling
  public var climbing = ClimbRate()
  public var coasting: CoastingTime
  public var cars: PassedCars
  /// The totals when the lap began; nil if an earlier release did not save them.
  public private(set) var lapStart: SavedRide.LapStart?

  public init(_ rider: Rider, saved: SavedRide.Training = SavedRide.Training()) {
    self.rider = rider
    zones = PowerZoneTimes(rider, saved: saved.powerZones)
    balance = WPrimeBalance(rider, spentJ: saved.wPrimeSpentJ)
    load = HeartRateLoad(rider, saved: saved.heartRateLoad)
    halves = Decoupling(saved: saved.pieces)
    coasting = CoastingTime(saved: saved.coasting.map { RideAndLap(ride: $0.ride, lap: $0.lap) })
    cars = PassedCars(saved: saved.carsPassed)
    lapStart = saved.lapStart
  }

  public var saved: SavedRide.Training {
    var saved = SavedRide.Training()
    saved.powerZones = zones?.saved
    (saved.wPrimeSpentJ, saved.heartRateLoad, saved.carsPassed) = (balance.spentJ, load.load, cars.count)
    saved.coasting = coasting.saved.map { SavedRide.Coasting(ride: $0.ride, lap: $0.lap) }
    saved.pieces = halves.saved
    saved.lapStart = lapStart
    return saved
  }

  public mutating func beginRide() {
    self = TrainingNumbers(rider)
  }

  public mutating func beginLap(_ start: SavedRide.LapStart) {
    coasting.beginLap()
    lapStart = start
  }

  /// The numbers so far stay, but times in zones start again if the zones changed.
  public mutating func change(_ rider: Rider) {
    self.rider = rider
    balance.change(rider)
    load.change(rider)
    if rider.thresholdPowerW != zones?.thresholdW { zones = PowerZoneTimes(rider) }
  }

  /// Adds a ridden second with known power.
  public mutating func add(ridden watts: Double, window: Double?, bpm: Double?) {
    zones?.add(watts)
    halves.add(window: window, bpm: bpm)
  }

  /// Lets time pass, ridden or not.
  public mutating func pass(_ watts: Double?, seconds: Double, isResting: Bool) {
    balance.pass(watts, seconds: seconds, isResting: isResting)
  }

  public mutating func add(bpm: Double, at time: MonotonicTime, counts: Bool) {
    load.add(bpm: bpm, at: time, counts: counts)
  }
}
