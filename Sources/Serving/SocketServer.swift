// The sockets of a service and their clients. Limits the number of clients, and keeps connections
// free for the reserved socket and for other users.

package import EventLoop
package import Linux
package import ProgramKit
package import Wire

package final class SocketServer {
  package static let group = "cyclometer"
  /// How many clients that were turned away may still read the reason.
  static let mostLeaving = 32

  let publisher: Publisher
  /// Shared by all clients, as only one is read at a time.
  private var readBuffer = [UInt8](repeating: 0, count: 16 << 10)
  private let loop: EventLoop
  private let log: Log
  private let hello: any Record
  private let places: Places
  private var listeners: [Listener] = []
  private var clients: [Client] = []
  private var quotas = UserQuotas()
  private weak var handler: (any RequestHandler)?
  /// The peer's credentials according to the kernel. Tests replace it to have more users than their
  /// machine.
  var identify: (Int32) throws(SystemError) -> PeerCredentials = { number throws(SystemError) in
    try UnixSocket.peer(of: number)
  }

  /// Whether the peer has the group as a supplementary one.
  var hasGroup: (Int32, UInt32) -> Bool = { number, group in
    (try? UnixSocket.isPeer(of: number, inGroup: group)) ?? false
  }

  private struct Listener {
    /// Removed at the end; nil if the service manager owns the socket.
    let path: String?
    let role: SocketRole
    let acceptor: Acceptor
  }

  package init(
    loop: EventLoop, log: Log, publisher: Publisher, hello: any Record, handler: any RequestHandler,
    places: Places = Places()
  ) {
    self.loop = loop
    self.log = log
    self.publisher = publisher
    self.hello = hello
    self.handler = handler
    self.places = places
  }

  /// Omits clients that are only reading why they were turned away.
  package var clientCount: Int { clients.count { !$0.isLeaving } }

  /// How many users have a quota.
  var userCount: Int { quotas.count }

  func quota(of user: UInt32) -> UserQuota { quotas.quota(of: user, at: loop.now) }

  /// The buffer is out while a client's lines are handled, and no other client is read meanwhile.
  func swapReadBuffer(with other: inout [UInt8]) { swap(&readBuffer, &other) }

  package func listen(at path: String, mode: UInt32, role: SocketRole) throws(SystemError) {
    let descriptor = try UnixSocket.listen(at: path, mode: mode)
    giveToGroup(path)
    try listen(on: descriptor, path: path, role)
  }

  /// Listens on a socket that a service manager opened. The service manager sets its mode and
  /// group.
  package func listen(on inherited: consuming InheritedSocket, role: SocketRole) throws(SystemError) {
    log.debug("\(inherited.address) was passed by the service manager")
    try listen(on: inherited.takeDescriptor(), path: nil, role)
  }

  package func isListening(_ role: SocketRole) -> Bool {
    listeners.contains { $0.role == role }
  }

  private func listen(
    on descriptor: consuming FileDescriptor, path: String?, _ role: SocketRole
  ) throws(SystemError) {
    let acceptor = try Acceptor(
      descriptor, loop: loop, failed: { [weak self] error in self?.log.warning("cannot accept a client: \(error)") },
      accepted: { [weak self] socket throws(SystemError) in try self?.accept(socket, role) })
    listeners.append(Listener(path: path, role: role, acceptor: acceptor))
  }

  /// Gives the socket to the group. Started by a service manager, the daemon runs with that group
  /// already. If the group does not exist, or this user may not give files to it, the socket stays
  /// with its owner.
  private func giveToGroup(_ path: String) {
    guard let group = ProcessEnvironment.group(named: Self.group) else { return }
    do throws(SystemError) {
      try Files.setGroup(path, group)
    } catch {
      log.debug("cannot give the socket to the group \(Self.group): \(error)")
    }
  }

  /// Stops listening, removes the socket files and disconnects all clients.
  package func close() {
    for listener in listeners {
      listener.acceptor.close()
      if let path = listener.path { try? Files.remove(path) }
    }
    listeners = []
    for client in clients { client.close() }
  }

  /// Logs why a client was disconnected.
  func logEnd(of client: Client, _ what: String) {
    log.info(
      "a client of user \(client.peer.user), process \(client.peer.process), \(what)", .user(client.peer.user))
  }

  func closed(_ client: Client) {
    publisher.remove(client)
    clients.removeAll { $0 === client }
    handler?.ended(client)
  }
}

// MARK: Accepting clients

extension SocketServer {
  private func accept(_ socket: consuming FileDescriptor, _ role: SocketRole) throws(SystemError) {
    admit(try Client(socket, role: role, server: self, loop: loop))
  }

  private func admit(_ client: Client) {
    let present = clients.filter { !$0.isLeaving }
    clients.append(client)
    log.debug(
      "a client of user \(client.peer.user), process \(client.peer.process), on \(client.role.name)",
      .user(client.peer.user))
    client.send(hello)
    switch places.decide(client.place, among: present.map(\.place), at: loop.now) {
    case .free: break
    case .inPlaceOf(let index):
      dismiss(
        present[index], "your connection was closed for another user: all \(places.limit) are in use", present.count)
    case .full(let why): dismiss(client, why, present.count)
    }
  }

  private func dismiss(_ client: Client, _ why: String, _ present: Int) {
    log.debug("a client of user \(client.peer.user), process \(client.peer.process), is turned away: \(why)")
    client.dismiss(ErrorRecord(id: nil, .tooMany, "\(why); try again later"))
    // A client that reads nothing is closed at once. So are all beyond the limit, so that a flood
    // of connections does not use up descriptors.
    if !client.isLeaving || clients.count - present > Self.mostLeaving { client.close() }
  }

  func handle(_ line: Span<UInt8>, from client: Client) {
    do throws(ErrorRecord) {
      let request = try Request.parse(line)
      let asker = Asker(client, request.id)
      do throws(Refusal) {
        if let answer = try handler?.answer(request, from: asker) { asker.answer(answer) }
      } catch {
        asker.refuse(error)
      }
    } catch {
      client.send(error)
    }
  }

  /// Whether the user is root, the service's user, or a member of the group.
  package func isTrusted(_ client: Client) -> Bool {
    if client.peer.user == 0 || client.peer.user == ProcessEnvironment.user { return true }
    guard let group = ProcessEnvironment.group(named: Self.group) else { return false }
    return client.peer.group == group || client.hasGroup(group)
  }
}
