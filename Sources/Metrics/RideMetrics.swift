// The derived numbers of a ride. Samples and time go in; samples and events of the sensor `ride`
// come out, in a batch like that of a plugin. It depends on neither a clock nor the daemon, so the
// same code runs live, on captures and in tests. This type only decides which sensor is believed,
// and hands the samples to the parts that compute.

public import SensorKit
public import Time
public import Vocabulary

public struct RideMetrics: ~Copyable {
  /// A sensor, as its index in the ride's table of sensors.
  public typealias Source = Int

  private(set) var sensors = RideSensors()
  private(set) var ride: CurrentRide
  private var bikes = BikeNumbers()
  private var pedals = PedalNumbers()
  private var receiver = RideReceiver()
  private var speeds = SourceChooser(timeout: timeout)
  private var cadences = SourceChooser(timeout: timeout)
  private var powers = SourceChooser(timeout: timeout)
  private(set) var heartRates = SourceChooser(timeout: 6)
  private var lastPublished: MonotonicTime?
  private var lastReceived: MonotonicTime?

  /// Seconds that a bike sensor may be silent and still count as live.
  private static let timeout = 4.0

  /// `lastMoved`: when the saved ride last moved, on this clock.
  public init(
    _ settings: RideSettings = RideSettings(), rider: Rider = Rider(), saved: SavedRide = SavedRide(),
    lastMoved: MonotonicTime? = nil, nextID: String? = nil
  ) {
    ride = CurrentRide(settings, rider: rider, saved: saved, lastMoved: lastMoved, nextID: nextID)
  }

  public var saved: SavedRide { ride.saved }
  public var finishedLaps: [FinishedLap] { ride.laps.finished }

  /// When the bike last moved or the rider began the ride; nil before that.
  public var lastMoved: MonotonicTime? { ride.edges.lastMoved }

  /// When the ride began, if its date is not known yet.
  public var undated: MonotonicTime? { ride.edges.undated }

  /// Whether the id of the next ride has to be provided.
  public var needsID: Bool { ride.edges.needsID }

  public var isMoving: Bool { ride.isMoving }

  /// Whether a ride is under way, even while it rests in a café.
  public func isRiding(at time: MonotonicTime) -> Bool { ride.isRiding(at: time) }

  public mutating func provide(id: String) { ride.provide(id: id) }

  public mutating func date(_ started: String) { ride.date(started) }

  /// Corrects when the saved ride last moved.
  public mutating func resumes(lastMoved: MonotonicTime) { ride.resumes(lastMoved: lastMoved) }

  public mutating func apply(_ settings: RideSettings) { ride.apply(settings) }
  public mutating func apply(_ rider: Rider) { ride.apply(rider) }
}

// MARK: Sensors and bikes

extension RideMetrics {
  /// Registers a sensor, or updates it if the id is known. Returns the index for its samples. The
  /// index of a sensor that left is reused.
  public mutating func register(_ sensor: RideSensor) -> Source {
    let (source, isNew) = sensors.register(sensor)
    if isNew { bikes.shareOut(sensors.ids) }
    pedals.register(sensor, as: source)
    pairPedals()
    eachChooser { $0.enter(source, priority: sensor.priority) }
    return source
  }

  /// The sensor was forgotten.
  public mutating func leave(_ source: Source) {
    eachChooser { $0.leave(source) }
    sensors.forget(source)
    ride.forget(source)
    receiver.forget(source)
    bikes.lost(source)
    pedals.forget(source)
    pairPedals()
  }

  /// The session reported that the sensor is silent or gone.
  public mutating func lost(_ source: Source, at time: MonotonicTime, into out: inout Batch) {
    if sensors.lose(source, into: &out) { ride.loseCars() }
    ride.interrupt(source)
    bikes.lost(source)
    eachChooser { $0.lost(source, at: time) }
    if let left = pedals.lose(source) { powers.lost(left, at: time) }
  }

  public mutating func update(signal: Double?, of source: Source) {
    eachChooser { $0.note(signal: signal, of: source) }
  }

  /// Replaces the list of bikes. The current bike stays current, even under a new name.
  public mutating func apply(
    _ bikes: [Bike], renamed: (from: String, to: String)? = nil, at time: MonotonicTime
  ) {
    self.bikes.apply(
      bikes, renamed: renamed, sensors: sensors.ids, at: time, forgottenAfter: ride.settings.rideGapS)
    pairPedals()
  }

  /// The index of the current bike in the list last applied; nil if unknown.
  public mutating func currentBike(at time: MonotonicTime) -> Int? {
    bikes.current(at: time, forgottenAfter: ride.settings.rideGapS)
  }

  /// When the current bike becomes unknown, if its sensors stay silent.
  public var bikeDeadline: MonotonicTime? { bikes.forgetting(after: ride.settings.rideGapS) }

  private mutating func pairPedals() { pedals.pair(sensors.ids.map { bikes.owners(of: $0) }) }

  private mutating func eachChooser(_ body: (inout SourceChooser) -> Void) {
    body(&speeds)
    body(&cadences)
    body(&powers)
    body(&heartRates)
  }
}

// MARK: Samples

extension RideMetrics {
  /// Handles one entry of a plugin's batch.
  public mutating func add(
    _ entry: Batch.Entry, of batch: borrowing Batch, from source: Source, at time: MonotonicTime, into out: inout Batch
  ) {
    guard case .sample(let kind) = entry.kind, sensors.contains(source) else { return }
    lastReceived = time
    bikes.take(kind, from: source, at: time, forgottenAfter: ride.settings.rideGapS, into: &out)
    switch kind {
    case .speed:
      let speed = batch.number(.speedMps, of: entry)
      let turns = batch.number(.wheelRevs, of: entry)
      if let turns { addWheel(turns, speed, source, time) }
      let distance = batch.number(.distanceDeltaM, of: entry)
      addSpeed(SpeedReading(speed: speed, distance: distance, isWheel: turns != nil), source, time, &out)
    case .cadence:
      // Only foot pods and treadmills count steps.
      if batch.number(.cadencePerMin, of: entry) != nil {
        ride.note(batch.flag(.isRunning, of: entry) == false ? .walking : .running, of: source)
      }
      addCadence(batch.number(.cadenceRpm, of: entry), source, time, &out)
    case .power: addPower(batch.power(entry), source, time, &out)
    case .heartRate: addHeartRate(entry, of: batch, source, time, &out)
    case SampleKind("environment"):
      ride.take(
        pressurePa: batch.number(Field("pressure_pa"), of: entry),
        barometricM: batch.number(Field("elevation_m"), of: entry), at: time)
    case SampleKind("rowing"): ride.note(.rowing, of: source)
    default:
      if kind == .radar { addCars(entry, of: batch, at: time) }
      sensors.watch(kind, entry, of: batch, from: source, at: time, into: &out)
    }
  }

  private mutating func addWheel(_ turns: Double, _ speed: Double?, _ source: Source, _ time: MonotonicTime) {
    guard let rate = sensors.take(revolutions: turns, speed, from: source, at: time) else { return }
    // A wheel of unknown size proves movement but gives no distance, and only matters while there is
    // no speed. A default circumference decides whether the bike is pushed or ridden.
    let speed = rate * Plausible.usualCircumference
    guard speed >= ride.settings.autoPauseSpeedMps, Plausible.speed.contains(speed), !speeds.isLive(at: time) else {
      return
    }
    ride.addPedalling(at: time)
  }

  private mutating func addSpeed(
    _ reading: SpeedReading, _ source: Source, _ time: MonotonicTime, _ out: inout Batch
  ) {
    guard reading.isPlausible else { return }
    if let speed = reading.speed, isStuck(source, turningAt: speed, at: time, &out) { return }
    let isBelieved = speeds.record(source, at: time)
    let growth = ride.measure(reading, from: source, isBelieved: isBelieved, at: time)
    guard isBelieved else { return }
    if growth.late > 0 { ride.take(late: growth, reading.speed, evidence(at: time), at: time) }
    ride.take(reading, grown: growth.recent, at: time)
    guard let speed = reading.speed, speeds.tells(speed, of: source, at: time) else { return }
    write(.speed, .speedMps, speed, source, &out)
    if ride.isMoving { out.set(Field("pace_s_per_km"), Pace.secondsPerKilometre(at: speed)) }
  }

  private mutating func addCadence(_ cadence: Double?, _ source: Source, _ time: MonotonicTime, _ out: inout Batch) {
    guard let cadence, Plausible.cadence.contains(cadence), cadences.record(source, at: time) else { return }
    if cadence > 0 { addPedalling(at: time) }
    ride.take(cadence: cadence, at: time)
    if cadences.tells(cadence, of: source, at: time) { write(.cadence, .cadenceRpm, cadence, source, &out) }
  }

  private mutating func addPower(
    _ reading: PowerReading?, _ source: Source, _ time: MonotonicTime, _ out: inout Batch
  ) {
    guard let reading, Plausible.power.contains(reading.watts) else { return }
    if reading.watts > 0, pedals.isPaired(source) { addPedalling(at: time) }
    switch pedals.add(reading, from: source, at: time) {
    case .known(let sum): believePower(sum, source, time, &out)
    case .unknown: powers.lost(source, at: time)
    case .later: break
    }
  }

  private mutating func believePower(
    _ reading: PowerReading, _ source: Source, _ time: MonotonicTime, _ out: inout Batch
  ) {
    guard Plausible.power.contains(reading.watts), powers.record(source, at: time) else { return }
    if reading.watts > 0 { addPedalling(at: time) }
    ride.take(reading, bpm: bpm(at: time), at: time)
    guard powers.tells(reading.watts, of: source, at: time) else { return }
    write(.power, .powerW, reading.watts, source, &out)
    guard let balance = reading.balance else { return }
    out.set(.pedalBalancePct, balance)
    if let reference = reading.reference { out.set(.pedalBalanceReference, reference) }
  }

  private mutating func addHeartRate(
    _ entry: Batch.Entry, of batch: borrowing Batch, _ source: Source, _ time: MonotonicTime, _ out: inout Batch
  ) {
    let bpm = batch.number(.bpm, of: entry)
    // A strap that has no rate yet may still report beats.
    if let bpm, !HeartRate.plausible.contains(bpm) { return }
    guard heartRates.record(source, at: time) else { return }
    ride.takeBeats(entry, of: batch, from: source, at: time)
    guard let bpm else { return }
    ride.take(bpm: bpm, at: time)
    if heartRates.tells(bpm, of: source, at: time) { write(.heartRate, .bpm, bpm, source, &out) }
  }

  private mutating func addCars(_ entry: Batch.Entry, of batch: borrowing Batch, at time: MonotonicTime) {
    if let cars = batch.cars(of: entry) {
      for car in cars { ride.see(batch.car(car), at: time) }
    }
    ride.settleCars(at: time)
  }

  /// Pedalling only proves movement while there is no speed.
  private mutating func addPedalling(at time: MonotonicTime) {
    receiver.addPedalling(at: time)
    if !speeds.isLive(at: time) { ride.addPedalling(at: time) }
  }

  private func write(_ kind: SampleKind, _ field: Field, _ value: Double, _ source: Source, _ out: inout Batch) {
    out.sample(kind)
    out.set(field, value)
    sensors.name(source, as: Field("source"), in: &out)
  }
}

// MARK: The receiver

extension RideMetrics {
  public mutating func add(_ fix: Fix, into out: inout Batch) {
    let source = receiver.source ?? registerReceiver()
    receiver.add(fix)
    ride.take(fix)
    out.position(fix)
    sensors.take(fix, into: &out)
    // With bad reception, a bike in a garage seems to move.
    guard fix.mode > .none, fix.quality > .bad, let speed = fix.speedMps else { return }
    let distance = ride.way.isReturn(at: fix.time) ? 0.0 : nil
    addSpeed(SpeedReading(speed: speed, distance: distance), source, fix.time, &out)
    joinGap(before: fix, &out)
    watchStuckWheel(fix, &out)
  }

  private mutating func registerReceiver() -> Source {
    let source = register(RideReceiver.sensor)
    receiver.register(as: source)
    return source
  }

  private mutating func joinGap(before fix: Fix, _ out: inout Batch) {
    let isBelieved = speeds.live(at: fix.time) == receiver.source
    guard let gap = ride.gap(before: fix, isBelieved: isBelieved),
      ride.join(gap, fix.speedMps, evidence(at: fix.time), at: fix.time)
    else { return }
    out.event("gps_gap_joined")
    out.set(.distanceM, (gap.way * 10).rounded() / 10)
    out.set(Field("gap_s"), (gap.seconds * 10).rounded() / 10)
  }

  private mutating func watchStuckWheel(_ fix: Fix, _ out: inout Batch) {
    guard let silence = receiver.findStuckWheel(fix, movingTime: ride.clock.movingTime),
      let wheel = receiver.stuckWheel
    else { return }
    // The receiver takes over as the source of speed.
    speeds.lost(wheel, at: fix.time)
    let isJoined = ride.join(silence, fix.speedMps, evidence(at: fix.time), at: fix.time)
    out.event("wheel_stuck")
    sensors.name(wheel, as: Field("sensor"), in: &out)
    if isJoined { out.set(.distanceM, (silence.way * 10).rounded() / 10) }
  }

  /// Whether to ignore this wheel sensor.
  private mutating func isStuck(
    _ source: Source, turningAt speed: Double, at time: MonotonicTime, _ out: inout Batch
  ) -> Bool {
    guard source != receiver.source else { return false }
    let isBelieved = speeds.live(at: time) == source
    if receiver.isFreed(source, turningAt: speed, isBelieved: isBelieved, at: time) {
      out.event("wheel_turns_again")
      sensors.name(source, as: Field("sensor"), in: &out)
    }
    return receiver.stuckWheel == source
  }

  /// Whether the receiver should report often. It should while a wheel is being measured. It should
  /// also while there is no other speed, unless the bike has stood for minutes.
  public func wantsManyFixes(at time: MonotonicTime) -> Bool {
    sensors.wantsFixes(at: time)
      || receiver.isNeeded(beside: speeds.live(at: time), lastMoved: lastMoved, at: time)
  }

  /// The circumference for the plugin of a wheel sensor from the next packet on; it may change with
  /// every fix.
  public func circumferenceM(of source: Source) -> Double? { sensors.circumferenceM(of: source) }

  /// The measured circumference and its confidence; nil before the first measurement.
  public func measuredWheel(of source: Source) -> (circumferenceM: Double, confidence: Double)? {
    sensors.measurement(of: source).map { ($0.circumferenceM, $0.confidence) }
  }

  /// The state to continue measuring from; nil before the first measurement.
  public func savedWheel(of source: Source) -> WheelSize.Saved? { sensors.savedWheel(of: source) }
}

// MARK: Time

extension RideMetrics {
  /// What may have changed with a sample.
  public struct Outlook: Sendable {
    public let isRiding: Bool
    public let nextDeadline: MonotonicTime?
  }

  public func outlook(at time: MonotonicTime) -> Outlook {
    Outlook(isRiding: isRiding(at: time), nextDeadline: nextDeadline)
  }

  /// When the next radar counts as lost.
  public var nextDeadline: MonotonicTime? { sensors.nextDeadline }

  /// No source is live and everything derived has been published, so ticking can stop.
  public var isQuiet: Bool {
    guard let lastPublished else { return true }
    return !isMoving && nextDeadline == nil && !speeds.hasLive && !cadences.hasLive && !powers.hasLive
      && !heartRates.hasLive
      && lastReceived.map { lastPublished.seconds(since: $0) > Double(SecondGrid.length) } ?? true
  }

  /// Publishes the ride and its averages. Call once a second while any source is live.
  public mutating func tick(at time: MonotonicTime, into out: inout Batch) {
    lastPublished = time
    eachChooser { $0.advance(to: time) }
    sensors.advanceWatches(to: time, into: &out)
    ride.writeBody(at: time, isLive: heartRates.isLive(at: time), into: &out)
    ride.writeGrade(at: time, into: &out)
    sensors.writeWheels(into: &out)
    bikes.write(at: time, forgottenAfter: ride.settings.rideGapS, into: &out)
    guard isRiding(at: time) else { return }
    ride.advance(to: time, evidence(at: time))
    writeEnd(into: &out)
    ride.writeTraining(into: &out)
  }

  /// Writes the final numbers of a ride that the rider has ended.
  public mutating func writeEnd(into out: inout Batch) {
    ride.writeRide(into: &out)
    ride.writeAverages(into: &out)
  }

  private func evidence(at time: MonotonicTime) -> RideEvidence {
    RideEvidence(
      hasSpeed: speeds.isLive(at: time), hasCadence: cadences.isLive(at: time), hasPower: powers.isLive(at: time),
      hasBlindWheel: sensors.hasBlindWheel(at: time, within: Self.timeout), bpm: bpm(at: time))
  }

  private func bpm(at time: MonotonicTime) -> Double? { heartRates.isLive(at: time) ? heartRates.toldValue : nil }
}

// MARK: Commands

extension RideMetrics {
  /// A ride begun by hand, because a strap alone cannot show movement.
  public mutating func beginRide(at time: MonotonicTime, sport named: Sport? = nil) {
    ride.beginByHand(named, at: time)
  }

  /// Ends the ride: nothing counts until another one begins. Returns false if there is no ride.
  public mutating func endRide(at time: MonotonicTime) -> Bool { ride.end(evidence(at: time), at: time) }

  /// Returns false if there is no ride.
  @discardableResult
  public mutating func beginLap(at time: MonotonicTime) -> Bool { ride.beginLap(evidence(at: time), at: time) }

  /// Returns false if it is already paused.
  @discardableResult
  public mutating func pause(at time: MonotonicTime) -> Bool { ride.pause(evidence(at: time), at: time) }

  /// Returns false if it is not paused.
  @discardableResult
  public mutating func resume(at time: MonotonicTime) -> Bool { ride.resume(evidence(at: time), at: time) }
}
