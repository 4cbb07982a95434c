// The meaning of an input: steps of up to four clients, and the time between them. Every input is
// valid.

public struct SocketScript {
  public enum Step {
    /// Reconnects the client, to the first or the other socket of the service.
    case connect(Int, toFirst: Bool)
    case send(Int, [UInt8])
    /// A request with a valid frame, so that its content is reached, or many at once. Unread answers
    /// fill the queue.
    case request(Int, method: String, parameters: [UInt8], times: Int)
    case read(Int)
    case stopSending(Int)
    case close(Int)
    /// In milliseconds.
    case pass(Int)
  }

  public static let clients = 4
  public private(set) var steps: [Step] = []

  private static let pauses = [0, 1, 20, 150, 1000, 3100, 16_000, 61_000]
  /// Milliseconds of all pauses together, because a service works in each second of
  /// them.
  private static let longestLife = 600_000

  /// Requests are of these methods.
  public init(_ bytes: [UInt8], methods: [String]) {
    var rest = bytes[...]
    var life = 0
    while let first = rest.popFirst() {
      let client = Int(first >> 3) % Self.clients
      switch first & 7 {
      case 0: steps.append(.connect(client, toFirst: first & 0x80 != 0))
      case 1: steps.append(.send(client, Self.take(&rest)))
      case 2: steps.append(.send(client, Self.take(&rest) + [UInt8(ascii: "\n")]))
      case 3:
        let method = methods[Int(rest.popFirst() ?? 0) % methods.count]
        let times = first & 0x80 == 0 ? 1 : 400
        steps.append(.request(client, method: method, parameters: Self.take(&rest), times: times))
      case 4: steps.append(.read(client))
      case 5: steps.append(.stopSending(client))
      case 6: steps.append(.close(client))
      default:
        let pause = Self.pauses[Int(first >> 5)]
        life += pause
        if life <= Self.longestLife { steps.append(.pass(pause)) }
      }
    }
  }

  /// As many bytes as the next byte states, or eight times as many from 128 on.
  private static func take(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    guard let length = rest.popFirst() else { return [] }
    let count = min(rest.count, length < 128 ? Int(length) : Int(length - 127) * 8)
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
