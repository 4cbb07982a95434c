// The daemon's records, from metrics.sock. They are always read, whatever the broker does, so that the
// daemon never drops one. Without a daemon it retries.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import ProgramKit
import Wire

protocol DaemonListener: AnyObject {
  func daemonConnected(_ greeting: HelloRecord)
  func daemonDisconnected()
  /// A sample. Called without an allocation.
  func daemon(sent sampleLine: Span<UInt8>)
  /// A state, an event or another record.
  func daemon(sent record: ReceivedRecord)
  func daemon(listed reply: SensorsReply)
}

final class DaemonRecords {
  private let log: Log
  private unowned let listener: any DaemonListener
  private var feed: LoopFeed?
  private var question: Int?
  /// The greeting of the daemon; nil without a connection.
  private(set) var greeting: HelloRecord?

  init(from daemon: Endpoint, in loop: EventLoop, log: Log, listener: any DaemonListener) {
    (self.log, self.listener) = (log, listener)
    feed = LoopFeed(
      Subscription(), from: daemon, for: .metrics, in: loop,
      onSampleLine: { [unowned listener] in listener.daemon(sent: $0) },
      onUpdate: { [weak self] in self?.handle($0) }, onFailure: { [weak self] in self?.fail($0) })
  }

  func stop() { feed?.stop() }

  private func handle(_ update: Update) {
    switch update {
    case .connected(let greeting, let isNewInstance):
      self.greeting = greeting
      log.info("daemon: connected (release \(greeting.release)\(isNewInstance ? ", restarted" : ""))")
      listener.daemonConnected(greeting)
      question = try? feed?.send("sensors")
    case .disconnected(let reason):
      greeting = nil
      log.info("daemon: not connected, retrying (\(reason))")
      listener.daemonDisconnected()
    case .lag(let dropped, _): log.warning("daemon: dropped \(dropped) samples, because the bridge was too slow")
    case .record(let record): listener.daemon(sent: record)
    case .answer(let answer) where answer.request == question: handle(answer)
    // With sample lines, gaps are not reported.
    case .answer, .gap: break
    }
  }

  private func handle(_ answer: FeedAnswer) {
    question = nil
    switch answer.result {
    case .success(let reply):
      if let reply = SensorsReply(reply) { listener.daemon(listed: reply) }
    case .failure(let error): log.warning("daemon: no list of sensors (\(error))")
    }
  }

  private func fail(_ error: ClientError) {
    greeting = nil
    log.error("daemon: nothing can be sent (\(error))")
    listener.daemonDisconnected()
  }
}
