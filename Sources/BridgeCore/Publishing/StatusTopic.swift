// The topic `status`: that this receiver is there, and what ties its times to the wall clock. It is
// published again every minute, and whenever it has changed.

import EventLoop
import Fleet
import JSON
import ProgramKit
import Time
import Wire

final class StatusTopic {
  private static let interval = Duration.seconds(60)
  private let loop: EventLoop
  private let topic: String
  private let release: String
  private let boot: String
  private unowned let broker: Broker
  private var clock = ClockWatch()
  private var since: WallTime?
  private var names = NameWatch()
  private var hook: Hook?
  private var deadline: Deadline?
  /// The farewell is the last message.
  private var isEnding = false
  /// The daemon's instance; nil without a daemon.
  private var instance: String?
  /// How many records wait.
  var unsent: () -> Int? = { nil }
  /// How many sensors there are. Nil if that is unknown.
  var counts: () -> StatusReply.Counts? = { nil }

  init(_ topics: FleetTopics, release: String, boot: String, broker: Broker, in loop: EventLoop) {
    (self.loop, self.topic, self.release, self.boot, self.broker) = (loop, topics.status, release, boot, broker)
    hook = loop.makeHook { [weak self] in self?.publish() }
    deadline = loop.schedule(at: loop.now) { [weak self] in self?.publish() }
    deadline?.cancel()
  }

  func daemonChanged(instance: String?) {
    self.instance = instance
    hook?.schedule()
  }

  func sensorsListed() { hook?.schedule() }

  func brokerConnected() {
    since = Clock.wallTime
    publish()
  }

  func brokerDisconnected() { deadline?.cancel() }

  /// A sample's times, which show whether the clock was set.
  func check(t: MonotonicTime, time: WallTime) {
    if broker.isConnected, clock.wasSet(t: t, time: time) { hook?.schedule() }
  }

  /// The last message before the bridge ends.
  func publishFarewell() {
    isEnding = true
    deadline?.cancel()
    broker.publish(retained: ReceiverStatus.farewell.payload, on: topic)
  }

  /// What was published last under this receiver's name.
  func handle(_ payload: Span<UInt8>) {
    guard !isEnding, let value = try? JSONValue.parse(payload), let status = ReceiverStatus(value) else { return }
    if names.mustGiveUp(after: status, own: current, at: loop.now) { broker.giveUpName() }
  }

  private func publish() {
    guard broker.isConnected, !isEnding else { return }
    let status = current
    broker.publish(retained: status.payload, on: topic)
    names.published(status)
    deadline?.set(to: loop.now + Self.interval)
  }

  private var current: ReceiverStatus {
    var status = ReceiverStatus(instance == nil ? .blind : .online)
    status.protocolVersion = HelloRecord.currentProtocol
    (status.release, status.instance, status.boot, status.since) = (release, instance, boot, since)
    status.clock = clock.read(at: loop.now)
    status.counts = counts()
    status.spool = unsent().map { SpoolCount(records: $0) }
    return status
  }
}
