// The subscription to guide.sock, whose samples pages get as they get the daemon's. It lasts while a
// page is open. A guide that is missing is looked for again, and is not an error.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import GuideWire
import JSON
import ProgramKit
import WebFrames
import Wire

final class GuideLink {
  private let loop: EventLoop
  private let log: Log
  private let streams: PageStreams
  private let guide: Endpoint
  private var feed: LoopFeed?
  /// The request for the status, if it is not answered.
  private var question: Int?
  /// Why the guide is not there, as pages were told.
  private var lostFor: String?

  init(_ streams: PageStreams, to socket: String, in loop: EventLoop, log: Log) {
    (self.streams, self.loop, self.log) = (streams, loop, log)
    // One socket is for samples and requests.
    guide = Endpoint(controlSocket: socket)
  }

  /// To be called when a page is opened or closed.
  func followDemand() {
    if streams.count == 0 { return stop() }
    guard feed == nil else { return }
    feed = LoopFeed(
      Subscription(), from: guide, for: .control, in: loop,
      onSampleLine: { [unowned self] line in
        if streams.board.receive(line, at: loop.now) { streams.boardChanged() }
      },
      onUpdate: { [unowned self] update in handle(update) },
      onFailure: { [unowned self] error in lose(error) })
  }

  func stop() {
    feed?.stop()
    (feed, question, lostFor) = (nil, nil, nil)
    // It would be out of date when the next page opens.
    streams.forget(GuideStatusRecord.className)
  }

  private func handle(_ update: Update) {
    switch update {
    case .connected(let greeting, _):
      log.info("guide: connected (release \(greeting.release))")
      lostFor = nil
      question = try? feed?.send("status")
    case .disconnected(let reason): lose(reason)
    case .lag(let dropped, _): log.warning("guide: dropped \(dropped) samples, because this server was too slow")
    case .record(let record) where record.recordClass == GuideStatusRecord.className:
      publish(status: record.content.without("class"))
    case .answer(let answer) where answer.request == question:
      question = nil
      if case .success(let status) = answer.result { publish(status: status) }
    // With sample lines, gaps are not reported.
    case .answer, .record, .gap: break
    }
  }

  /// A guide that is not installed would be reported with each attempt.
  private func lose(_ error: ClientError) {
    question = nil
    let reason = error.ofGuide
    if reason == lostFor { return }
    log.info("guide: not connected, retrying (\(reason))")
    lostFor = reason
    publish(absence: reason)
  }

  private func publish(status: JSONValue) { publish(.init("present", true), .init("status", status)) }

  private func publish(absence: String) { publish(.init("present", false), .init("message", .string(absence))) }

  /// `{"class":"guide","present":true,"status":{…}}`
  private func publish(_ members: JSONValue.Member...) {
    let record = JSONValue.object([.init("class", .string(GuideStatusRecord.className))] + members)
    streams.publish(Array(record.encoded.utf8), as: GuideStatusRecord.className)
  }
}

extension JSONValue {
  fileprivate func without(_ name: String) -> JSONValue { .object((members ?? []).filter { $0.name != name }) }
}
