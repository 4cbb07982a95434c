// The samples of the daemon, from metrics.sock. Without a daemon it retries; the logbook works
// meanwhile.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import ProgramKit
import Wire

/// What a recording needs to know in addition to samples.
enum DaemonQuestion: String, CaseIterable {
  case sensors, rider, bike
}

protocol DaemonListener: AnyObject {
  func daemonConnected(_ greeting: HelloRecord)
  func daemonDisconnected()
  /// Called for each sample, without an allocation.
  func daemon(sent sampleLine: Span<UInt8>)
  /// A state, an event or another record.
  func daemon(sent record: ReceivedRecord)
  /// The recorder was too slow, and the daemon dropped samples.
  func daemonDropped(_ count: Int)
  func daemon(answered question: DaemonQuestion, with reply: JSONValue)
}

final class DaemonFeed {
  private let log: Log
  private unowned let listener: any DaemonListener
  private var feed: LoopFeed?
  private var questions: [Int: DaemonQuestion] = [:]
  private(set) var isConnected = false

  init(from daemon: Endpoint, in loop: EventLoop, log: Log, listener: any DaemonListener) {
    (self.log, self.listener) = (log, listener)
    feed = LoopFeed(
      Subscription(), from: daemon, for: .metrics, in: loop,
      onSampleLine: { [unowned listener] in listener.daemon(sent: $0) },
      onUpdate: { [weak self] in self?.handle($0) }, onFailure: { [weak self] in self?.failed($0) })
  }

  func stop() { feed?.stop() }

  /// The answer comes later, or not at all if the daemon refuses or is gone.
  func ask(_ question: DaemonQuestion) {
    guard isConnected, let number = try? feed?.send(question.rawValue) else { return }
    questions[number] = question
  }

  private func handle(_ update: Update) {
    switch update {
    case .connected(let greeting, let isNewInstance):
      isConnected = true
      log.info("daemon: connected (release \(greeting.release)\(isNewInstance ? ", restarted" : ""))")
      listener.daemonConnected(greeting)
      for question in DaemonQuestion.allCases { ask(question) }
    case .disconnected(let reason):
      isConnected = false
      log.info("daemon: not connected, retrying (\(reason))")
      listener.daemonDisconnected()
    case .lag(let dropped, _):
      log.warning("daemon: dropped \(dropped) samples, because the recorder was too slow")
      listener.daemonDropped(dropped)
    case .record(let record): listener.daemon(sent: record)
    case .answer(let answer): handle(answer)
    // With sample lines, gaps are not reported.
    case .gap: break
    }
  }

  private func handle(_ answer: FeedAnswer) {
    guard let question = questions.removeValue(forKey: answer.request) else { return }
    switch answer.result {
    case .success(let reply): listener.daemon(answered: question, with: reply)
    case .failure(let error): log.debug("daemon: no answer to \(question.rawValue) (\(error))")
    }
  }

  private func failed(_ error: ClientError) {
    isConnected = false
    log.error("daemon: nothing is recorded (\(error))")
    listener.daemonDisconnected()
  }
}
