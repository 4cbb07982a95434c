// The derived numbers of a ride. Samples and time go in; samples and events of the sensor `ride`
// come out, in a batch like that of a plugin. It depends on neither a clock nor the daemon, so the
// same code runs live, on captures and in tests.

public import SensorKit
public import Time
public import Vocabulary

public struct RideMetrics: ~Copyable {
  public typealias Source = Int

  var sensors: [[UInt8]] = []
  var watches: [SensorWatch] = []
  /// Of sensors that count revolutions.
  var wheels: [WheelNumbers] = []
  var body: BodyNumbers
  var training: TrainingNumbers
  var road = RoadNumbers()
  var bikes = BikeNumbers()
  var settings: Settings
  /// Seconds that a bike sensor may be silent and still count as live.
  private static let timeout = 4.0
  /// Seconds since the last known speed after which its sensor counts as gone, so that pedals alone
  /// decide about coasting.
  private static let wheelMemory = 300.0
  var speeds = SourceChooser(timeout: timeout)
  var cadences = SourceChooser(timeout: timeout)
  var powers = SourceChooser(timeout: timeout)
  var pedals = PedalNumbers()
  var heartRates = SourceChooser(timeout: 6)
  var odometer = Odometer()
  var clock: RideClock
  /// Metres that may be the start of riding, or just a bike that is being pushed.
  var unsureWay = 0.0
  var totals: RideTotals
  /// Metres ridden past the lap's mark when the lap began. This keeps laps by distance from growing
  /// by the distance between two checks.
  private var lapLead: Double
  public private(set) var lapNumber: Int
  private(set) var laps: FinishedLaps
  /// When the bike last moved or the rider began the ride; nil before that.
  public internal(set) var lastMoved: MonotonicTime?
  var edges: RideEdges
  var sport: RideSport
  /// When the rider paused the ride.
  private var pausedAt: MonotonicTime?
  /// The id of the next ride that begins.
  private var nextID: String?
  private var lastPublished: MonotonicTime?
  private var lastReceived: MonotonicTime?

  /// The kinds that the ride publishes, without events.
  public static let kinds: [SampleKind] = [
    .speed, .cadence, .power, .heartRate, SampleKind("ride"), SampleKind("averages"), SampleKind("lap_averages"),
    SampleKind("zones"), SampleKind("power_zones"), SampleKind("training"), SampleKind("hrv"), SampleKind("position"),
    SampleKind("grade"), SampleKind("wheel"), .bike,
  ]

  /// Milliseconds after which a derived sample is no longer current. Samples of other kinds hold
  /// until the next one.
  public static let staleLimits: [(SampleKind, Int)] = [
    (.speed, 3000), (.cadence, 3000), (.power, 3000), (.heartRate, 5000), (SampleKind("ride"), 5000),
    (SampleKind("averages"), 5000), (SampleKind("lap_averages"), 5000), (SampleKind("zones"), 5000),
    (SampleKind("power_zones"), 5000), (SampleKind("training"), 5000), (SampleKind("hrv"), 10_000),
    (SampleKind("position"), 5000), (SampleKind("grade"), 5000),
  ]

  /// Those of them that name their source.
  public static let kindsOfOneSource: [SampleKind] = [.speed, .cadence, .power, .heartRate, SampleKind("wheel")]

  /// `lastMoved`: when the saved ride last moved, on this clock.
  public init(
    _ settings: Settings = Settings(), rider: Rider = Rider(), saved: SavedRide = SavedRide(),
    lastMoved: MonotonicTime? = nil, nextID: String? = nil
  ) {
    self.settings = settings
    self.lastMoved = lastMoved
    self.nextID = saved.identity == nil && lastMoved != nil ? nil : nextID
    // A ride saved by an earlier release gets an id now; when it began is unknown.
    let unnamed = lastMoved == nil ? nil : nextID.map { RideIdentity(id: $0, started: nil) }
    edges = RideEdges(saved.identity ?? unnamed, isClosed: saved.isClosed)
    sport = RideSport(named: saved.sport, seconds: saved.sportSeconds)
    clock = RideClock(Self.clockSettings(settings), saved: saved.clock)
    totals = RideTotals(ride: saved.totals, lap: saved.lapTotals, efforts: saved.efforts)
    (lapNumber, lapLead) = (saved.lap, saved.lapLead)
    laps = FinishedLaps(saved.finishedLaps)
    body = BodyNumbers(rider, saved: saved)
    training = TrainingNumbers(rider, saved: saved.training)
    road.elevation = Elevation(saved: Elevation.Saved(ascentM: saved.ascentM, descentM: saved.descentM))
  }

  public var saved: SavedRide {
    var saved = SavedRide()
    (saved.identity, saved.isClosed) = (edges.identity, edges.isClosed)
    (saved.sport, saved.sportSeconds) = (sport.named, sport.seconds)
    saved.clock = clock.saved
    (saved.lap, saved.lapLead) = (lapNumber, lapLead)
    saved.finishedLaps = laps.all
    saved.totals = totals.saved(.ride)
    saved.lapTotals = totals.saved(.lap)
    saved.kilocalories = body.kilocalories
    saved.zoneFloorsBpm = body.zones?.saved.floorsBpm ?? []
    saved.zoneSeconds = body.zones?.saved.seconds ?? []
    saved.efforts = totals.powerNumbers.ridden.saved
    saved.training = training.saved
    (saved.ascentM, saved.descentM) = (road.elevation.ascentM, road.elevation.descentM)
    return saved
  }

  /// When the ride began, if its date is not known yet.
  public var undated: MonotonicTime? { edges.identity.flatMap { $0.started == nil ? edges.begun : nil } }

  /// Whether the id of the next ride has to be provided.
  public var needsID: Bool { nextID == nil }

  public mutating func provide(id: String) { nextID = id }

  public mutating func date(_ started: String) { edges.date(started) }

  /// Corrects when the saved ride last moved.
  public mutating func resumes(lastMoved: MonotonicTime) { self.lastMoved = lastMoved }

  public mutating func apply(_ settings: Settings) {
    self.settings = settings
    clock.settings = Self.clockSettings(settings)
  }

  public mutating func apply(_ rider: Rider) {
    body.change(rider)
    training.change(rider)
  }

  private static func clockSettings(_ settings: Settings) -> RideClock.Settings {
    var clock = RideClock.Settings()
    clock.isAutomatic = settings.autoPause
    (clock.pauseSpeed, clock.pauseDelay) = (settings.autoPauseSpeedMps, settings.autoPauseDelayS)
    return clock
  }
}

// MARK: Samples

extension RideMetrics {
  /// Handles one entry of a plugin's batch.
  public mutating func take(
    _ entry: Batch.Entry, of batch: borrowing Batch, from source: Source, at time: MonotonicTime, into out: inout Batch
  ) {
    guard case .sample(let kind) = entry.kind, sensors.indices.contains(source) else { return }
    lastReceived = time
    bikes.take(kind, from: source, at: time, forgottenAfter: settings.rideGapS, into: &out)
    switch kind {
    case .speed:
      let speed = batch.number(.speedMps, of: entry)
      let turns = batch.number(.wheelRevs, of: entry)
      if let turns { takeWheel(turns, speed, source, time) }
      takeSpeed(speed, batch.number(.distanceDeltaM, of: entry), isWheel: turns != nil, source, time, &out)
    case .cadence:
      // Only foot pods and treadmills count steps.
      if batch.number(.cadencePerMin, of: entry) != nil {
        sport.note(batch.flag(.isRunning, of: entry) == false ? .walking : .running, of: source)
      }
      takeCadence(batch.number(.cadenceRpm, of: entry), source, time, &out)
    case .power:
      takePower(batch.power(entry), source, time, &out)
    case .heartRate: takeHeartRate(entry, of: batch, source, time, &out)
    case SampleKind("environment"):
      takeEnvironment(
        batch.number(Field("pressure_pa"), of: entry), batch.number(Field("elevation_m"), of: entry), at: time)
    default: watch(kind, entry, of: batch, source, time, &out)
    }
  }

  public var isMoving: Bool { clock.phase == .moving }

  /// Whether a ride is under way, even while it rests in a café.
  public func isRiding(at time: MonotonicTime) -> Bool {
    guard !edges.isClosed, let lastMoved else { return false }
    return time.seconds(since: lastMoved) <= settings.rideGapS
  }

  private mutating func takeCadence(_ cadence: Double?, _ source: Source, _ time: MonotonicTime, _ out: inout Batch) {
    guard let cadence, Plausible.cadence.contains(cadence), cadences.record(source, at: time) else { return }
    if cadence > 0 { notePedalling(at: time) }
    training.coasting.note(cadence: cadence)
    // The mean covers pedalling only, because coasting is not slow pedalling.
    totals.cadence.add(cadence, at: time, counts: isMoving && cadence > 0)
    if cadences.tells(cadence, of: source, at: time) { say(.cadence, .cadenceRpm, cadence, source, &out) }
  }

  private mutating func takeHeartRate(
    _ entry: Batch.Entry, of batch: borrowing Batch, _ source: Source, _ time: MonotonicTime, _ out: inout Batch
  ) {
    let bpm = batch.number(.bpm, of: entry)
    // A strap that has no rate yet may still report beats.
    if let bpm, !HeartRate.plausible.contains(bpm) { return }
    guard heartRates.record(source, at: time) else { return }
    body.takeBeats(entry, of: batch, from: source, at: time)
    guard let bpm else { return }
    if clock.isBegunByHand {
      clock.addHeartRate()
      if isMoving { lastMoved = time }
    }
    totals.heartRate.add(bpm, at: time, counts: isMoving)
    training.add(bpm: bpm, at: time, counts: isMoving)
    body.take(bpm: bpm, at: time, isMoving: isMoving)
    if heartRates.tells(bpm, of: source, at: time) { say(.heartRate, .bpm, bpm, source, &out) }
  }

  /// The first movement after a long break begins a new ride. So does the first movement after a
  /// standstill if the last ride was closed.
  mutating func noteMovement(at time: MonotonicTime) {
    if edges.isClosed {
      guard edges.opens(movingAt: time) else { return }
      startRide(at: time)
    } else if lastMoved == nil {
      beginEdges(at: time)
    }
    if let lastMoved, time.seconds(since: lastMoved) > settings.rideGapS {
      // A pause ends with its ride.
      clock.resume()
      startRide(at: time)
    }
    lastMoved = time
  }

  /// Pedalling only proves movement while there is no speed.
  mutating func notePedalling(at time: MonotonicTime) {
    road.pedalled = time
    guard !speeds.isLive(at: time) else { return }
    noteMovement(at: time)
    clock.addPedalling(at: time)
  }

  func say(_ kind: SampleKind, _ field: Field, _ value: Double, _ source: Source, _ out: inout Batch) {
    out.sample(kind)
    out.set(field, value)
    name(source, as: Field("source"), in: &out)
  }
}

extension RideMetrics {
  /// What may have changed with a sample.
  public struct Outlook: Sendable {
    public let isRiding: Bool
    public let nextDeadline: MonotonicTime?
  }

  /// Mutating although it changes nothing: a reading call from another module copies all of this, 170 kB for each sample.
  public mutating func outlook(at time: MonotonicTime) -> Outlook {
    Outlook(isRiding: isRiding(at: time), nextDeadline: nextDeadline)
  }
}

// MARK: Time

extension RideMetrics {
  /// No source is live and everything derived has been published, so ticking can stop.
  public var isQuiet: Bool {
    guard let lastPublished else { return true }
    return clock.phase != .moving && nextDeadline == nil && !speeds.hasLive && !cadences.hasLive && !powers.hasLive
      && !heartRates.hasLive
      && lastReceived.map { lastPublished.seconds(since: $0) > Double(SecondGrid.length) } ?? true
  }

  /// Publishes the ride and its averages. Call once a second while any source is live.
  public mutating func tick(at time: MonotonicTime, into out: inout Batch) {
    lastPublished = time
    eachChooser { $0.advance(to: time) }
    advanceWatches(to: time, &out)
    body.write(at: time, isRiding: isRiding(at: time), isLive: heartRates.live(at: time) != nil, into: &out)
    writeGrade(at: time, into: &out)
    for wheel in wheels.indices { wheels[wheel].write(sensors[wheel], into: &out) }
    bikes.write(at: time, forgottenAfter: settings.rideGapS, into: &out)
    guard isRiding(at: time) else { return }
    countTime(to: time)
    endLapByDistance(at: time)
    writeRide(into: &out)
    writeAverages(into: &out)
    writeTraining(at: time, into: &out)
  }
}

// MARK: Commands

extension RideMetrics {
  /// A ride begun by hand, because a strap alone cannot show movement.
  public mutating func beginRide(at time: MonotonicTime, sport named: Sport? = nil) {
    startRide(at: time)
    sport.beginRide(named: named)
    clock.beginByHand()
  }

  /// Ends the ride: nothing counts until another one begins. Returns false if there is no ride.
  public mutating func endRide(at time: MonotonicTime) -> Bool {
    guard isRiding(at: time) else { return false }
    countTime(to: time)
    totals.powerNumbers.settle(riding(at: time), into: &training)
    edges.close(isMoving: clock.phase == .moving, at: time)
    return true
  }

  private mutating func beginEdges(at time: MonotonicTime) {
    edges.begin(nextID.map { RideIdentity(id: $0, started: nil) }, at: time)
    nextID = nil
  }

  private mutating func startRide(at time: MonotonicTime) {
    lastMoved = time
    beginEdges(at: time)
    sport.beginRide()
    let isPaused = clock.phase == .paused
    clock = RideClock(Self.clockSettings(settings))
    if isPaused { clock.pause() }
    totals = RideTotals()
    (lapNumber, lapLead) = (1, 0)
    laps = FinishedLaps()
    unsureWay = 0
    odometer.interrupt(at: time)
    body.beginRide()
    training.beginRide()
    road.beginRide()
  }

  /// Returns false if there is no ride.
  @discardableResult
  public mutating func beginLap(at time: MonotonicTime) -> Bool {
    guard isRiding(at: time) else { return false }
    countTime(to: time)
    beginLap(after: 0, at: time)
    return true
  }

  /// Returns false if it is already paused.
  @discardableResult
  public mutating func pause(at time: MonotonicTime) -> Bool {
    guard clock.phase != .paused else { return false }
    countTime(to: time)
    totals.powerNumbers.settle(riding(at: time), into: &training)
    odometer.interrupt(at: time)
    clock.pause()
    pausedAt = time
    road.interrupt(at: time)
    return true
  }

  /// Returns false if it is not paused.
  @discardableResult
  public mutating func resume(at time: MonotonicTime) -> Bool {
    guard clock.phase == .paused else { return false }
    countTime(to: time)
    odometer.interrupt(at: time)
    clock.resume()
    road.interrupt(at: time)
    return true
  }

  /// Counts the time up to now with the current state. Commands call this first, because they split
  /// the time.
  mutating func countTime(to time: MonotonicTime) {
    guard isRiding(at: time) else { return }
    let movingTime = clock.movingTime
    let (hasCadence, hasPower) = (cadences.isLive(at: time), powers.isLive(at: time))
    // A wheel of unknown size still shows when it stands.
    let hasBlindWheel = wheels.contains { $0.blindAt.map { time.seconds(since: $0) <= Self.timeout } ?? false }
    // So does a wheel that stops sending when it stands.
    let hasSilentWheel = odometer.coveredUntil.map { time.seconds - $0 <= Self.wheelMemory } ?? false
    let onlyPedals = (hasCadence || hasPower) && !hasBlindWheel && !hasSilentWheel
    let pedals = totals.distance.ride > 0 ? RideClock.Knowledge.pedals : .onlyPedals
    if hasBlindWheel { clock.endByHand() }
    clock.advance(to: time, speeds.isLive(at: time) ? .speed : onlyPedals ? pedals : .none)
    let moved = clock.movingTime - movingTime
    totals.movingTime.add(moved)
    sport.add(moving: moved)
    passTraining(moved: moved, to: time, hasCadence: hasCadence, hasPower: hasPower)
  }

  /// When the current pause began: by hand, or at the last movement.
  var pausedSince: MonotonicTime? {
    switch clock.phase {
    case .moving: nil
    case .waiting: clock.movedAt
    case .paused: pausedAt
    }
  }

  private mutating func endLapByDistance(at time: MonotonicTime) {
    guard let length = settings.lapDistanceM, length > 0 else { return }
    let way = totals.distance.lap + lapLead
    if way >= length { beginLap(after: way.truncatingRemainder(dividingBy: length), at: time) }
  }

  private mutating func beginLap(after lead: Double, at time: MonotonicTime) {
    totals.powerNumbers.settle(riding(at: time), into: &training)
    laps.add(finishedLap)
    beginLapOfTraining(at: time)
    totals.beginLap()
    lapLead = lead
    lapNumber += 1
  }
}
