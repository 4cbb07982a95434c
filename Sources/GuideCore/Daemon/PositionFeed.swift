// The daemon's samples that guidance needs, and the rider's height. Without a daemon it retries.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import ProgramKit
import Wire

final class PositionFeed {
  private let log: Log
  private let changed: () -> Void
  private var feed: LoopFeed?
  private var question: Int?
  private(set) var isConnected = false
  /// Of the rider, in metres.
  private(set) var height: Double?

  init(
    from daemon: Endpoint, in loop: EventLoop, log: Log, onSample: @escaping (LiveSample, Span<UInt8>) -> Void,
    changed: @escaping () -> Void
  ) {
    (self.log, self.changed) = (log, changed)
    feed = LoopFeed(
      Subscription(kinds: LiveSample.kinds, events: false), from: daemon, for: .metrics, in: loop,
      onSampleLine: { line in if let sample = LiveSample(line) { onSample(sample, line) } },
      onUpdate: { [weak self] in self?.handle($0) }, onFailure: { [weak self] in self?.fail($0) })
  }

  func stop() { feed?.stop() }

  /// The answer comes later, or not at all if the daemon refuses or is gone.
  func askForHeight() {
    guard isConnected else { return }
    question = try? feed?.send("rider")
  }

  private func handle(_ update: Update) {
    switch update {
    case .connected(let greeting, let isNewInstance):
      isConnected = true
      log.info("daemon: connected (release \(greeting.release)\(isNewInstance ? ", restarted" : ""))")
      askForHeight()
    case .disconnected(let reason):
      isConnected = false
      log.info("daemon: not connected, retrying (\(reason))")
    case .lag(let dropped, _): log.warning("daemon: dropped \(dropped) samples, because the guide was too slow")
    case .answer(let answer) where answer.request == question: handle(answer)
    case .record(let record) where record.recordClass == RiderChangeRecord.className: return askForHeight()
    // With sample lines, gaps are not reported.
    case .answer, .record, .gap: return
    }
    changed()
  }

  private func handle(_ answer: FeedAnswer) {
    question = nil
    switch answer.result {
    case .success(let rider): height = rider["height_m"]?.number
    case .failure(let error): log.debug("daemon: the rider's height is unknown (\(error))")
    }
  }

  private func fail(_ error: ClientError) {
    isConnected = false
    log.error("daemon: cannot guide (\(error))")
    changed()
  }
}
