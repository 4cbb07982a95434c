// The programs that decode for sensors: plugin.sock, and which program decodes for which plugin.
//
// Invariant: a plugin has at most one program, whose user its file names.

import DeclaredSensors
import EventLoop
import Linux
import ProgramKit
import Sensing
import SensorFolders
import SensorKit
import SensorProcesses
import Serving
import Time
import Wire

final class ProcessKeeper {
  static let group = "cyclometer-plugin"
  /// One user can have as many programs as there can be files, unless another user needs some of them.
  private static let places = Places(limit: DeclaredSensorSet.mostFiles + reserved, reserved: reserved)
  private static let reserved = 16
  /// Connections that were turned away, and may still read the reason.
  private static let mostLeaving = 64
  /// What is read of a program in one turn of the loop, which other sensors wait for.
  private static let mostReadAtOnce = 4 << 10

  private let plugins: PluginKeeper
  private let loop: EventLoop
  private let log: Log
  private let release: String
  private let instance: String
  /// Programs of the daemon's own user may decode for any file. For simulations.
  private let admitsOwnUser: Bool
  private var connections: [ProcessConnection] = []
  private var registrations: [Registration] = []
  private var sessions: [ProcessSession] = []
  private var lastSession = 0
  private var strikes = ProcessStrikes()
  private var acceptor: Acceptor?
  /// Removed at the end; nil if the service manager owns the socket.
  private var path: String?
  private var readBuffer = [UInt8](repeating: 0, count: mostReadAtOnce)
  private var quotas = UserQuotas()
  /// The peer's credentials according to the kernel. Tests replace it to have other users.
  var identify: (Int32) throws(SystemError) -> PeerCredentials = { number throws(SystemError) in
    try UnixSocket.peer(of: number)
  }

  private struct Registration {
    let connection: ProcessConnection
    let plugin: SensorInfo
  }

  init(
    plugins: PluginKeeper, loop: EventLoop, log: Log, release: String, instance: String, admitsOwnUser: Bool
  ) {
    self.plugins = plugins
    self.loop = loop
    self.log = log
    self.release = release
    self.instance = instance
    self.admitsOwnUser = admitsOwnUser
  }

  /// The buffer is out while the lines of a program are handled, and no other program is read meanwhile.
  func swapReadBuffer(with other: inout [UInt8]) { swap(&readBuffer, &other) }

  var isListening: Bool { acceptor != nil }

  func listen(on socket: consuming InheritedSocket) throws(SystemError) {
    try listen(socket.takeDescriptor())
  }

  func listen(at path: String) throws(SystemError) {
    let descriptor = try UnixSocket.listen(at: path, mode: 0o660)
    self.path = path
    if let group = ProcessEnvironment.group(named: Self.group) {
      do throws(SystemError) {
        try Files.setGroup(path, group)
      } catch {
        log.warning("cannot give \(path) to the group \(Self.group): \(error)")
      }
    }
    try listen(descriptor)
  }

  private func listen(_ descriptor: consuming FileDescriptor) throws(SystemError) {
    acceptor = try Acceptor(
      descriptor, loop: loop, failed: { [weak self] error in self?.log.warning("cannot accept a program: \(error)") },
      accepted: { [weak self] socket throws(SystemError) in try self?.accept(socket) })
  }

  func stop() {
    acceptor?.close()
    if let path { try? Files.remove(path) }
    for connection in connections { connection.close() }
  }

  /// The files were read again. A program whose file is another one now has to register again.
  func filesChanged() {
    for registration in registrations where loaded(registration.plugin) == nil {
      registration.connection.end(
        with: ProcessFault(.noSuchFile, "the file was changed or removed: register again"))
    }
  }

  private func loaded(_ plugin: SensorInfo) -> DeclaredSensorSet.Loaded? {
    plugins.installed?.declared.loaded.first { $0.plugin.info === plugin }
  }
}

// MARK: Connections

extension ProcessKeeper {
  private func accept(_ socket: consuming FileDescriptor) throws(SystemError) {
    let peer = try identify(socket.number)
    let connection = try ProcessConnection(
      socket, peer, quota: quotas.quota(of: peer.user, at: loop.now), keeper: self, loop: loop)
    let present = connections.filter { $0.conversation?.isEnded == false }
    connections.append(connection)
    connection.begin(release: release, instance: instance, owner: self)
    if !strikes.admits(peer.user, at: loop.now) {
      connection.end(with: ProcessFault(.denied, "three errors in a minute: try again in a minute"))
    } else {
      switch Self.places.decide(connection.place, among: present.map(\.place), at: loop.now) {
      case .free: break
      case .inPlaceOf(let index):
        present[index].end(with: ProcessFault(.busy, "closed for another user: too many programs are connected"))
      case .full(let why): connection.end(with: ProcessFault(.busy, why))
      }
    }
    // So that a flood of connections does not use up descriptors.
    if connections.count > present.count + Self.mostLeaving { connection.close() }
  }

  func closed(_ connection: ProcessConnection) {
    unregister(connection, because: .pluginGone)
    connections.removeAll { $0 === connection }
  }

  private func unregister(_ connection: ProcessConnection, because obstacle: StateReason) {
    guard let index = registrations.firstIndex(where: { $0.connection === connection }) else { return }
    let plugin = registrations.remove(at: index).plugin
    log.warning("\(plugin.id): its program \(obstacle == .pluginSlow ? "hangs" : "is gone")", .plugin(plugin.id))
    for session in sessions where session.plugin === plugin { session.end(because: obstacle) }
  }

  private func connection(of conversation: ProcessConversation) -> ProcessConnection? {
    connections.first { $0.conversation === conversation }
  }
}

// MARK: Sessions

extension ProcessKeeper: ProcessPorts {
  func open(
    _ plugin: SensorInfo, for reader: SensorReader, _ settings: SensorSettings
  ) -> any ProcessPort {
    lastSession += 1
    let session = ProcessSession(lastSession, of: plugin, for: reader, settings, keeper: self)
    sessions.append(session)
    if let registration = registrations.first(where: { $0.plugin === plugin }) {
      session.begin(with: registration.connection)
    }
    return session
  }

  /// Whose program may decode for the plugin.
  func user(of plugin: SensorInfo) -> String? { loaded(plugin)?.program.process?.user }

  func remove(_ session: ProcessSession) { sessions.removeAll { $0 === session } }

  private func session(_ number: Int) -> ProcessSession? { sessions.first { $0.number == number } }
}

// MARK: Conversations

extension ProcessKeeper: ProcessConversationOwner {
  func conversation(_ conversation: ProcessConversation, registers id: String) throws(ProcessFault) -> ProcessProgram {
    guard let connection = connection(of: conversation),
      let loaded = plugins.installed?.declared.loaded.first(where: { $0.program.info.id == id }),
      let process = loaded.program.process
    else { throw ProcessFault(.noSuchFile, "no file with [Process] has the id \(id.prefix(40))") }
    guard isAdmitted(connection.peer, for: process) else {
      throw ProcessFault(.denied, "\(loaded.file.name) is for a program of the user \(process.user)")
    }
    guard !registrations.contains(where: { $0.plugin === loaded.plugin.info }) else {
      throw ProcessFault(.busy, "another program decodes for \(id)")
    }
    registrations.append(Registration(connection: connection, plugin: loaded.plugin.info))
    return process
  }

  private func isAdmitted(_ peer: PeerCredentials, for process: ProcessProgram) -> Bool {
    if admitsOwnUser, peer.user == ProcessEnvironment.user { return true }
    return ProcessEnvironment.user(named: process.user) == peer.user
  }

  func conversationIsReady(_ conversation: ProcessConversation) {
    guard let registration = registrations.first(where: { $0.connection.conversation === conversation }) else { return }
    let peer = registration.connection.peer
    let plugin = registration.plugin
    log.info("\(plugin.id): process \(peer.process) of user \(peer.user) decodes", .plugin(plugin.id))
    for session in sessions where session.plugin === plugin {
      session.begin(with: registration.connection)
      session.reader?.process(of: plugin, changedTo: nil)
    }
  }

  func conversation(
    _ conversation: ProcessConversation, answered packet: ProcessPacket, refusal: DecodeError?,
    with batch: inout Batch
  ) {
    guard let session = session(packet.session) else { return }
    session.reader?.process(
      of: session.plugin, answered: packet.origin, at: packet.time, refusal: refusal, with: &batch)
  }

  func conversation(_ conversation: ProcessConversation, missedPacketOf session: Int) {
    self.session(session)?.reader?.processMissedPacket()
  }

  func conversation(
    _ conversation: ProcessConversation, answeredCommandOf session: Int, error: String?, with batch: inout Batch
  ) {
    guard let session = self.session(session) else { return }
    if let error {
      session.reader?.processFailedCommand(of: session.plugin, Refusal(.badRequest, error))
    } else {
      session.reader?.processAnsweredCommand(of: session.plugin, with: &batch)
    }
  }

  func conversation(_ conversation: ProcessConversation, lostCommandOf session: Int) {
    let refusal = Refusal(.timeout, "the program that decodes for this sensor did not answer")
    guard let session = self.session(session) else { return }
    session.reader?.processFailedCommand(of: session.plugin, refusal)
  }

  func conversation(_ conversation: ProcessConversation, answeredTickOf session: Int, with batch: inout Batch) {
    guard let session = self.session(session) else { return }
    session.reader?.process(of: session.plugin, answered: nil, at: loop.now, with: &batch)
  }

  func conversation(_ conversation: ProcessConversation, logs text: String) {
    let id = conversation.id ?? ""
    log.info("\(id): \(text)", .plugin(id))
  }

  func conversationLeftItsFile(_ conversation: ProcessConversation) {
    let id = conversation.id ?? ""
    log.warning("\(id): its program publishes what its file does not have, or a number that is too large", .plugin(id))
  }

  func conversation(_ conversation: ProcessConversation, endedWith fault: ProcessFault) {
    guard let connection = connection(of: conversation) else { return }
    let peer = connection.peer
    log.warning(
      "a program of user \(peer.user), process \(peer.process), is disconnected: \(fault.code.rawValue): \(fault.message)",
      .user(peer.user))
    if ProcessStrikes.counts(fault) { strikes.add(peer.user, at: loop.now) }
    unregister(connection, because: fault.code == .pluginSlow ? .pluginSlow : .pluginGone)
  }
}
