// The one subscription to metrics.sock, whose records all pages share. Without a daemon it retries;
// pages are told that it is missing.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import ProgramKit
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
  /// For people: `connected`, or why not.
  private(set) var condition = "connecting"
  /// Of the daemon, BlueZ and the kernel, as the daemon reports them.
  private var versions: JSONValue?
  /// Called when the condition has changed.
  var changed: () -> Void = {}

  init(_ streams: PageStreams, to daemon: Endpoint, in loop: EventLoop, log: Log) {
    (self.streams, self.loop, self.log) = (streams, loop, log)
    feed = LoopFeed(
      Subscription(), from: daemon, for: .metrics, in: loop,
      onSampleLine: { [unowned self] line in self.receive(line) },
      onUpdate: { [unowned self] update in self.handle(update) },
      onFailure: { [unowned self] error in self.fail(error) })
  }

  func stop() { feed?.stop() }

  private func receive(_ line: Span<UInt8>) {
    if streams.board.receive(line, at: loop.now) { streams.boardChanged() }
  }

  private func handle(_ update: Update) {
    switch update {
    case .connected(let greeting, let isNewInstance):
      log.info("daemon: connected (release \(greeting.release)\(isNewInstance ? ", restarted" : ""))")
      if isNewInstance { streams.daemonWasReplaced() }
      publish(condition: "connected")
      for question in Question.allCases { ask(question) }
    case .disconnected(let reason):
      log.info("daemon: not connected, retrying (\(reason))")
      versions = nil
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

  private func publish(condition: String) {
    self.condition = condition
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
