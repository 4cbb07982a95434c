// The one subscription to metrics.sock, whose records all pages share. Without a daemon it retries;
// pages are told that it is missing, or that it has stopped answering.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import ProgramKit
import Time
import WebFrames
import Wire

final class DaemonLink {
  private enum Question: String, CaseIterable {
    case sensors, status
  }

  private let loop: EventLoop
  private let log: Log
  private let streams: PageStreams
  private var feed: LoopFeed?
  private var questions: [Int: Question] = [:]
  /// When the daemon last sent anything.
  private var lastReceived: MonotonicTime
  /// Until when the daemon has to answer a ping; nil without one.
  private var answerDue: MonotonicTime?
  private var check: Deadline?

  /// A daemon that sent nothing for this long is asked for a sign of life.
  private static let pingTime = Duration.seconds(1)
  /// Without an answer after this long, pages are told.
  private static let answerTime = Duration.seconds(1)
  /// For people: `connected`, or why not.
  private(set) var condition = "connecting"
  /// Whether the condition is that the daemon does not answer.
  private var isSilent = false
  /// Of the daemon, BlueZ and the kernel, as the daemon reports them.
  private var versions: JSONValue?
  /// Called when the condition has changed.
  var changed: () -> Void = {}

  init(_ streams: PageStreams, to daemon: Endpoint, in loop: EventLoop, log: Log) {
    (self.streams, self.loop, self.log) = (streams, loop, log)
    lastReceived = loop.now
    feed = LoopFeed(
      Subscription(), from: daemon, for: .metrics, in: loop,
      onSampleLine: { [unowned self] line in self.receive(line) },
      onUpdate: { [unowned self] update in self.handle(update) },
      onFailure: { [unowned self] error in self.fail(error) })
  }

  func stop() {
    feed?.stop()
    check?.cancel()
  }

  private func receive(_ line: Span<UInt8>) {
    recordLife()
    if streams.board.receive(line, at: loop.now) { streams.boardChanged() }
  }

  private func handle(_ update: Update) {
    switch update {
    case .connected(let greeting, let isNewInstance):
      log.info("daemon: connected (release \(greeting.release)\(isNewInstance ? ", restarted" : ""))")
      if isNewInstance { streams.daemonWasReplaced() }
      recordLife()
      publish(condition: "connected")
      watchSilence()
      for question in Question.allCases { ask(question) }
    case .disconnected(let reason):
      log.info("daemon: not connected, retrying (\(reason))")
      versions = nil
      answerDue = nil
      publish(condition: "\(reason)")
    case .lag(let dropped, _): log.warning("daemon: dropped \(dropped) samples, because this server was too slow")
    case .record(let record): receive(record.line.span)
    case .answer(let answer): handle(answer)
    // With sample lines, gaps are not reported.
    case .gap: break
    }
  }

  private func ask(_ question: Question) {
    guard let number = try? feed?.send(question.rawValue) else { return }
    questions[number] = question
  }

  /// The sensors and adapters come as records from then on, but those of the beginning do not.
  private func handle(_ answer: FeedAnswer) {
    if case .success = answer.result { recordLife() }
    guard let question = questions.removeValue(forKey: answer.request) else { return }
    guard case .success(let reply) = answer.result else {
      return log.debug("daemon: no answer to \(question.rawValue)")
    }
    switch question {
    case .sensors:
      for sensor in reply["sensors"]?.items ?? [] {
        receive(JSONValue.object([.init("class", "sensor"), .init("change", "changed"), .init("sensor", sensor)]))
      }
    case .status:
      for adapter in reply["adapters"]?.items ?? [] { receive(adapter) }
      versions = reply["versions"]
      publish(condition: condition)
    }
  }

  private func receive(_ record: JSONValue) {
    var writer = JSONWriter()
    writer.value(record)
    receive(writer.bytes.span)
  }

  private func fail(_ error: ClientError) {
    log.error("daemon: pages get no values (\(error))")
    publish(condition: "\(error)")
  }

  private func publish(condition: String, isSilent: Bool = false) {
    (self.condition, self.isSilent) = (condition, isSilent)
    let isConnected = condition == "connected"
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("class", "daemon")
    writer.member("present", isConnected)
    writer.member("message", isConnected ? nil : condition)
    if let versions {
      writer.member("versions")
      writer.value(versions)
    }
    writer.endObject()
    streams.publish(writer.bytes, as: "daemon")
    changed()
  }
}

// MARK: Silence

extension DaemonLink {
  /// Checks for silence as long as pages are open. A frozen daemon keeps its connection, and a page
  /// would only show that all its values are old.
  func watchSilence() {
    guard streams.count > 0, condition == "connected" || isSilent else { return }
    let time = max(answerDue ?? lastReceived + Self.pingTime, loop.now)
    if let check {
      check.set(to: time)
    } else {
      check = loop.schedule(at: time) { [weak self] in self?.checkSilence() }
    }
  }

  private func checkSilence() {
    if let answerDue {
      guard loop.now >= answerDue else { return watchSilence() }
      // What it sends next reports it alive again.
      guard !isSilent else { return }
      log.warning("daemon: no answer for \((loop.now - lastReceived) / .seconds(1)) s")
      return publish(condition: "the daemon does not answer", isSilent: true)
    }
    if loop.now - lastReceived >= Self.pingTime {
      _ = try? feed?.send("ping")
      answerDue = loop.now + Self.answerTime
    }
    watchSilence()
  }

  private func recordLife() {
    (lastReceived, answerDue) = (loop.now, nil)
    guard isSilent else { return }
    publish(condition: "connected")
    watchSilence()
  }
}
