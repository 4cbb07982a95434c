// What readers see as it is now: live values, events, and the sensors with their states.

import EventLoop
import Fleet
import FleetWire
import Linux
import ProgramKit
import Time
import Wire

final class LiveTopics {
  private let loop: EventLoop
  private let log: Log
  private let topics: FleetTopics
  private let mode: LiveMode
  private unowned let broker: Broker
  private let memory: PublishedSensors
  private var board: LiveBoard
  private var events: EventPublisher
  private var sensors: SensorBoard
  /// By id, also of sensors of an earlier run that the daemon has not listed yet.
  private var kinds: [String: [String]]
  /// By id: the kinds of sensors that were removed, which is published again at every connection.
  private var removed: [String: [String]] = [:]
  private var instance = ""
  private var isListed = false
  private var deadline: Deadline?
  /// The last problem with a request on `want`, which a reader may repeat.
  private var complaint: FleetProblem?
  /// Called when a sensor was listed, has changed or was forgotten.
  var sensorChanged: (SensorRecord) -> Void = { _ in }
  var sensorForgotten: (String) -> Void = { _ in }

  init(
    _ topics: FleetTopics, mode: LiveMode, announces: @escaping (_ kind: String) -> Bool, filter: RecordFilter,
    broker: Broker, stateFolder: String, in loop: EventLoop, log: Log
  ) {
    (self.topics, self.broker, self.loop, self.log) = (topics, broker, loop, log)
    self.mode = mode
    board = LiveBoard(topics: topics, mode: mode, filter: filter, announces: announces)
    events = EventPublisher(topics: topics, filter: filter)
    memory = PublishedSensors(stateFolder, log: log)
    kinds = memory.kinds
    sensors = SensorBoard(published: memory.ids)
    deadline = loop.schedule(at: loop.now) { [weak self] in self?.timePassed() }
  }

  func stop() { deadline?.cancel() }

  var reply: LiveReply {
    var reply = LiveReply()
    reply.mode = mode.rawValue
    reply.kinds = board.wantedKinds(at: loop.now)
    reply.until = board.end(after: loop.now).flatMap { ClockWatch.calendar($0, now: loop.now) }
    return reply
  }

  /// Nil until the daemon has listed its sensors.
  var counts: StatusReply.Counts? { isListed ? sensors.counts : nil }

  // MARK: The daemon

  func daemonConnected(_ greeting: HelloRecord) {
    instance = greeting.instance
    board.connected(instance: instance)
  }

  func daemonDisconnected() {
    let since = Clock.wallTime
    isListed = false
    sensors.daemonGone(at: since) { publish(sensor: $0, $1) }
  }

  /// The sample that was read last. Called without an allocation.
  func add(sample line: Span<UInt8>, _ record: RecordReader) {
    board.add(line, record, at: loop.now) { broker.publish(live: $1, on: $0) }
    scheduleNext()
  }

  func add(event line: Span<UInt8>, _ record: RecordReader) {
    events.add(line, record, instance: instance) { broker.publish(event: $1, on: $0) }
  }

  func add(_ state: StateRecord) {
    sensors.add(state) { publish(sensor: $0, $1) }
  }

  func add(_ change: SensorChangeRecord) {
    sensors.add(change) { publish(sensor: $0, $1) }
    if change.change.known == .removed { forget(change.sensor.id) } else { add(change.sensor) }
    keepPublished()
  }

  func replaceAll(with listed: [SensorRecord]) {
    isListed = true
    let before = sensors.published
    sensors.replaceAll(with: listed) { publish(sensor: $0, $1) }
    for gone in Set(before).subtracting(listed.map(\.id)).sorted() { forget(gone) }
    for sensor in listed { add(sensor) }
    keepPublished()
  }

  private func add(_ sensor: SensorRecord) {
    removed[sensor.id] = nil
    // A plugin may be gone since.
    kinds[sensor.id] = Set(kinds[sensor.id] ?? []).union(sensor.kinds).sorted()
    board.setSignalStrength(sensor.rssiDBm, of: sensor.id)
    sensorChanged(sensor)
  }

  private func forget(_ sensor: String) {
    let kinds = kinds.removeValue(forKey: sensor) ?? []
    removed[sensor] = kinds
    board.forget(sensor: sensor) { broker.publish(live: $1, on: $0) }
    forgetValues(of: sensor, kinds)
    sensorForgotten(sensor)
  }

  /// Also those that an earlier run has published.
  private func forgetValues(of sensor: String, _ kinds: [String]) {
    for kind in kinds { broker.publish(retained: [], on: topics.now(sensor, kind)) }
  }

  /// A removal that the broker has not seen has to survive a restart.
  private func keepPublished() {
    var published = Dictionary(uniqueKeysWithValues: sensors.published.map { ($0, kinds[$0] ?? []) })
    if !broker.isConnected { published.merge(removed) { current, _ in current } }
    memory.keep(published)
  }

  private func publish(sensor id: String, _ payload: [UInt8]) {
    broker.publish(retained: payload, on: topics.sensor(id))
  }

  // MARK: The broker

  /// The broker may have forgotten everything.
  func brokerConnected() {
    for (id, kinds) in removed.sorted(by: { $0.key < $1.key }) {
      publish(sensor: id, [])
      forgetValues(of: id, kinds)
    }
    sensors.publishAll { publish(sensor: $0, $1) }
    keepPublished()
    board.brokerConnected(at: loop.now) { broker.publish(live: $1, on: $0) }
    scheduleNext()
  }

  /// The broker has taken what waited, so values that it did not take can be published.
  func brokerIsWritable() {
    board.brokerIsWritable(at: loop.now) { broker.publish(live: $1, on: $0) }
    scheduleNext()
  }

  func brokerDisconnected() {
    board.brokerDisconnected()
    scheduleNext()
  }

  /// A message on the topic `want`. An empty one only takes a kept one back.
  func want(_ message: Span<UInt8>, isRetained: Bool) {
    guard !message.isEmpty else { return }
    do throws(FleetProblem) {
      let want = try LiveWant(message, isRetained: isRetained, at: loop.now, wall: ClockWatch.calendar)
      board.add(want, at: loop.now) { broker.publish(live: $1, on: $0) }
      complaint = nil
      scheduleNext()
    } catch {
      // The broker keeps a request also after its end.
      if isRetained, error == LiveWant.passed { return }
      if error != complaint { log.warning("broker: \(error)") }
      complaint = error
    }
  }

  // MARK: Time

  private func timePassed() {
    board.timePassed(at: loop.now) { broker.publish(live: $1, on: $0) }
    scheduleNext()
  }

  private func scheduleNext() {
    if let next = board.deadline(at: loop.now) { deadline?.set(to: next) } else { deadline?.cancel() }
  }
}
