// Feeds samples to Metrics, publishes the results as samples of sensor `ride` and as events, and
// saves the totals across restarts and power cuts. It ticks once a second while there is something
// to publish, and not at all otherwise.

package import EventLoop
import Linux
package import Metrics
import ProgramKit
package import SensorKit
package import Serving
package import Time
import Vocabulary
package import Wire

package final class RideKeeper {
  package typealias Source = RideMetrics.Source

  let loop: EventLoop
  private let publisher: Publisher
  private let store: RideStore
  package let wheels: WheelStore
  private var metrics: RideMetrics
  private var out = Batch()
  private var streams: [SampleStream] = []
  private var sources: [Registered] = []
  /// Called when the circumference that a sensor's plugin uses has changed, but not from within
  /// `enter`.
  package var wheelChanged: (String) -> Void = { _ in }
  /// Called at each tick.
  package var ticked: () -> Void = {}
  private var wheelsSaved: MonotonicTime
  private var nextTick: MonotonicTime?
  private var deadline: Deadline?
  private var lastSaved: MonotonicTime
  /// Whether the bike moved at the last tick.
  private var wasMoving = false
  private var savedRide = SavedRide()
  /// When the bike of the saved ride last moved; nil once it moves again.
  private var resumed: (moment: Clock.Moment, asComputed: MonotonicTime)?
  var calendar = { Clock.calendar }

  /// A power cut loses at most this much of a ride.
  private static let savingPause = Duration.seconds(30)
  private static let tick = Duration.seconds(1)
  /// Called when the current bike changes or becomes unknown, while a sample is being handled.
  package var bikeChanged: () -> Void = {}
  /// Whether a bike sample was published.
  private var isBikePublished = false

  /// A sensor that takes part in the ride.
  struct Registered {
    let id: String
    let source: Source
    /// The circumference that its plugin uses.
    var circumferenceM: Double?
  }

  package init(
    loop: EventLoop, publisher: Publisher, settings: RideSettings, rider: Rider, store: RideStore,
    wheels: WheelStore
  ) {
    self.loop = loop
    self.publisher = publisher
    self.store = store
    self.wheels = wheels
    wheelsSaved = loop.now
    let kept = store.load()
    resumed = kept.lastMoved.map { ($0, $0.asOfThisBoot(loop.now)) }
    metrics = RideMetrics(
      settings, rider: rider, saved: kept.ride, lastMoved: resumed?.asComputed, nextID: ProcessEnvironment.randomName())
    savedRide = kept.ride
    lastSaved = loop.now
  }

  package func apply(_ settings: RideSettings) {
    metrics.apply(settings)
    schedule()
  }

  package func apply(_ rider: Rider) { metrics.apply(rider) }

  /// `renamed`: a bike that only changed its name.
  package func apply(_ bikes: [Bike], renamed: (from: String, to: String)? = nil) {
    metrics.apply(bikes, renamed: renamed, at: loop.now)
    forgetUnknownBike()
    schedule()
  }

  /// The index of the current bike in the list that was applied last.
  package var currentBike: Int? { metrics.currentBike(at: loop.now) }

  /// Called when a sensor was paired or its settings have changed. Its wheel is the saved one.
  package func register(_ sensor: RideSensor) {
    var sensor = sensor
    sensor.wheel = wheels.size(of: sensor.id)
    let source = metrics.register(sensor)
    // A saved size that Metrics rejected belongs to another wheel.
    if sensor.wheel != nil, metrics.savedWheel(of: source) == nil { wheels.forget(sensor.id) }
    sources.removeAll { $0.id == sensor.id }
    sources.append(Registered(id: sensor.id, source: source, circumferenceM: metrics.circumferenceM(of: source)))
  }

  /// The source number of a sensor, used to pass its samples to Metrics.
  package func source(of id: String) -> Source? { registered(id)?.source }

  func registered(_ id: String) -> Registered? { sources.first { $0.id == id } }

  /// Called when a sensor was forgotten. Values derived from a single sensor are dropped from
  /// snapshots.
  package func leave(_ id: String) {
    guard let source = source(of: id) else { return }
    metrics.leave(source)
    sources.removeAll { $0.id == id }
    wheels.forget(id)
    for kind in RideKinds.ofOneSource { publisher.forget(SensorID.ride, kind) }
    derive { metrics.tick(at: $0, into: &out) }
    schedule()
  }

  package func update(signal: Double?, of source: Source) { metrics.update(signal: signal, of: source) }

  /// Called when the session stops streaming.
  package func lost(_ source: Source) {
    derive { metrics.lost(source, at: $0, into: &out) }
    schedule()
  }

  /// Handles a published sample.
  package func handle(_ entry: Batch.Entry, of batch: borrowing Batch, from source: Source, at time: MonotonicTime) {
    out.removeAll()
    updateResumeTime()
    metrics.add(entry, of: batch, from: source, at: time, into: &out)
    publish(at: time)
    startTicks(at: time)
  }

  /// Starts the ticks if there is a ride and they are not running.
  func startTicks(at time: MonotonicTime) {
    let outlook = metrics.outlook(at: time)
    if nextTick == nil, outlook.isRiding {
      nextTick = loop.now + Self.tick
      schedule()
    } else if let next = outlook.nextDeadline, deadline.map({ next < $0.time }) ?? true {
      schedule()
    }
  }

  /// Carries out a request of the rider. Returns false if it changed nothing.
  package func act(_ parameters: RideParameters) -> Bool {
    let time = loop.now
    updateResumeTime()
    let hasChanged: Bool
    switch parameters.action {
    case .new:
      metrics.beginRide(at: time, sport: parameters.sport)
      hasChanged = true
    case .end: return end(at: time)
    case .lap: hasChanged = metrics.beginLap(at: time)
    case .pause: hasChanged = metrics.pause(at: time)
    case .resume: hasChanged = metrics.resume(at: time)
    }
    guard hasChanged else { return false }
    save()
    derive { metrics.tick(at: $0, into: &out) }
    return true
  }

  /// The last sample of the ride marks its end, so that later subscribers find it in their
  /// snapshot.
  private func end(at time: MonotonicTime) -> Bool {
    guard metrics.endRide(at: time) else { return false }
    save()
    out.removeAll()
    metrics.writeEnd(into: &out)
    publish(at: time, ofEndedRide: true)
    return true
  }

  /// Empty unless a ride is in progress.
  var finishedLaps: [FinishedLap] {
    metrics.isRiding(at: loop.now) ? metrics.finishedLaps : []
  }

  /// Called when the daemon stops.
  package func stop() {
    deadline?.cancel()
    save()
    saveWheels(atOnce: true)
  }

  /// A ride that has just begun, or that began before the clock was set.
  private func dateRide() {
    if metrics.needsID { metrics.provide(id: ProcessEnvironment.randomName()) }
    guard let begun = metrics.undated, let started = Clock.wallTime(at: begun, now: loop.now) else {
      return
    }
    metrics.date(started.isoText)
  }

  private func derive(_ body: (MonotonicTime) -> Void) {
    let time = loop.now
    dateRide()
    out.removeAll()
    body(time)
    publish(at: time)
  }
}

// MARK: Fixes of the receiver, and wheels measured with them

extension RideKeeper {
  /// A fix as the receiver reported it.
  package func handle(_ fix: Fix) {
    out.removeAll()
    updateResumeTime()
    metrics.add(fix, into: &out)
    publish(at: fix.time)
    // A fix without a position does not start the ticks.
    if fix.mode > .none { startTicks(at: fix.time) }
    for place in sources.indices {
      let size = metrics.circumferenceM(of: sources[place].source)
      guard size != sources[place].circumferenceM else { continue }
      sources[place].circumferenceM = size
      wheelChanged(sources[place].id)
    }
  }

  package var wantsManyFixes: Bool { metrics.wantsManyFixes(at: loop.now) }

  /// The circumference that the sensor's plugin should use; nil if the ride knows none.
  package func usedMM(of id: String) -> Double? { registered(id)?.circumferenceM.map { $0 * 1000 } }

  /// The measured circumference of the sensor's wheel; nil if it was not measured.
  package func measuredMM(of id: String) -> Double? {
    registered(id).flatMap { metrics.measuredWheel(of: $0.source) }.map { $0.circumferenceM * 1000 }
  }
}

// MARK: Time

extension RideKeeper {
  private func schedule() {
    deadline?.cancel()
    let watched = [metrics.nextDeadline, metrics.bikeDeadline]
    guard let next = ([nextTick] + watched).compactMap({ $0 }).min() else { return deadline = nil }
    deadline = loop.schedule(at: next) { [weak self] in self?.pass() }
  }

  /// Updates how long the bike of the saved ride has stood, until it moves. Only the wall clock
  /// knows, and a computer without a real-time clock sets it while it runs.
  func updateResumeTime() {
    guard let moment = resumed?.moment else { return }
    guard metrics.lastMoved == resumed?.asComputed else { return resumed = nil }
    let moved = moment.asOfThisBoot(loop.now, calendar: calendar())
    guard moved < metrics.lastMoved ?? moved else { return }
    resumed?.asComputed = moved
    metrics.resumes(lastMoved: moved)
  }

  private func pass() {
    updateResumeTime()
    derive { metrics.tick(at: $0, into: &out) }
    forgetUnknownBike()
    let hasStopped = wasMoving && !metrics.isMoving
    wasMoving = metrics.isMoving
    if hasStopped || loop.now - lastSaved >= Self.savingPause { save() }
    if let planned = nextTick, planned <= loop.now {
      // Counted from the planned time: otherwise each second would grow by the delay of the loop.
      let goesOn = !metrics.isQuiet && metrics.isRiding(at: loop.now)
      nextTick = goesOn ? max(planned + Self.tick, loop.now) : nil
    }
    schedule()
    ticked()
  }

  private func save() {
    lastSaved = loop.now
    saveWheels()
    let ride = metrics.saved
    guard ride != savedRide else { return }
    updateResumeTime()
    let moved = resumed?.moment ?? metrics.lastMoved.map { Clock.Moment($0, now: loop.now) }
    if store.save(ride, lastMoved: moved) { savedRide = ride }
  }
}

extension RideKeeper {
  /// Wheel sizes change slowly, so a power cut loses at most this much of the measuring.
  private static let wheelPause = Duration.seconds(300)

  private func saveWheels(atOnce: Bool = false) {
    guard atOnce || loop.now - wheelsSaved >= Self.wheelPause else { return }
    wheelsSaved = loop.now
    wheels.save(
      sources.compactMap { sensor in
        metrics.savedWheel(of: sensor.source).map { WheelStore.Wheel(sensor: sensor.id, size: $0) }
      })
  }
}

// MARK: Publishing

extension RideKeeper {
  private static let position = SampleKind("position")

  func publish(at time: MonotonicTime, ofEndedRide isOfEnded: Bool = false) {
    let outlook = metrics.outlook(at: time)
    let isRiding = isOfEnded || outlook.isRiding
    for index in out.entryIndices {
      let entry = out.entry(index)
      switch entry.kind {
      // Without a ride, only the position and the current bike are published.
      case .sample(let kind) where !isRiding && kind != Self.position && kind != .bike: break
      case .sample(let kind):
        publisher.publish(entry, of: out, on: stream(kind), at: time)
        if kind == .bike { isBikePublished = true }
      case .event(let name):
        publisher.publish(
          event: name, entry, of: out, kind: RideKinds.kind(ofEvent: name), owner: SensorID.ride, at: time)
        if name == .bikeChanged { bikeChanged() }
      case .fact, .answer: break
      }
    }
  }

  /// Drops a bike that is no longer known from snapshots and from the sensors' settings.
  private func forgetUnknownBike() {
    guard isBikePublished, currentBike == nil else { return }
    isBikePublished = false
    publisher.forget(SensorID.ride, .bike)
    bikeChanged()
  }

  private func stream(_ kind: SampleKind) -> SampleStream {
    if let known = streams.first(where: { $0.kind == kind }) { return known }
    let stream = publisher.stream(SensorID.ride, kind)
    streams.append(stream)
    return stream
  }
}
