// A broker for what the real one never does: it answers what a test tells it to.

import EventLoop
import Linux
import Time

final class StandInBroker {
  let port: UInt16
  /// For each packet of the client. What it returns is sent; nil closes the connection.
  var answer: ([UInt8]) -> [UInt8]? = { _ in [] }
  private(set) var connectionCount = 0
  /// The CONNECT packets.
  private(set) var greetings: [[UInt8]] = []
  private let loop: EventLoop
  private var acceptor: Acceptor?
  private var clients: [Int32: Client] = [:]

  private struct Client {
    let socket: FileDescriptorBox
    let watch: Watch
  }

  init(in loop: EventLoop) throws {
    self.loop = loop
    let listener = try TCPSocket.listen(on: .loopback(port: 0))
    port = try TCPSocket.localAddress(of: listener.number).port
    acceptor = try Acceptor(listener, loop: loop, failed: { _ in }) { [weak self] socket throws(SystemError) in
      try self?.accept(socket)
    }
  }

  /// Sends to everybody.
  func send(_ bytes: [UInt8]) {
    for client in clients.values { _ = try? writeDescriptor(client.socket.number, bytes.span) }
  }

  func closeAll() {
    for number in Array(clients.keys) { close(number) }
  }

  private func accept(_ socket: consuming FileDescriptor) throws(SystemError) {
    connectionCount += 1
    let box = FileDescriptorBox(socket)
    let watch = try loop.watch(box.number, for: .readable) { [weak self] _ in self?.read(box.number) }
    clients[box.number] = Client(socket: box, watch: watch)
  }

  private func close(_ number: Int32) {
    clients[number]?.watch.cancel()
    clients[number] = nil
  }

  private func read(_ number: Int32) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    guard case .done(let count)? = try? readDescriptor(number, into: &bytes), count > 0 else { return close(number) }
    for packet in Self.packets(bytes.prefix(count)) {
      if packet[0] == 0x10 { greetings.append(packet) }
      guard let answer = answer(packet) else { return close(number) }
      if !answer.isEmpty { _ = try? writeDescriptor(number, answer.span) }
    }
  }

  /// Those of tests are short: the length has one byte.
  private static func packets(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    var (packets, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes)
    while rest.count >= 2 {
      let length = 2 + Int(rest[rest.startIndex + 1] & 0x7f)
      packets.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return packets
  }
}

/// Packets of a broker.
enum Packet {
  /// A message with user properties, which is not acknowledged.
  static func message5(to topic: String, _ payload: [UInt8], user properties: [(String, String)]) -> [UInt8] {
    func text(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + Array(text.utf8) }
    var all: [UInt8] = []
    for (name, value) in properties { all += [0x26] + text(name) + text(value) }
    let rest = text(topic) + length(all.count) + all + payload
    return [0x30] + length(rest.count) + rest
  }

  private static func length(_ count: Int) -> [UInt8] {
    count < 128 ? [UInt8(count)] : [UInt8(count & 0x7f) | 0x80, UInt8(count >> 7)]
  }

  static let accepted311: [UInt8] = [0x20, 2, 0, 0]
  static func refused311(_ code: UInt8) -> [UInt8] { [0x20, 2, 0, code] }
  static let accepted5: [UInt8] = [0x20, 3, 0, 0, 0]
  static func refused5(_ code: UInt8) -> [UInt8] { [0x20, 3, 0, code, 0] }
  static func disconnect5(_ code: UInt8) -> [UInt8] { [0xe0, 2, code, 0] }
  /// The id of the request, with MQTT 5 no properties, and a code for each filter.
  static func subscribed(_ request: [UInt8], _ codes: [UInt8], isVersion5: Bool) -> [UInt8] {
    var rest = Array(request[2...3])
    if isVersion5 { rest.append(0) }
    rest += codes
    return [0x90, UInt8(rest.count)] + rest
  }
}
