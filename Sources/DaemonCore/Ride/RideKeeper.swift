// The ride that the daemon's sensors are on: hands what they say to Metrics, publishes what comes of it as samples of sensor `ride` and as
// events, keeps the totals through restarts and power cuts. Once a second while anything lives, and not at all while nothing does.

import EventLoop
import Linux
import Metrics
import SensorKit
import Wire

final class RideKeeper {
  typealias Source = RideMetrics.Source

  let loop: EventLoop
  private let publisher: Publisher
  private let store: RideStore
  let wheels: WheelStore
  var metrics: RideMetrics
  var out = Batch()
  private var streams: [Stream] = []
  var sources: [Entered] = []
  /// Told when the size that a sensor's plugin reckons with has changed, but not from within `enter`.
  var wheelChanged: (String) -> Void = { _ in }
  /// Once a second while the ride is told.
  var ticked: () -> Void = {}
  var wheelsSaved: BootTime
  private var nextTick: BootTime?
  private var deadline: Deadline?
  private var lastSaved: BootTime
  /// As it was at the last look.
  private var wasMoving = false
  private var savedRide = SavedRide()
  /// When the bike of the saved ride moved last, until it moves again.
  private var resumed: (moment: Clock.Moment, asReckoned: MonotonicTime)?
  var calendar = { Clock.calendar }

  /// A power cut costs no more of a ride than this.
  private static let savingPause = Duration.seconds(30)
  /// What its samples are called by.
  static let name = "ride"
  private static let tick = Duration.seconds(1)
  /// Another bike is ridden, or nobody knows any more which. Called from within what a sensor says.
  var bikeChanged: () -> Void = {}
  /// The bike's sample is there to be read.
  private var isBikeTold = false

  /// A sensor of the ride.
  struct Entered {
    let id: String
    let source: Source
    /// What its plugin reckons with.
    var circumferenceM: Double?
  }

  init(
    loop: EventLoop, publisher: Publisher, settings: RideMetrics.Settings, rider: Rider, store: RideStore,
    wheels: WheelStore
  ) {
    self.loop = loop
    self.publisher = publisher
    self.store = store
    self.wheels = wheels
    wheelsSaved = loop.now
    let kept = store.load()
    resumed = kept.lastMoved.map { ($0, Clock.monotonic($0.asOfThisBoot(loop.now))) }
    metrics = RideMetrics(settings, rider: rider, saved: kept.ride, lastMoved: resumed?.asReckoned) {
      RideIdentity(id: ProcessEnvironment.randomName(), started: Clock.wallTime?.description)
    }
    savedRide = kept.ride
    lastSaved = loop.now
  }

  func apply(_ settings: RideMetrics.Settings) {
    metrics.apply(settings)
    schedule()
  }

  func apply(_ rider: Rider) { metrics.apply(rider) }

  /// `renamed`: one of them, that is the same under another name.
  func apply(_ bikes: [Bike], renamed: (from: String, to: String)? = nil) {
    metrics.apply(bikes, renamed: renamed, at: Clock.monotonic(loop.now))
    forgetUnknownBike()
    schedule()
  }

  /// The number of the bike that is ridden, among those that were applied last.
  var currentBike: Int? { metrics.currentBike(at: Clock.monotonic(loop.now)) }

  /// One that was paired, or a setting of which was changed.
  func enter(_ sensor: PairedSensor, saysPower: Bool) {
    var wheel = RideMetrics.Sensor(
      id: sensor.id, priority: Int(sensor.priority ?? 0), circumferenceM: sensor.circumferenceMM.map { $0 / 1000 })
    wheel.tire = sensor.tire
    wheel.role = sensor.role.flatMap { RideMetrics.Sensor.Role(rawValue: $0.rawValue) }
    wheel.saysPower = saysPower
    wheel.usesMeasuredSize = sensor.usesMeasuredSize
    wheel.wheel = wheels.size(of: sensor.id)
    let source = metrics.enter(wheel)
    // What was measured of another wheel is not to come back.
    if wheel.wheel != nil, metrics.savedWheel(of: source) == nil { wheels.forget(sensor.id) }
    sources.removeAll { $0.id == sensor.id }
    sources.append(Entered(id: sensor.id, source: source, circumferenceM: metrics.circumferenceM(of: source)))
  }

  /// The number by which the samples of a sensor that has entered are handed over.
  func source(of id: String) -> Source? { entered(id)?.source }

  func entered(_ id: String) -> Entered? { sources.first { $0.id == id } }

  /// It was forgotten, and what was made of it alone is shown no more.
  func leave(_ id: String) {
    guard let source = source(of: id) else { return }
    metrics.leave(source)
    sources.removeAll { $0.id == id }
    wheels.forget(id)
    for kind in RideMetrics.kindsOfOneSource { publisher.forget(Self.name, kind) }
    derive { metrics.tick(at: $0, into: &out) }
    schedule()
  }

  func note(signal: Double?, of source: Source) { metrics.note(signal: signal, of: source) }

  /// Its session streams no more.
  func lost(_ source: Source) {
    derive { metrics.lost(source, at: $0, into: &out) }
    schedule()
  }

  /// A sample as it was published.
  func take(_ entry: Batch.Entry, of batch: borrowing Batch, from source: Source, at time: MonotonicTime) {
    out.removeAll()
    reckonResumed()
    metrics.take(entry, of: batch, from: source, at: time, into: &out)
    publish(at: time)
    beginTelling(at: time)
  }

  /// Once a second from now on, where there is a ride and it is not told yet.
  func beginTelling(at time: MonotonicTime) {
    if nextTick == nil, metrics.isRiding(at: time) {
      nextTick = loop.now + Self.tick
      schedule()
    } else if let next = metrics.nextDeadline.map(Clock.boot), deadline.map({ next < $0.time }) ?? true {
      schedule()
    }
  }

  /// What the rider asks for. False if there was nothing to do.
  func act(_ parameters: RideParameters) -> Bool {
    let time = Clock.monotonic(loop.now)
    reckonResumed()
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

  /// The last sample of a ride that was ended says so: a subscriber that comes later finds it in its snapshot.
  private func end(at time: MonotonicTime) -> Bool {
    guard metrics.endRide(at: time) else { return false }
    save()
    out.removeAll()
    metrics.writeEnd(into: &out)
    publish(at: time, ofEndedRide: true)
    return true
  }

  /// Of the ride that is under way.
  var finishedLaps: [FinishedLap] {
    metrics.isRiding(at: Clock.monotonic(loop.now)) ? metrics.finishedLaps : []
  }

  /// The daemon ends.
  func stop() {
    deadline?.cancel()
    save()
    saveWheels(atOnce: true)
  }

  private func derive(_ body: (MonotonicTime) -> Void) {
    let time = Clock.monotonic(loop.now)
    out.removeAll()
    body(time)
    publish(at: time)
  }
}

// MARK: Time

extension RideKeeper {
  private func schedule() {
    deadline?.cancel()
    let watched = [metrics.nextDeadline, metrics.bikeDeadline].map { $0.map(Clock.boot) }
    guard let next = ([nextTick] + watched).compactMap({ $0 }).min() else { return deadline = nil }
    deadline = loop.schedule(at: next) { [weak self] in self?.pass() }
  }

  /// How long the saved ride's bike has stood is reckoned anew until it moves: only the calendar knows, and a computer without a battery
  /// for its clock is told the time while it runs.
  func reckonResumed() {
    guard let moment = resumed?.moment else { return }
    guard metrics.lastMoved == resumed?.asReckoned else { return resumed = nil }
    let moved = Clock.monotonic(moment.asOfThisBoot(loop.now, calendar: calendar()))
    guard moved < metrics.lastMoved ?? moved else { return }
    resumed?.asReckoned = moved
    metrics.resumes(lastMoved: moved)
  }

  private func pass() {
    reckonResumed()
    if let begun = metrics.undated, let started = Clock.wallTime(at: Clock.boot(begun), now: loop.now) {
      metrics.date(started.description)
    }
    derive { metrics.tick(at: $0, into: &out) }
    forgetUnknownBike()
    let hasStopped = wasMoving && !metrics.isMoving
    wasMoving = metrics.isMoving
    if hasStopped || loop.now - lastSaved >= Self.savingPause { save() }
    if let planned = nextTick, planned <= loop.now {
      // Not from now: the seconds would grow longer by the loop's own delay.
      let goesOn = !metrics.isQuiet && metrics.isRiding(at: Clock.monotonic(loop.now))
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
    reckonResumed()
    let moved = resumed?.moment ?? metrics.lastMoved.map { Clock.Moment(Clock.boot($0), now: loop.now) }
    if store.save(ride, lastMoved: moved) { savedRide = ride }
  }
}

// MARK: Telling

extension RideKeeper {
  private static let position = SampleKind("position")

  func publish(at time: MonotonicTime, ofEndedRide isOfEnded: Bool = false) {
    let isRiding = isOfEnded || metrics.isRiding(at: time)
    for index in out.entryIndices {
      let entry = out.entry(index)
      switch entry.kind {
      // While nobody rides there is nothing to tell but which bike is awake and where it is.
      case .sample(let kind) where !isRiding && kind != Self.position && kind != .bike: break
      case .sample(let kind):
        publisher.publish(entry, of: out, on: stream(kind), at: time)
        if kind == .bike { isBikeTold = true }
      case .event(let name):
        publisher.publish(event: name, entry, of: out, owner: Self.name, at: time)
        if name == RideMetrics.bikeChanged { bikeChanged() }
      case .fact, .answer: break
      }
    }
  }

  /// What nobody knows any more is shown no more, and goes for no sensor any more.
  private func forgetUnknownBike() {
    guard isBikeTold, currentBike == nil else { return }
    isBikeTold = false
    publisher.forget(Self.name, .bike)
    bikeChanged()
  }

  private func stream(_ kind: SampleKind) -> Stream {
    if let known = streams.first(where: { $0.kind == kind }) { return known }
    let stream = publisher.stream(Self.name, kind)
    streams.append(stream)
    return stream
  }
}
