// One connection to control.sock, guide.sock or mqtt.sock, for requests of one page: they end with the page, and so
// does what they have started. Records that are not replies are passed on.

import EventLoop
import JSON
import Linux
import Wire

/// Why the daemon or the guide did not do what was requested.
struct ControlRefusal: Error {
  /// One of the protocol's codes; nil if there was no answer.
  let code: String?
  let message: String
}

final class ControlConnection {
  typealias Done = (Result<JSONValue, ControlRefusal>) -> Void

  /// Who answers, in sentences.
  private let peer: String
  private let socket: FileDescriptor
  private var watch: Watch?
  private var splitter = LineSplitter()
  private var output: [UInt8] = []
  private var pending: [Int: Done] = [:]
  private var lastNumber = 0
  private let received: (Span<UInt8>) -> Void
  /// Called once, when the other side has closed the connection.
  private let ended: () -> Void

  init(
    to path: String, of peer: String = "the daemon", in loop: EventLoop, received: @escaping (Span<UInt8>) -> Void,
    ended: @escaping () -> Void
  ) throws(SystemError) {
    self.peer = peer
    socket = try UnixSocket.connect(to: path, nonBlocking: true)
    (self.received, self.ended) = (received, ended)
    watch = try loop.watch(socket.number, for: .readable) { [weak self] ready in self?.serve(ready) }
  }

  deinit { watch?.cancel() }

  /// Whether nothing waits for an answer.
  var isIdle: Bool { pending.isEmpty }

  /// The parameters are an object in JSON. `done` is called once, and never in this call.
  func send(_ method: String, _ parameters: ArraySlice<UInt8>, _ done: @escaping Done) {
    lastNumber += 1
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("id", lastNumber)
    writer.member("method", method)
    writer.member("params")
    // Not as a value, which has no null: null clears a setting. Line feeds can only be between tokens.
    writer.encoded(parameters.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }[...])
    writer.endObject()
    writer.endLine()
    pending[lastNumber] = done
    output += writer.bytes
    try? watch?.change(to: [.readable, .writable])
  }

  /// No closure is called afterwards.
  func close() {
    watch?.cancel()
    watch = nil
    pending = [:]
  }

  private func serve(_ ready: Interest) {
    do throws(SystemError) {
      if ready.contains(.writable) { try write() }
      if !ready.isDisjoint(with: [.readable, .hangUp, .failed]) { try read() }
    } catch {
      end("\(peer) closed the connection")
    }
  }

  private func write() throws(SystemError) {
    let bytes = output
    if case .done(let count) = try StreamSocket.send(socket.number, bytes.span) { output.removeFirst(count) }
    if output.isEmpty { try watch?.change(to: .readable) }
  }

  private func read() throws(SystemError) {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    guard case .done(let count) = try socket.read(into: &buffer) else { return }
    guard count > 0 else { return end("\(peer) closed the connection") }
    let outcome = splitter.feed(buffer.span.extracting(..<count)) { line in
      handle(line)
      return watch != nil
    }
    if outcome == .lineTooLong { end("\(peer) sent a line that is too long") }
  }

  private func handle(_ line: Span<UInt8>) {
    guard let json = try? JSONValue.parse(line) else { return }
    switch json["class"]?.text {
    case "reply": finish(json["id"]?.integer, .success(json["result"] ?? .object([])))
    case "error":
      let refusal = ControlRefusal(code: json["code"]?.text, message: json["message"]?.text ?? "\(peer) refused")
      guard let number = json["id"]?.integer else { return end(refusal.message) }
      finish(number, .failure(refusal))
    case "hello": break
    default: received(line)
    }
  }

  private func finish(_ number: Int?, _ result: Result<JSONValue, ControlRefusal>) {
    number.flatMap { pending.removeValue(forKey: $0) }?(result)
  }

  private func end(_ reason: String) {
    guard watch != nil else { return }
    let waiting = pending.sorted { $0.key < $1.key }
    close()
    for (_, done) in waiting { done(.failure(ControlRefusal(code: nil, message: reason))) }
    ended()
  }
}
