// A client of a service that follows the script and checks what it receives.

import JSON
import Linux

public final class FuzzClient {
  private let socket: FileDescriptor
  private var bytes: [UInt8] = []
  private var isGreeted = false
  /// The last `seq` of each sensor and kind.
  private var sequences: [String: Int] = [:]
  /// Sensors and kinds with a sample since the last reply. Only a snapshot repeats a sample.
  private var samplesSinceReply: Set<String> = []
  /// The ids of replies that are strings.
  public private(set) var repliedTo: [String] = []
  /// How long the transfers are so far.
  private var transfers: [Int: Int] = [:]

  public init(_ path: String) throws {
    socket = try UnixSocket.connect(to: path)
    try socket.setNonBlocking()
  }

  /// Drops what the socket does not accept at once, like a client that gives up.
  public func send(_ bytes: [UInt8]) throws {
    try untilGone { () throws(SystemError) in _ = try StreamSocket.send(socket.number, bytes.span) }
  }

  /// It is not a finding if the daemon disconnected this client.
  private func untilGone(_ body: () throws(SystemError) -> Void) throws {
    do throws(SystemError) {
      try body()
    } catch {
      guard error.isPeerGone else { throw error }
    }
  }

  public func stopSending() {
    try? StreamSocket.shutdownWrite(socket.number)
  }

  public func read() throws {
    try untilGone { () throws(SystemError) in try fill() }
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return }
    let lines = Array(bytes[...end])
    bytes.removeSubrange(...end)
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      require(line.count < LineSplitter.protocolLimit, "a line of \(line.count) bytes")
    }
    for record in records(of: lines) { check(record) }
  }

  private func fill() throws(SystemError) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case .done(let count) = try socket.read(into: &chunk), count > 0 { bytes += chunk[..<count] }
  }

  private func check(_ record: JSONValue) {
    show("  receives \(record["class"]?.text ?? "")")
    if !isGreeted {
      require(record["class"] == "hello", "the first line is not a greeting")
      isGreeted = true
    }
    switch record["class"]?.text {
    case "reply":
      require(record["id"] != nil && record["result"] != nil, "a reply without id or result")
      if let id = record["id"]?.text { repliedTo.append(id) }
      samplesSinceReply = []
    case "error": require(record["message"]?.text?.isEmpty == false, "an error without a sentence")
    case "sample": checkSample(record)
    case "data": checkPiece(record)
    default: break
    }
  }

  /// The pieces of a transfer follow one another.
  private func checkPiece(_ record: JSONValue) {
    guard let number = record["transfer"]?.integer, let offset = record["offset"]?.integer,
      let base64 = record["base64"]?.text
    else {
      return require(false, "a piece without transfer, offset or content")
    }
    require(base64.utf8.count % 4 == 0, "a piece has \(base64.utf8.count) characters")
    let length = transfers[number, default: 0]
    require(offset == length, "transfer \(number): after \(length) bytes comes \(offset)")
    let padding = base64.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    transfers[number] = length + base64.utf8.count / 4 * 3 - padding
    if record["end"] == true { require(record["bytes"]?.integer == transfers[number], "transfer \(number) is short") }
  }

  /// A snapshot may repeat a sample. The `seq` of live samples rises.
  private func checkSample(_ record: JSONValue) {
    guard let sensor = record["sensor"]?.text, let kind = record["kind"]?.text, let number = record["seq"]?.integer
    else {
      return require(false, "a sample without sensor, kind or seq")
    }
    let stream = "\(sensor) \(kind)"
    let last = sequences.updateValue(number, forKey: stream) ?? 0
    let mayRepeat = samplesSinceReply.insert(stream).inserted
    require(number > last || mayRepeat && number == last, "\(stream): after \(last) comes \(number)")
  }
}
