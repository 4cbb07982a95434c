// A server of HTTP/1.1 for TCP and Unix sockets. A handler answers the requests.

public import EventLoop
import HTTP
public import Linux
public import ProgramKit

public final class HTTPServer {
  public let limits: HTTPLimits
  /// Shared by all connections, as only one is read at a time.
  private var readBuffer = [UInt8](repeating: 0, count: 16 << 10)
  private let loop: EventLoop
  private let log: Log
  private weak var handler: (any HTTPHandler)?
  private var listeners: [(acceptor: Acceptor, path: String?)] = []
  private var connections: [HTTPConnection] = []

  public init(loop: EventLoop, log: Log, limits: HTTPLimits = HTTPLimits(), handler: any HTTPHandler) {
    self.loop = loop
    self.log = log
    self.limits = limits
    self.handler = handler
  }

  /// Without those that are refused, or only leave.
  public var connectionCount: Int { connections.count { $0.isInUse } }

  /// Listens on an address of this computer. Returns it with the port that the kernel chose for 0.
  @discardableResult
  public func listen(on address: InternetAddress, name: String) throws(SystemError) -> InternetAddress {
    let listener = try TCPSocket.listen(on: address)
    let bound = try TCPSocket.localAddress(of: listener.number)
    try listen(listener, name: name, path: nil, isUnix: false)
    return bound
  }

  /// The file is removed when the server closes.
  public func listen(at path: String, mode: UInt32, name: String) throws(SystemError) {
    try listen(UnixSocket.listen(at: path, mode: mode), name: name, path: path, isUnix: true)
  }

  /// Listens on a socket that the service manager opened, and has its name.
  public func listen(on inherited: consuming InheritedSocket) throws(SystemError) {
    let name = inherited.name
    var isUnix = false
    if case .unix = inherited.address { isUnix = true }
    try listen(inherited.takeDescriptor(), name: name, path: nil, isUnix: isUnix)
  }

  private func listen(
    _ listener: consuming FileDescriptor, name: String, path: String?, isUnix: Bool
  ) throws(SystemError) {
    if !isUnix {
      try TCPSocket.setNoDelay(listener.number)
      try TCPSocket.setUserTimeout(listener.number, limits.stallTime)
    }
    let acceptor = try Acceptor(
      listener, loop: loop,
      failed: { [weak self] error in self?.log.warning("\(name): cannot accept a connection: \(error)") },
      accepted: { [weak self] socket in self?.accept(socket, name, isUnix) })
    listeners.append((acceptor, path))
  }

  /// Closes listeners and connections. Exchanges that wait for an answer are abandoned.
  public func close() {
    for (acceptor, path) in listeners {
      acceptor.close()
      if let path { try? Files.remove(path) }
    }
    listeners = []
    for connection in connections { connection.close() }
  }

  func closed(_ connection: HTTPConnection) {
    connections.removeAll { $0 === connection }
  }

  /// The buffer is out while a connection is read.
  func swapReadBuffer(with other: inout [UInt8]) { swap(&readBuffer, &other) }

  func handle(_ exchange: HTTPExchange) {
    guard let handler else { return exchange.answer(HTTPResponse(.unavailable)) }
    handler.handle(exchange)
  }

  func answer(to refusal: HTTPRefusal) -> HTTPResponse {
    handler?.answer(to: refusal) ?? HTTPResponse(refusal)
  }

  private func accept(_ socket: consuming FileDescriptor, _ name: String, _ isUnix: Bool) {
    do throws(SystemError) {
      let origin = try ConnectionOrigin(socket.number, listener: name, isUnix: isUnix)
      admit(try HTTPConnection(socket, origin, self, loop: loop))
    } catch {
      // The client may be gone already.
      log.debug("\(name): cannot serve a connection: \(error)")
    }
  }

  private func admit(_ connection: HTTPConnection) {
    let present = connections.filter { $0.isInUse }
    connections.append(connection)
    switch Admission(limits: limits).decide(connection.origin.peerAddress, among: present.map(\.place), at: loop.now) {
    case .free: break
    case .inPlaceOf(let index): present[index].close()
    case .full(let reason):
      log.debug("\(connection.origin.listener): \(connection.origin) is refused: \(reason)")
      connection.refuse(with: answer(to: HTTPRefusal(.unavailable, reason)))
    }
    // So that a flood does not use up the descriptors.
    let leaving = connections.filter { !$0.isInUse }
    for other in leaving.dropLast(limits.leavingConnections) { other.close() }
  }
}
