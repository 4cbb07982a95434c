// The samples of the daemon, from metrics.sock. Without a daemon it retries; the logbook works
// meanwhile.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import ProgramKit
import Wire

final class DaemonFeed {
  private let log: Log
  private var feed: LoopFeed?
  private(set) var isConnected = false
  /// Called when `isConnected` changed.
  private let changed: () -> Void

  init(from daemon: Endpoint, in loop: EventLoop, log: Log, changed: @escaping () -> Void) {
    self.log = log
    self.changed = changed
    feed = LoopFeed(
      Subscription(), from: daemon, for: .metrics, in: loop, onSampleLine: { _ in },
      onUpdate: { [weak self] in self?.handle($0) }, onFailure: { [weak self] in self?.failed($0) })
  }

  func stop() { feed?.stop() }

  private func handle(_ update: Update) {
    switch update {
    case .connected(let greeting, let isNewInstance):
      isConnected = true
      log.info("daemon: connected (release \(greeting.release)\(isNewInstance ? ", restarted" : ""))")
      changed()
    case .disconnected(let reason):
      isConnected = false
      log.info("daemon: not connected, retrying (\(reason))")
      changed()
    case .gap, .lag, .record, .answer: break
    }
  }

  private func failed(_ error: ClientError) {
    isConnected = false
    log.error("daemon: nothing is recorded (\(error))")
    changed()
  }
}
