// One request of a page while the recorder is asked, on a connection to logbook.sock of its own: a
// connection has one transfer at a time.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import HTTP
import HTTPServing
import JSON
import LogbookWire
import Time
import WebAccess
import Wire

final class LogbookAnswer {
  private enum Stage {
    case asking(LogbookQuery.Form)
    /// The transfer, and how many of its bytes have arrived.
    case downloading(LogbookDownload, transfer: Int, length: Int)
    /// The recorder says where to put the file.
    case announcing
    case uploading(transfer: Int, length: Int)
    case finished
  }

  /// For most answers, and for each piece of a file that is imported.
  static let answerTime = Duration.seconds(5)
  /// For the import of a file that has arrived.
  static let importTime = Duration.seconds(120)

  private let exchange: HTTPExchange
  private let loop: EventLoop
  private let path: String
  private let write: (RequestID, inout JSONWriter) -> Void
  private let ended: (LogbookAnswer) -> Void
  private var stage: Stage
  private var link: LogbookLink?
  private var deadline: Deadline?

  init(
    to exchange: HTTPExchange, _ query: LogbookQuery, in loop: EventLoop, path: String,
    ended: @escaping (LogbookAnswer) -> Void
  ) {
    (self.exchange, self.loop, self.path, self.ended) = (exchange, loop, path, ended)
    write = query.write
    stage = .asking(query.form)
    begin(timeLimit: query.timeLimit)
  }

  /// Imports the file of the request.
  init(
    importing exchange: HTTPExchange, _ request: ImportRequest, in loop: EventLoop, path: String,
    ended: @escaping (LogbookAnswer) -> Void
  ) {
    (self.exchange, self.loop, self.path, self.ended) = (exchange, loop, path, ended)
    write = { id, writer in writer.request(id, request) }
    stage = .announcing
    begin(timeLimit: Self.answerTime)
  }

  /// The time counts from the arrival of the request.
  private func begin(timeLimit: Duration) {
    deadline = loop.schedule(after: timeLimit) { [weak self] in self?.fail(.timeout) }
    exchange.extendLimit(to: timeLimit + .seconds(1))
    exchange.whenAbandoned { [weak self] in self?.finish() }
  }

  /// Asks the recorder.
  func start() {
    guard link == nil else { return }
    let link = LogbookLink(
      to: path, in: loop, onRecord: { [weak self] record in self?.handle(record) },
      onEnd: { [weak self] error in self?.fail(error) })
    self.link = link
    link.send(write)
  }

  private func handle(_ record: ReceivedRecord) {
    switch record.recordClass {
    case "error": fail(record.refusal)
    case "reply": handle(reply: record["result"] ?? .object([]))
    case DataRecord.className: handle(data: record.content)
    default: break
    }
  }

  private func handle(reply: JSONValue) {
    switch stage {
    case .asking(.result): answer(reply)
    case .asking(let form): download(reply, form)
    case .announcing:
      guard let transfer = reply["transfer"]?.integer else { return fail(Self.unclear) }
      stage = .uploading(transfer: transfer, length: 0)
      readFile()
    case .uploading(_, let length):
      if length == exchange.request.fileLength { answer(reply) } else { readFile() }
    case .downloading, .finished: break
    }
  }

  private static let unclear = ClientError.notUnderstood("the recorder's answer is not understood")

  // MARK: Ends

  private func answer(_ result: JSONValue) {
    var response = HTTPResponse(.ok, .bytes(Array(result.encoded.utf8))).setting("Content-Type", "application/json")
    if let version = result["version"]?.integer { response.set("ETag", VersionTag.tag(of: version)) }
    exchange.answer(response.uncached)
    finish()
  }

  private func fail(_ error: ClientError) {
    switch stage {
    case .downloading(let download, _, _):
      download.fail()
      exchange.resume()
    case .asking, .announcing, .uploading: exchange.answer(HTTPResponse(HTTPRefusal(error)).uncached)
    case .finished: break
    }
    finish()
  }

  private func finish() {
    if case .finished = stage { return }
    stage = .finished
    deadline?.cancel()
    link?.close()
    link = nil
    ended(self)
  }
}

// MARK: Downloads

extension LogbookAnswer {
  private func download(_ reply: JSONValue, _ form: LogbookQuery.Form) {
    guard let begun = TransferReply(reply) else { return fail(Self.unclear) }
    // From here on, the time is that of the body: the server ends a body that stands still.
    deadline?.cancel()
    let download = LogbookDownload { [weak self] in self?.link?.resume() }
    stage = .downloading(download, transfer: begun.transfer, length: 0)
    var response = HTTPResponse(.ok, .pieces(length: nil))
    if case .file(let type) = form {
      response.set("Content-Type", type)
      response.set("Content-Disposition", FileName.disposition(begun.name ?? "export"))
    } else {
      response.set("Content-Type", "application/json")
    }
    exchange.answer(response.uncached, from: download)
    if exchange.request.method == .head { finish() }
  }

  private func handle(data content: JSONValue) {
    guard case .downloading(let download, let transfer, let length) = stage else { return }
    guard let record = DataRecord(content), record.transfer == transfer, record.offset == length else {
      return fail(Self.unclear)
    }
    let bytes = record.piece.bytes
    stage = .downloading(download, transfer: transfer, length: length + bytes.count)
    download.append(bytes, isLast: record.isLast)
    link?.pause()
    exchange.resume()
    if record.isLast { finish() }
  }
}

// MARK: Uploads

extension LogbookAnswer {
  /// Meanwhile the time is that of the client, which the server limits.
  private func readFile() {
    deadline?.cancel()
    exchange.readFile(Piece.mostBytes) { [weak self] piece in self?.put(piece) }
  }

  private func put(_ piece: [UInt8]) {
    guard case .uploading(let transfer, let length) = stage else { return }
    let end = length + piece.count
    stage = .uploading(transfer: transfer, length: end)
    var request = PutRequest()
    (request.transfer, request.offset, request.piece) = (transfer, length, Piece(piece))
    request.end = end == exchange.request.fileLength
    request.bytes = request.end ? end : nil
    let time = request.end ? Self.importTime : Self.answerTime
    deadline?.set(to: loop.now + time)
    exchange.extendLimit(to: time + .seconds(1))
    link?.send { [request] id, writer in writer.request(id, request) }
  }
}

extension HTTPResponse {
  /// Browsers must not keep it.
  fileprivate var uncached: HTTPResponse { setting("Cache-Control", "no-store").securing() }
}

/// The name of a file in a field of HTTP: RFC 6266.
enum FileName {
  static func disposition(_ name: String) -> String {
    let plain = name.utf8.map { byte in
      switch byte {
      case 0x20...0x7e where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\"): byte
      default: UInt8(ascii: "_")
      }
    }
    let text = "attachment; filename=\"\(String(decoding: plain, as: UTF8.self))\""
    return plain.elementsEqual(name.utf8) ? text : text + "; filename*=UTF-8''" + encoded(name)
  }

  private static func encoded(_ name: String) -> String {
    var text: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        text.append(byte)
      default:
        text.append(UInt8(ascii: "%"))
        text.appendHex(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
