// The clients of a script, in the virtual time of the service that they talk to.

public import EventLoop
import Time

public final class Crowd {
  private let loop: EventLoop
  private let first: String
  private let other: String
  private var clients: [FuzzClient?] = Array(repeating: nil, count: SocketScript.clients)
  private var requests = 0

  /// The paths of the service's sockets. A client that only sends connects to the first one.
  public init(_ loop: EventLoop, first: String, other: String? = nil) {
    self.loop = loop
    self.first = first
    self.other = other ?? first
  }

  public func play(_ step: SocketScript.Step) throws {
    show("\(step)")
    switch step {
    case .connect(let client, let toFirst): try connect(client, to: toFirst ? first : other)
    case .send(let client, let bytes): try send(client, bytes)
    case .request(let client, let method, let parameters, let times):
      requests += 1
      let head = #"{"id":\#(requests),"method":"\#(method)","params":{"#
      let line = Array(head.utf8) + parameters + Array("}}\n".utf8)
      try send(client, Array(repeatElement(line, count: times).joined()))
    case .read(let client): try clients[client]?.read()
    case .stopSending(let client): clients[client]?.stopSending()
    case .close(let client): clients[client] = nil
    case .pass(let milliseconds): try pass(.milliseconds(milliseconds))
    }
    try pass(.milliseconds(1))
  }

  /// All clients read the rest, and are gone.
  public func leave() throws {
    for client in clients { try client?.read() }
    try pass(.seconds(5))
    for client in clients { try client?.read() }
    clients = clients.map { _ in nil }
    try pass(.milliseconds(1))
  }

  /// A request that must be answered within that time. `request` is the rest of the line after
  /// `"method":`.
  public func ask(_ id: String, _ request: String, within span: Duration = .seconds(1)) throws {
    try send(0, Array((#"{"id":"\#(id)","method":\#(request)}"# + "\n").utf8))
    try pass(span)
    try clients[0]?.read()
    require(clients[0]?.repliedTo.last == id, "\(request) is not answered")
  }

  private func connect(_ client: Int, to path: String) throws {
    clients[client] = nil
    try pass(.milliseconds(1))
    clients[client] = try FuzzClient(path)
  }

  private func send(_ client: Int, _ bytes: [UInt8]) throws {
    if clients[client] == nil { try connect(client, to: first) }
    try clients[client]?.send(bytes)
  }

  private func pass(_ span: Duration) throws {
    _ = try loop.run(until: loop.now + span) { false }
  }
}
