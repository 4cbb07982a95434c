// Reads one route from the recorder, on a connection of its own.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import JSON
import LogbookWire
import Wire

final class RouteDownload {
  /// The recorder has to send something within this time.
  private static let answerTime = Duration.seconds(10)

  private let loop: EventLoop
  private let completion: (Result<GuidedRoute, Refusal>) -> Void
  /// Set if only this is wanted, and not the line.
  private var recordCompletion: ((RouteRecord) -> Void)?
  private var link: LogbookLink?
  private var deadline: Deadline?
  private var reader = RouteReader()
  private var length = 0
  private var transfer: Int?

  /// Reads what the recorder lists of a route, such as its name. `completion` is called if it has it.
  static func record(
    of route: Int, from path: String, in loop: EventLoop, completion: @escaping (RouteRecord) -> Void
  ) -> RouteDownload {
    let download = RouteDownload(of: route, points: RequestLimits.points.lowerBound, from: path, in: loop) { _ in }
    download.recordCompletion = completion
    return download
  }

  /// `completion` is called once, unless the download is cancelled.
  init(
    of route: Int, points: Int? = nil, from path: String, in loop: EventLoop,
    completion: @escaping (Result<GuidedRoute, Refusal>) -> Void
  ) {
    (self.loop, self.completion) = (loop, completion)
    link = LogbookLink(
      to: path, in: loop, onRecord: { [weak self] record in self?.handle(record) },
      onEnd: { [weak self] error in self?.end(.failure(Refusal(error))) })
    var request = RouteRequest()
    (request.id, request.points) = (route, points)
    link?.send { [request] id, writer in writer.request(id, request) }
    extend()
  }

  func cancel() {
    deadline?.cancel()
    link?.close()
    link = nil
  }

  private func extend() {
    deadline?.cancel()
    deadline = loop.schedule(after: Self.answerTime) { [weak self] in
      self?.end(.failure(Refusal(.timeout, "the recorder does not send the route: try again later")))
    }
  }

  private func handle(_ record: ReceivedRecord) {
    extend()
    switch record.recordClass {
    case "error": end(.failure(Refusal(record.refusal)))
    case "reply":
      transfer = TransferReply(record["result"] ?? .null)?.transfer
      if transfer == nil { end(.failure(Self.unclear)) }
    case DataRecord.className: handle(data: record.content)
    default: break
    }
  }

  private func handle(data content: JSONValue) {
    guard let data = DataRecord(content), data.transfer == transfer, data.offset == length else {
      return end(.failure(Self.unclear))
    }
    length += data.piece.bytes.count
    reader.feed(data.piece.bytes)
    guard data.isLast else { return }
    guard reader.isComplete, !reader.hasFailed, let record = reader.record else { return end(.failure(Self.unclear)) }
    if let recordCompletion {
      cancel()
      return recordCompletion(record)
    }
    guard let (route, cues) = reader.route() else {
      return end(.failure(Refusal(.notSupported, "route \(record.id) is not a line: it has no two places")))
    }
    // The text is no longer needed while the route is prepared.
    reader = RouteReader()
    end(.success(GuidedRoute(record, route, cues)))
  }

  private func end(_ result: Result<GuidedRoute, Refusal>) {
    guard link != nil else { return }
    cancel()
    completion(result)
  }

  /// Why no route can be read now. Connects to the recorder, and asks for nothing.
  static func obstacle(at path: String) -> String? {
    do throws(ClientError) {
      _ = try RecordStream(path: path)
      return nil
    } catch {
      return Refusal(error).message
    }
  }

  static let unclear = Refusal(.internal, "the recorder's answer is not understood")
}

extension Refusal {
  /// Why the recorder did not answer a request.
  init(_ error: ClientError) {
    switch error {
    case .refused(let code, let message): self.init(ErrorCode(rawValue: code) ?? .internal, message)
    case .noDaemon, .closed:
      self.init(.notConnected, "the recorder is not running: start cyclometer-recorder")
    case .notAllowed(let path): self.init(.denied, "the guide may not use \(path), which has routes and segments")
    case .timeout, .notUnderstood, .system: self.init(.notConnected, "the recorder cannot be asked: \(error)")
    }
  }
}
