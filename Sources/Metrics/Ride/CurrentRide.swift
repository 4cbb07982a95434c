// The ride under way: when it begins, pauses and ends, and what it counts. `RideMetrics` decides
// which sensors to believe; here their values become distance, times, averages and laps.

import SensorKit
import Time
import Vocabulary

/// What the live sensors show at one moment.
struct RideEvidence: Sendable {
  let hasSpeed: Bool
  let hasCadence: Bool
  let hasPower: Bool
  /// A wheel of unknown size is sending.
  let hasBlindWheel: Bool
  /// From the chosen strap.
  let bpm: Double?
}

struct CurrentRide: ~Copyable {
  private(set) var settings: RideSettings
  private(set) var edges: RideEdges
  private(set) var sport: RideSport
  private(set) var clock: RideClock
  private(set) var way = RideWay()
  private(set) var totals: RunningTotals
  private(set) var power: PowerNumbers
  private(set) var laps: RideLaps
  private(set) var body: BodyNumbers
  private(set) var training: TrainingNumbers
  private(set) var elevation: Elevation

  /// As in a batch: otherwise the compiler would copy all of this, 7 kB, to read one member.
  private let byAddress: any Sendable = ()

  /// Seconds since the last known speed after which its sensor counts as gone, so that pedals alone
  /// decide about coasting.
  private static let wheelMemory = 300.0

  /// `lastMoved`: when the saved ride last moved, on this clock.
  init(_ settings: RideSettings, rider: Rider, saved: SavedRide, lastMoved: MonotonicTime?, nextID: String?) {
    self.settings = settings
    edges = RideEdges(saved.identity, isClosed: saved.isClosed, lastMoved: lastMoved, nextID: nextID)
    sport = RideSport(named: saved.sport, seconds: saved.sportSeconds)
    clock = RideClock(RideClock.Settings(settings), saved: saved.clock)
    totals = RunningTotals(ride: saved.totals, lap: saved.lapTotals)
    power = PowerNumbers(
      RideAndLap(ride: saved.totals.powerNumbers, lap: saved.lapTotals.powerNumbers), saved: saved.efforts)
    laps = RideLaps(saved)
    body = BodyNumbers(rider, saved: saved)
    training = TrainingNumbers(rider, saved: saved.training)
    elevation = Elevation(saved: Elevation.Saved(ascentM: saved.ascentM, descentM: saved.descentM))
  }

  var saved: SavedRide {
    var saved = SavedRide()
    (saved.identity, saved.isClosed) = (edges.identity, edges.isClosed)
    (saved.sport, saved.sportSeconds) = (sport.named, sport.seconds)
    saved.clock = clock.saved
    (saved.totals, saved.lapTotals) = (totals.saved(.ride), totals.saved(.lap))
    saved.totals.powerNumbers = power.ridden.sums(.ride)
    saved.lapTotals.powerNumbers = power.ridden.sums(.lap)
    saved.efforts = power.ridden.saved
    saved.kilocalories = body.kilocalories
    saved.zoneFloorsBpm = body.zones?.saved.floorsBpm ?? []
    saved.zoneSeconds = body.zones?.saved.seconds ?? []
    saved.training = training.saved
    laps.save(in: &saved)
    (saved.ascentM, saved.descentM) = (elevation.ascentM, elevation.descentM)
    return saved
  }

  mutating func apply(_ settings: RideSettings) {
    self.settings = settings
    clock.apply(RideClock.Settings(settings))
  }

  mutating func apply(_ rider: Rider) {
    body.change(rider)
    training.change(rider)
  }

  mutating func provide(id: String) { edges.provide(id: id) }
  mutating func date(_ started: String) { edges.date(started) }
  mutating func resumes(lastMoved: MonotonicTime) { edges.moved(at: lastMoved) }

  var isMoving: Bool { clock.phase == .moving }

  /// Whether a ride is under way, even while it rests in a café.
  func isRiding(at time: MonotonicTime) -> Bool { edges.isRiding(at: time, longestBreak: settings.rideGapS) }

  // MARK: Movement

  /// The first movement after a long break begins a new ride. So does the first movement after a
  /// standstill if the last ride was closed.
  private mutating func move(at time: MonotonicTime) {
    switch edges.move(at: time, longestBreak: settings.rideGapS) {
    case .goesOn: break
    case .begins: begin(at: time)
    case .beginsAfterBreak:
      // A pause ends with its ride.
      clock.resume()
      begin(at: time)
    }
  }

  /// Pedals turn, or a wheel of unknown size. This only proves movement while there is no speed.
  mutating func addPedalling(at time: MonotonicTime) {
    move(at: time)
    clock.addPedalling(at: time)
  }

  /// All counts begin again; `edges` has begun already.
  private mutating func begin(at time: MonotonicTime) {
    sport.beginRide()
    clock.beginRide()
    way.beginRide(at: time)
    (totals, power, laps) = (RunningTotals(), PowerNumbers(), RideLaps())
    body.beginRide()
    training.beginRide()
    elevation.beginRide()
  }

  // MARK: Speed and distance

  /// The distance of a packet, from any source. Call `take` afterwards if the source is believed.
  mutating func measure(
    _ reading: SpeedReading, from source: RideMetrics.Source, isBelieved: Bool, at time: MonotonicTime
  ) -> Odometer.Growth {
    let growth = way.add(reading, from: source, isBelieved: isBelieved, movingTime: clock.movingTime, at: time)
    if isBelieved {
      sport.use(source)
      if let speed = reading.speed, speed < settings.autoPauseSpeedMps { edges.stand() }
    }
    return growth
  }

  mutating func take(_ reading: SpeedReading, grown: Double, at time: MonotonicTime) {
    if let speed = reading.speed {
      if reading.hasMoved, speed >= settings.autoPauseSpeedMps { move(at: time) }
      clock.add(speed: speed, hasMoved: reading.hasMoved, at: time)
    }
    if let metres = way.settle(grown, reading, clock.phase) { roll(metres, at: time) }
    if let speed = reading.speed { totals.add(speed: speed, at: time, counts: isMoving) }
  }

  /// Counts the distance of a wheel that was out of reach and turned all the same. The moving time
  /// is estimated with the mean speed of the ride, because it is unknown how long the bike stood.
  mutating func take(late growth: Odometer.Growth, _ speed: Double?, _ evidence: RideEvidence, at time: MonotonicTime) {
    guard canCountLate(at: time) else { return }
    let usual = totals.meanSpeed(.ride) ?? speed ?? 0
    edges.moved(at: time)
    countTime(to: time, evidence)
    if usual > 0 {
      let took = min(growth.silence.way / usual, growth.silence.seconds)
      let counted = max(0, clock.movingTime - growth.silence.movingTime)
      totals.add(movingTime: clock.credit(moving: took - counted))
    }
    elevation.credit(wayM: growth.late)
    roll(growth.late, at: time)
  }

  /// Adds a distance that no source counted at the time. Returns false if it is not part of the
  /// ride.
  mutating func join(
    _ silence: Odometer.Silence, _ speed: Double?, _ evidence: RideEvidence, at time: MonotonicTime
  ) -> Bool {
    guard canCountLate(at: time) else { return false }
    way.join(silence.way)
    take(late: Odometer.Growth(late: silence.way, silence: silence), speed, evidence, at: time)
    return true
  }

  /// After a longer gap it was another ride.
  private func canCountLate(at time: MonotonicTime) -> Bool { clock.phase != .paused && isRiding(at: time) }

  private mutating func roll(_ metres: Double, at time: MonotonicTime) {
    totals.add(distance: metres)
    elevation.ride(isMoving, at: time)
    elevation.add(distanceM: totals.distance.ride, at: time)
  }

  // MARK: Place and height

  mutating func take(_ fix: Fix) {
    elevation.ride(isMoving, at: fix.time)
    elevation.add(fix)
  }

  /// Handles a fix that is not bad. Returns the gap in reception that it ends.
  mutating func gap(before fix: Fix, isBelieved: Bool) -> Odometer.Silence? {
    way.gap(before: fix, movingTime: clock.movingTime, usual: totals.meanSpeed(.ride), isBelieved: isBelieved)
  }

  mutating func take(pressurePa: Double?, barometricM: Double?, at time: MonotonicTime) {
    elevation.ride(isMoving, at: time)
    if let barometricM { return elevation.add(barometricM: barometricM, at: time) }
    if let pressurePa { elevation.add(pressurePa: pressurePa, at: time) }
  }

  // MARK: The rider's values

  mutating func take(cadence: Double, at time: MonotonicTime) {
    training.note(cadence: cadence)
    // The mean covers pedalling only, because coasting is not slow pedalling.
    totals.add(cadence: cadence, at: time, counts: isMoving && cadence > 0)
  }

  mutating func take(_ reading: PowerReading, bpm: Double?, at time: MonotonicTime) {
    // Negative power is what a fixed gear returns to the legs, and is not work.
    let watts = max(0, reading.watts)
    body.take(powerW: watts, at: time, isMoving: isMoving)
    totals.add(power: watts, at: time, counts: isMoving)
    training.note(watts: watts)
    power.add(watts, at: time, riding(bpm), into: &training)
    // There is no balance while coasting.
    if let balance = reading.balance, watts > 0 { totals.add(balance: balance, at: time, counts: isMoving) }
  }

  mutating func takeBeats(
    _ entry: Batch.Entry, of batch: borrowing Batch, from source: RideMetrics.Source, at time: MonotonicTime
  ) {
    body.takeBeats(entry, of: batch, from: source, at: time)
  }

  mutating func take(bpm: Double, at time: MonotonicTime) {
    if clock.isBegunByHand {
      clock.addHeartRate()
      if isMoving { edges.moved(at: time) }
    }
    totals.add(bpm: bpm, at: time, counts: isMoving)
    training.add(bpm: bpm, at: time, counts: isMoving)
    body.take(bpm: bpm, at: time, isMoving: isMoving)
  }

  // MARK: Sensors

  /// A sample shows what the sensor is made for.
  mutating func note(_ sport: Sport, of source: RideMetrics.Source) { self.sport.note(sport, of: source) }

  /// The link was lost.
  mutating func interrupt(_ source: RideMetrics.Source) { body.interrupt(source) }

  mutating func forget(_ source: RideMetrics.Source) {
    sport.forget(source)
    way.forget(source)
    body.forget(source)
  }

  mutating func see(_ car: SeenCar, at time: MonotonicTime) {
    guard let id = car.target.id, let distance = car.target.distance, distance.isFinite else { return }
    training.see(car: id, distance: distance, speed: car.speed, at: time, counts: isMoving)
  }

  /// Call after the last car of a packet.
  mutating func settleCars(at time: MonotonicTime) { training.settleCars(at: time, counts: isMoving) }
  mutating func loseCars() { training.loseCars() }

  // MARK: Commands. Each counts the time up to now first, because it splits the time

  /// Begins a ride by hand, because a strap alone cannot show movement.
  mutating func beginByHand(_ named: Sport?, at time: MonotonicTime) {
    edges.begin(at: time)
    begin(at: time)
    sport.beginRide(named: named)
    clock.beginByHand()
  }

  /// Returns false if there is no ride.
  mutating func end(_ evidence: RideEvidence, at time: MonotonicTime) -> Bool {
    guard isRiding(at: time) else { return false }
    countTime(to: time, evidence)
    power.settle(riding(evidence.bpm), into: &training)
    edges.close(isMoving: isMoving, at: time)
    return true
  }

  /// Returns false if there is no ride.
  mutating func beginLap(_ evidence: RideEvidence, at time: MonotonicTime) -> Bool {
    guard isRiding(at: time) else { return false }
    countTime(to: time, evidence)
    beginLap(after: 0, bpm: evidence.bpm)
    return true
  }

  /// Returns false if it is already paused.
  mutating func pause(_ evidence: RideEvidence, at time: MonotonicTime) -> Bool {
    guard clock.phase != .paused else { return false }
    countTime(to: time, evidence)
    power.settle(riding(evidence.bpm), into: &training)
    clock.pause(at: time)
    interrupt(at: time)
    return true
  }

  /// Returns false if it is not paused.
  mutating func resume(_ evidence: RideEvidence, at time: MonotonicTime) -> Bool {
    guard clock.phase == .paused else { return false }
    countTime(to: time, evidence)
    clock.resume()
    interrupt(at: time)
    return true
  }

  private mutating func interrupt(at time: MonotonicTime) {
    way.interrupt(at: time)
    elevation.interrupt(at: time)
  }

  // MARK: Time

  /// Call once a second during a ride.
  mutating func advance(to time: MonotonicTime, _ evidence: RideEvidence) {
    countTime(to: time, evidence)
    if let length = settings.lapDistanceM, length > 0,
      let excess = laps.excess(at: totals.distance.lap, length: length)
    {
      beginLap(after: excess, bpm: evidence.bpm)
    }
    training.climb(to: isMoving && elevation.isKnown ? elevation.ascentM : nil)
  }

  private mutating func countTime(to time: MonotonicTime, _ evidence: RideEvidence) {
    guard isRiding(at: time) else { return }
    let movingTime = clock.movingTime
    // A wheel of unknown size still shows when it stands.
    if evidence.hasBlindWheel { clock.endByHand() }
    clock.advance(to: time, knowledge(evidence, at: time))
    let moved = clock.movingTime - movingTime
    totals.add(movingTime: moved)
    sport.add(moving: moved)
    training.coast(
      moved: moved, to: time, hasCadence: evidence.hasCadence, hasPower: evidence.hasPower, isMoving: isMoving,
      movedAt: clock.movedAt)
    power.advance(to: time, riding(evidence.bpm), into: &training)
  }

  private func knowledge(_ evidence: RideEvidence, at time: MonotonicTime) -> RideClock.Knowledge {
    if evidence.hasSpeed { return .speed }
    // A wheel that stops sending when it stands shows that, too.
    let hasSilentWheel = way.coveredUntil.map { time.seconds - $0 <= Self.wheelMemory } ?? false
    guard evidence.hasCadence || evidence.hasPower, !evidence.hasBlindWheel, !hasSilentWheel else { return .none }
    return totals.distance.ride > 0 ? .pedals : .onlyPedals
  }

  private func riding(_ bpm: Double?) -> PowerNumbers.Riding {
    PowerNumbers.Riding(isMoving: isMoving, since: clock.movingSince, movedAt: clock.movedAt, bpm: bpm)
  }

  private mutating func beginLap(after lead: Double, bpm: Double?) {
    power.settle(riding(bpm), into: &training)
    let start = SavedRide.LapStart(
      rideTime: clock.rideTime, ascentM: elevation.ascentM, descentM: elevation.descentM)
    laps.finish(finishedLap, next: start, lead: lead)
    power.beginLap(riding(bpm), into: &training)
    training.beginLap()
    totals.beginLap()
  }

  // MARK: Writing

  /// The numbers of the body, which are also known without a ride. `isLive`: a strap sends.
  mutating func writeBody(at time: MonotonicTime, isLive: Bool, into out: inout Batch) {
    body.write(at: time, isRiding: isRiding(at: time), isLive: isLive, into: &out)
  }

  mutating func writeAverages(into out: inout Batch) {
    out.sample(SampleKind("averages"))
    totals.write(.ride, power.ridden, into: &out)
    out.set(Field("power_3s_w"), power.mean(ofLast: 3))
    out.set(Field("power_10s_w"), power.mean(ofLast: 10))
    out.set(Field("power_30s_w"), power.mean(ofLast: 30))
    out.set(Field("power_60s_w"), power.mean(ofLast: 60))
    out.sample(SampleKind("lap_averages"))
    totals.write(.lap, power.ridden, into: &out)
    writeLap(into: &out)
  }
}
