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
  public private(set) var climbing = ClimbRate()
  public private(set) var coasting: CoastingTime
  public private(set) var cars: PassedCars

  public init(_ rider: Rider, saved: SavedRide.Training = SavedRide.Training()) {
    self.rider = rider
    zones = PowerZoneTimes(rider, saved: saved.powerZones)
    balance = WPrimeBalance(rider, spentJ: saved.wPrimeSpentJ)
    load = HeartRateLoad(rider, saved: saved.heartRateLoad)
    halves = Decoupling(saved: saved.pieces)
    coasting = CoastingTime(saved: saved.coasting.map { RideAndLap(ride: $0.ride, lap: $0.lap) })
    cars = PassedCars(saved: saved.carsPassed)
  }

  /// Without `lapStart`.
  public var saved: SavedRide.Training {
    var saved = SavedRide.Training()
    saved.powerZones = zones?.saved
    (saved.wPrimeSpentJ, saved.heartRateLoad, saved.carsPassed) = (balance.spentJ, load.load, cars.count)
    saved.coasting = coasting.saved.map { SavedRide.Coasting(ride: $0.ride, lap: $0.lap) }
    saved.pieces = halves.saved
    return saved
  }

  public mutating func beginRide() {
    self = TrainingNumbers(rider)
  }

  public mutating func beginLap() { coasting.beginLap() }

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

  /// Call once a second. `ascentM`: nil if it is unknown or the bike stands.
  public mutating func climb(to ascentM: Double?) { climbing.pass(ascentM) }

  public mutating func note(cadence: Double) { coasting.note(cadence: cadence) }
  public mutating func note(watts: Double) { coasting.note(watts: watts) }

  /// `moved`: the growth of the moving time.
  public mutating func coast(
    moved seconds: Double, to time: MonotonicTime, hasCadence: Bool, hasPower: Bool, isMoving: Bool,
    movedAt: MonotonicTime?
  ) {
    coasting.pass(
      moved: seconds, to: time, hasCadence: hasCadence, hasPower: hasPower, isMoving: isMoving, movedAt: movedAt)
  }

  /// Handles one target of a radar's packet; call `settleCars` after the last one.
  public mutating func see(car id: Int, distance: Double, speed: Double?, at time: MonotonicTime, counts: Bool) {
    cars.see(id, distance: distance, speed: speed, at: time, counts: counts)
  }

  public mutating func settleCars(at time: MonotonicTime, counts: Bool) { cars.settle(at: time, counts: counts) }

  /// A lost radar does not show which cars passed.
  public mutating func loseCars() { cars.lose() }
}
