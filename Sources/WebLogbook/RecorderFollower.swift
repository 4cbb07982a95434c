// Follows the recorder for pages: whether the ride is kept, and what happens to the logbook. A
// recorder that is missing is looked for again and again.

import CyclometerClient
import CyclometerClientLoop
public import EventLoop
import HTTP
import JSON
import LogbookWire
import Time
import Wire

/// Whether rides are kept.
public struct RecorderState: Equatable, Sendable {
  /// Why no recorder answers; nil while one does.
  public let absence: String?
  /// The recorder's reply to `status`.
  let status: JSONValue

  /// As a record for pages: `{"class":"recorder","present":true,"recording":12,"storage":"ok"}`. It
  /// has the members of `status` too.
  public var line: [UInt8] {
    var members = [JSONValue.Member("class", "recorder"), JSONValue.Member("present", .bool(absence == nil))]
    if let absence { members.append(JSONValue.Member("message", .string(absence))) }
    return Array(JSONValue.object(members + (status.members ?? [])).encoded.utf8)
  }
}

public final class RecorderFollower {
  private let path: String
  private let loop: EventLoop
  private let onState: (RecorderState) -> Void
  private let onRecord: ([UInt8]) -> Void
  private var link: LogbookLink?
  private var retry: Deadline?
  private var backOff = BackOff()
  private var opened = MonotonicTime(nanoseconds: 0)
  /// Nil until the recorder was asked for the first time.
  public private(set) var state: RecorderState?
  /// The request for the status that was sent last, if it is not answered.
  private var statusRequest: Int?
  /// Something has changed since then.
  private var isOutdated = false

  /// `onRecord` gets the lines of the records `activity` and `event`, as they came.
  public init(
    _ path: String, in loop: EventLoop, onState: @escaping (RecorderState) -> Void,
    onRecord: @escaping ([UInt8]) -> Void
  ) {
    (self.path, self.loop) = (path, loop)
    (self.onState, self.onRecord) = (onState, onRecord)
    connect()
  }

  deinit {
    link?.close()
    retry?.cancel()
  }

  private func connect() {
    opened = loop.now
    let link = LogbookLink(
      to: path, in: loop, onRecord: { [weak self] record in self?.handle(record) },
      onEnd: { [weak self] error in self?.lose(error) })
    self.link = link
    link.send { id, writer in writer.request(id, LogbookSubscribeRequest()) }
    askForStatus()
  }

  private func askForStatus() {
    guard statusRequest == nil else {
      isOutdated = true
      return
    }
    isOutdated = false
    statusRequest = link?.send { id, writer in writer.request(id, LogbookStatusRequest()) }
  }

  private func handle(_ record: ReceivedRecord) {
    switch record.recordClass {
    case "reply" where record.requestNumber == statusRequest:
      statusRequest = nil
      update(RecorderState(absence: nil, status: record["result"] ?? .object([])))
      if isOutdated { askForStatus() }
    case ActivityChangeRecord.className, LogbookEventRecord.className:
      onRecord(record.line)
      askForStatus()
    case "error": lose(record.refusal)
    default: break
    }
  }

  private func lose(_ error: ClientError) {
    link?.close()
    (link, statusRequest) = (nil, nil)
    backOff.connectionLasted(loop.now - opened)
    retry = loop.schedule(after: backOff.next()) { [weak self] in self?.connect() }
    update(RecorderState(absence: HTTPRefusal(error).reason, status: .object([])))
  }

  private func update(_ new: RecorderState) {
    guard new != state else { return }
    state = new
    onState(new)
  }
}
