// A client of the daemon that follows the script and checks what it receives.

import Fuzzing
import JSON
import Linux

final class FuzzClient {
  private let socket: FileDescriptor
  private var bytes: [UInt8] = []
  private var isGreeted = false
  /// The last `seq` of each sensor and kind.
  private var sequences: [String: Int] = [:]
  /// Sensors and kinds with a sample since the last reply. Only a snapshot repeats a sample.
  private var samplesSinceReply: Set<String> = []
  /// The ids of replies that are strings.
  private(set) var repliedTo: [String] = []

  init(_ path: String) throws {
    socket = try UnixSocket.connect(to: path)
    try socket.setNonBlocking()
  }

  /// Drops what the socket does not accept at once, like a client that gives up.
  func send(_ bytes: [UInt8]) throws {
    try untilGone { () throws(SystemError) in _ = try UnixSocket.send(socket.number, bytes.span) }
  }

  /// It is not a finding if the daemon disconnected this client.
  private func untilGone(_ body: () throws(SystemError) -> Void) throws {
    do throws(SystemError) {
      try body()
    } catch {
      guard error.isPeerGone else { throw error }
    }
  }

  func stopSending() {
    try? UnixSocket.shutdownWrite(socket.number)
  }

  func read() throws {
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
    default: break
    }
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
