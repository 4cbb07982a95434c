// What the library has reported and the owner has not handled yet. Its memory is used again.

struct Inbox {
  enum Report {
    case accepted(BrokerSession, keepAlive: Duration?)
    case refused(BrokerRefusal)
    case acknowledged(MessageID, BrokerRefusal?)
    case subscribed(MessageID, [BrokerRefusal?])
    /// Topic and payload are in `bytes`.
    case message(topic: Range<Int>, payload: Range<Int>, IncomingMessage)
    case ended(BrokerRefusal)
  }

  private(set) var reports: [Report] = []
  private(set) var bytes: [UInt8] = []

  /// They leave time for everything else in the loop.
  static let packetsPerTurn = 16
  private static let bytesPerTurn = 64 << 10

  var isFull: Bool { bytes.count >= Self.bytesPerTurn }

  mutating func append(_ report: Report) {
    reports.append(report)
  }

  mutating func append(_ topic: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer, _ message: IncomingMessage) {
    let start = bytes.count
    unsafe bytes.append(contentsOf: topic)
    let middle = bytes.count
    unsafe bytes.append(contentsOf: payload)
    reports.append(.message(topic: start..<middle, payload: middle..<bytes.count, message))
  }

  mutating func clear() {
    reports.removeAll(keepingCapacity: true)
    // One large message must not occupy memory for ever.
    bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * Self.bytesPerTurn)
  }
}
