// One conversation with the program of a sensor, over a connection that the owner serves: lines and times go
// in, and lines and answers come out. It reads no clock and no descriptor.
//
// Invariant: a packet is answered once, and answers come in the order of the packets. A program that breaks
// this, or that answers nothing for too long, loses its connection.

public import DeclaredSensors
public import SensorKit
public import Time
internal import Vocabulary

/// The sensor of a session, as its program gets to know it.
public struct ProcessSensor: Sendable {
  public let id: String
  public let name: String
  public let settings: SensorSettings

  public init(id: String, name: String, settings: SensorSettings) {
    self.id = id
    self.name = name
    self.settings = settings
  }
}

public protocol ProcessConversationOwner: AnyObject {
  /// The program of a file, if the peer may decode for it.
  func conversation(_ conversation: ProcessConversation, registers id: String) throws(ProcessFault) -> ProcessProgram
  /// The program was told that it is registered: the sessions can be opened.
  func conversationIsReady(_ conversation: ProcessConversation)
  /// `batch` has the records, unless the packet was refused, and the writes.
  func conversation(
    _ conversation: ProcessConversation, answered packet: ProcessPacket, refusal: DecodeError?,
    with batch: inout Batch)
  /// A packet has no answer in time, or newer packets pushed it out.
  func conversation(_ conversation: ProcessConversation, missedPacketOf session: Int)
  func conversation(
    _ conversation: ProcessConversation, answeredCommandOf session: Int, error: String?,
    with batch: inout Batch)
  /// The program did not answer a command in time.
  func conversation(_ conversation: ProcessConversation, lostCommandOf session: Int)
  func conversation(
    _ conversation: ProcessConversation, answeredTickOf session: Int, with batch: inout Batch)
  func conversation(_ conversation: ProcessConversation, logs text: String)
  /// The program published what its file does not have. Called at most once a minute.
  func conversationLeftItsFile(_ conversation: ProcessConversation)
  /// The last line is in the output: nothing more is read.
  func conversation(_ conversation: ProcessConversation, endedWith fault: ProcessFault)
}

public final class ProcessConversation {
  /// Of the protocol.
  public static let version = "1.0"
  /// How long a program may take to register.
  public static let timeToRegister = Duration.seconds(5)
  /// A program that answers nothing for this many times the time for an answer hangs.
  private static let hangFactor = 10

  public private(set) var program: ProcessProgram?
  public private(set) var id: String?
  public private(set) var isEnded = false
  private weak var owner: (any ProcessConversationOwner)?
  private var reader = ProcessMessageReader()
  private var writer = ProcessMessageWriter()
  private var batch = Batch()
  private let startedAt: MonotonicTime
  private var sessions: [Int] = []
  private var packets = WaitingPackets()
  private var lastPacket = 0
  private var lastAnswered = 0
  /// How often the program has answered a packet, a command or a tick, in time or late.
  public private(set) var answers = 0
  private var requests = WaitingRequests()
  private var ticks = Ticks()
  /// Since when the program owes an answer without having given any.
  private var owesSince: MonotonicTime?
  private var writes = RateLimit(20, per: .seconds(1))
  private var logs = RateLimit(10, per: .seconds(60))
  private var excesses = RateLimit(1, per: .seconds(60))

  public init(release: String, instance: String, at time: MonotonicTime, owner: any ProcessConversationOwner) {
    self.owner = owner
    startedAt = time
    writer.hello(release: release, instance: instance)
  }

  /// What is to be sent.
  public var output: [UInt8] { writer.bytes }

  public func sent(_ count: Int) {
    if count == writer.bytes.count { writer.removeAll() } else { writer.removeFirst(count) }
  }

  /// The number of packets whose answers are still of use.
  public var unanswered: Int { packets.count }

  /// Ends it for a reason outside of the conversation, such as a line that is too long.
  public func end(with fault: ProcessFault) {
    guard !isEnded else { return }
    isEnded = true
    writer.error(fault)
    owner?.conversation(self, endedWith: fault)
  }
}

// MARK: To the program

extension ProcessConversation {
  private var isOpen: Bool { program != nil && !isEnded }

  public func open(_ session: Int, _ sensor: ProcessSensor) {
    guard isOpen, !sessions.contains(session) else { return }
    sessions.append(session)
    writer.open(session, sensor)
  }

  public func close(_ session: Int) {
    guard isOpen, sessions.contains(session) else { return }
    sessions.removeAll { $0 == session }
    forget(session)
    ticks.cancel(session)
    writer.close(session)
  }

  /// Answers to what was sent until now are passed over.
  private func forget(_ session: Int) {
    packets.removeAll(of: session)
    requests.orphan(session)
  }

  public func send(link isUp: Bool, of session: Int) {
    guard isOpen, sessions.contains(session) else { return }
    if !isUp { forget(session) }
    writer.link(session, isUp: isUp)
  }

  public func send(settings: SensorSettings, of session: Int) {
    guard isOpen, sessions.contains(session) else { return }
    writer.settings(session, settings)
  }

  /// Returns false if the program does not have the session.
  @discardableResult
  public func send(_ packet: ProcessPacket, _ value: Span<UInt8>, at time: MonotonicTime) -> Bool {
    guard let program, !isEnded, sessions.contains(packet.session) else { return false }
    lastPacket += 1
    let isMissed = packets.append(packet, number: lastPacket, at: time, most: program.unanswered)
    writer.packet(packet.session, lastPacket, from: program.packets[packet.packet], at: packet.time, value)
    owesSince = owesSince ?? time
    if isMissed { owner?.conversation(self, missedPacketOf: packet.session) }
    return true
  }

  /// Returns false if the program does not have the session.
  public func send(_ command: Command, of session: Int, at time: MonotonicTime) -> Bool {
    guard isOpen, sessions.contains(session) else { return false }
    let number = requests.addCommand(of: session, at: time)
    writer.command(session, number, command.name, command.value)
    owesSince = owesSince ?? time
    return true
  }
}

// MARK: Time

extension ProcessConversation {
  /// When `advance` has to run next.
  public var deadline: MonotonicTime? {
    guard !isEnded else { return nil }
    guard let program else { return startedAt + Self.timeToRegister }
    var earliest = hangsSince.map { $0 + program.within * Self.hangFactor }
    func consider(_ other: MonotonicTime?) {
      if let other, other < earliest ?? other + .seconds(1) { earliest = other }
    }
    consider(packets.oldestSentAt.map { $0 + program.within })
    consider(requests.oldestCommand.map { $0 + program.within })
    consider(ticks.next)
    return earliest
  }

  public func advance(to time: MonotonicTime) {
    guard !isEnded else { return }
    guard let program else {
      if startedAt + Self.timeToRegister <= time {
        end(with: ProcessFault(.badRequest, "a program registers within 5 seconds"))
      }
      return
    }
    let limit = MonotonicTime(nanoseconds: time.nanoseconds - program.within.wholeNanoseconds)
    // The owner may end the conversation with each report.
    while !isEnded, let late = packets.removeOldest(sentUntil: limit) {
      owner?.conversation(self, missedPacketOf: late.session)
    }
    while !isEnded, let session = requests.loseCommand(sentUntil: limit) {
      owner?.conversation(self, lostCommandOf: session)
    }
    guard !isEnded else { return }
    if let hangsSince, hangsSince + program.within * Self.hangFactor <= time {
      return end(with: ProcessFault(.pluginSlow, "no answer for \(program.within * Self.hangFactor)"))
    }
    while let session = ticks.popDue(at: time) {
      writer.tick(session, requests.addTick(of: session, at: time), at: time)
      owesSince = owesSince ?? time
    }
  }

  /// Since when the program has answered nothing, or has left a command or tick unanswered.
  private var hangsSince: MonotonicTime? {
    guard let owesSince, let oldest = requests.oldest else { return owesSince }
    return min(owesSince, oldest)
  }

  /// The program answered something, so it does not hang.
  private func answered(at time: MonotonicTime) {
    answers += 1
    owesSince = lastAnswered == lastPacket && requests.isEmpty ? nil : time
  }
}

// MARK: From the program

extension ProcessConversation {
  public func receive(_ line: Span<UInt8>, at time: MonotonicTime) {
    advance(to: time)
    guard !isEnded else { return }
    batch.removeAll()
    do throws(ProcessFault) {
      switch try reader.read(line, into: &batch) {
      case .register(let id, let version): try register(id, version)
      case .done(let done): try handle(done, at: time)
      case .said(let said): try handle(said, at: time)
      case .log(let text):
        try requireProgram()
        if logs.admit(at: time) { owner?.conversation(self, logs: text) }
      }
    } catch {
      end(with: error)
    }
  }

  @discardableResult
  private func requireProgram() throws(ProcessFault) -> ProcessProgram {
    guard let program else { throw ProcessFault(.badRequest, "register comes first") }
    return program
  }

  private func register(_ id: String, _ version: String) throws(ProcessFault) {
    guard program == nil else { throw ProcessFault(.badRequest, "this connection is registered already") }
    guard version == "1" || version.hasPrefix("1.") else {
      throw ProcessFault(.notSupported, "this release has the plugin protocol \(Self.version)")
    }
    guard let owner else { return }
    let program = try owner.conversation(self, registers: id)
    self.program = program
    self.id = id
    reader.use(program)
    writer.ready(id: id, program)
    owner.conversationIsReady(self)
  }

  private func handle(_ done: ProcessMessage.Done, at time: MonotonicTime) throws(ProcessFault) {
    try requireProgram()
    guard done.packet == lastAnswered + 1, done.packet <= lastPacket else {
      throw ProcessFault(.badRequest, "every packet is answered once, and in order")
    }
    try admitWrites(at: time)
    lastAnswered = done.packet
    answered(at: time)
    reportExcess(done.isOutsideOfFile, at: time)
    guard !isEnded, let packet = packets.remove(done.packet) else { return }
    if let delay = done.tickAfter { ticks.set(packet.session, at: time + delay) }
    owner?.conversation(self, answered: packet, refusal: done.refusal, with: &batch)
  }

  private func handle(_ said: ProcessMessage.Said, at time: MonotonicTime) throws(ProcessFault) {
    try requireProgram()
    guard let request = requests.remove(said.subject) else {
      throw ProcessFault(.badRequest, "every command and every tick is answered once")
    }
    try admitWrites(at: time)
    answered(at: time)
    reportExcess(said.isOutsideOfFile, at: time)
    guard !isEnded, request.isOfUse else { return }
    if let delay = said.tickAfter { ticks.set(request.session, at: time + delay) }
    switch said.subject {
    case .command:
      owner?.conversation(self, answeredCommandOf: request.session, error: said.error, with: &batch)
    case .tick: owner?.conversation(self, answeredTickOf: request.session, with: &batch)
    }
  }

  private func admitWrites(at time: MonotonicTime) throws(ProcessFault) {
    for _ in batch.actions where !writes.admit(at: time) {
      throw ProcessFault(.denied, "at most 20 writes a second are allowed")
    }
  }

  private func reportExcess(_ isOutsideOfFile: Bool, at time: MonotonicTime) {
    if isOutsideOfFile, excesses.admit(at: time) { owner?.conversationLeftItsFile(self) }
  }
}
