// What the daemon is to programs: it admits them, opens the sessions of their files, and gets their answers.
// It checks that each answer comes once, and has only what the file has.

import DeclaredSensors
import Fuzzing
import SensorKit
import SensorProcesses
import Time

final class ProgramDesk {
  private final class Session {
    let number: Int
    let file: Int
    var isLinked = false

    init(_ number: Int, file: Int) {
      self.number = number
      self.file = file
    }
  }

  private var programs: [FuzzProgram?] = Array(repeating: nil, count: ProcessScript.programs)
  /// The program of each file.
  private var registered: [FuzzProgram?] = Array(repeating: nil, count: ProcessFile.all.count)
  private var sessions: [Session] = []
  private var lastSession = 0
  private var packets = 0
  private var strikes = ProcessStrikes()
  private var faults: [(user: UInt32, time: MonotonicTime)] = []
  private var reaction: ProcessScript.Reaction?
  private var now = MonotonicTime(seconds: 1000)

  private static let mostSessions = 16
  /// So that an input takes no seconds.
  private static let mostPackets = 4000
}

// MARK: Steps

extension ProgramDesk {
  func play(_ step: ProcessScript.Step) {
    show("\(step)")
    switch step {
    case .connect(let program): connect(program)
    case .send(let program, let bytes): send(program, bytes)
    case .register(let program, let file):
      send(program, #"{"class":"register","id":"\#(ProcessFile.all[file].program.info.id)","plugin":"1.0"}"#)
    case .done(let program, let members): done(program, members)
    case .said(let program, let members): said(program, members)
    case .catchUp(let program): catchUp(program)
    case .changeReading(let program): programs[program]?.isReading.toggle()
    case .hangUp(let program): hangUp(program)
    case .openSession(let file): open(file)
    case .closeSession(let number): session(number).map(close)
    case .changeLink(let number): session(number).map(changeLink)
    case .packets(let number, let bytes, let times):
      for _ in 0..<times { session(number).map { packet(bytes, of: $0) } }
    case .settings(let number): session(number).map(changeSettings)
    case .command(let number, let value): session(number).map { command(Double(value), of: $0) }
    case .react(let reaction): self.reaction = reaction
    case .pass(let milliseconds): pass(.milliseconds(Int64(milliseconds)))
    }
    check()
  }

  private func check() {
    for program in programs { program?.checkOutput(at: now) }
    for program in programs { program?.check(at: now) }
  }

  private func connect(_ number: Int) {
    hangUp(number)
    let program = FuzzProgram(user: UInt32(number / 2))
    programs[number] = program
    program.conversation = ProcessConversation(release: "1.2.3", instance: "abc", at: now, owner: self)
    let isAdmitted = strikes.admits(program.user, at: now)
    let recent = faults.filter { $0.user == program.user && $0.time + .seconds(60) > now }
    require(isAdmitted ? recent.count < 3 : !recent.isEmpty, "admitted: \(isAdmitted), after \(recent.count) faults")
    if !isAdmitted { program.conversation?.end(with: ProcessFault(.denied, "three errors in a minute")) }
  }

  private func hangUp(_ number: Int) {
    if let program = programs[number] { unregister(program) }
    programs[number] = nil
  }

  private func unregister(_ program: FuzzProgram) {
    for file in registered.indices where registered[file] === program { registered[file] = nil }
  }

  private func send(_ number: Int, _ line: String) { send(number, Array((line + "\n").utf8)) }

  private func send(_ number: Int, _ bytes: [UInt8]) {
    if programs[number] == nil { connect(number) }
    programs[number]?.send(bytes, at: now)
  }

  private func done(_ number: Int, _ members: [UInt8]) {
    guard let program = programs[number] else { return }
    send(number, Array(#"{"class":"done","packet":\#(program.lastDone + 1)"#.utf8) + members + Array("}\n".utf8))
  }

  private func said(_ number: Int, _ members: [UInt8]) {
    guard let request = programs[number]?.requests.first else { return }
    send(
      number,
      Array(#"{"class":"said","\#(request.subject)":\#(request.number)"#.utf8) + members + Array("}\n".utf8))
  }

  private func catchUp(_ number: Int) {
    guard let program = programs[number] else { return }
    while program.fault == nil, program.lastDone < program.lastSent { done(number, []) }
    while program.fault == nil, !program.requests.isEmpty { said(number, []) }
  }

  private func pass(_ span: Duration) {
    let end = now + span
    while true {
      check()
      let deadlines = programs.compactMap { $0?.conversation?.deadline }
      guard let next = deadlines.min(), next <= end else { break }
      now = max(now, next)
      for program in programs {
        program?.conversation?.advance(to: now)
        guard let deadline = program?.conversation?.deadline else { continue }
        require(deadline > now, "the deadline \(deadline) stays at \(now)")
      }
    }
    now = end
  }
}

// MARK: Sessions

extension ProgramDesk {
  private func session(_ number: Int) -> Session? {
    sessions.isEmpty ? nil : sessions[number % sessions.count]
  }

  private func open(_ file: Int) {
    guard sessions.count < Self.mostSessions else { return }
    lastSession += 1
    let session = Session(lastSession, file: file)
    sessions.append(session)
    if let program = registered[file] { begin(session, with: program) }
  }

  private func begin(_ session: Session, with program: FuzzProgram) {
    program.conversation?.open(
      session.number, ProcessSensor(id: "sensor", name: "A \"sensor\"", settings: SensorSettings()))
    if session.isLinked { program.conversation?.send(link: true, of: session.number) }
  }

  private func close(_ session: Session) {
    registered[session.file]?.forget(session.number)
    registered[session.file]?.conversation?.close(session.number)
    sessions.removeAll { $0 === session }
  }

  private func changeLink(_ session: Session) {
    session.isLinked.toggle()
    let program = registered[session.file]
    if !session.isLinked { program?.forget(session.number) }
    program?.conversation?.send(link: session.isLinked, of: session.number)
  }

  private func packet(_ bytes: [UInt8], of session: Session) {
    guard packets < Self.mostPackets, let program = registered[session.file],
      let conversation = program.conversation, !conversation.isEnded
    else { return }
    packets += 1
    let origin = MonotonicTime(nanoseconds: Int64(packets))
    program.willSend(origin, of: session.number, at: now)
    let uuid = BluetoothUUID(0x2a37)
    let packet = ProcessPacket(
      session: session.number, packet: 0, origin: .notified(service: uuid, characteristic: uuid),
      time: origin)
    require(conversation.send(packet, bytes.span, at: now), "the program does not have the session")
  }

  private func changeSettings(_ session: Session) {
    registered[session.file]?.conversation?.send(
      settings: SensorSettings(circumferenceMM: 2100, role: .rear), of: session.number)
  }

  private func command(_ value: Double, of session: Session) {
    guard let program = registered[session.file], program.conversation?.isEnded == false else { return }
    let isSent = program.conversation?.send(Command(name: "light", value: value), of: session.number, at: now)
    require(isSent == true, "the program does not have the session")
  }

  /// What other parts of the daemon may do when an answer comes.
  private func react(to program: FuzzProgram) {
    guard let reaction else { return }
    self.reaction = nil
    guard let session = sessions.last(where: { registered[$0.file] === program }) else { return }
    show("  reacts: \(reaction)")
    switch reaction {
    case .closeSession: close(session)
    case .changeLink: changeLink(session)
    case .packet: packet([1, 2, 3], of: session)
    case .command: command(1, of: session)
    case .settings: changeSettings(session)
    case .end: program.conversation?.end(with: ProcessFault(.noSuchFile, "the file was changed"))
    }
  }
}

// MARK: Answers

extension ProgramDesk: ProcessConversationOwner {
  private func program(of conversation: ProcessConversation) -> FuzzProgram {
    guard let program = programs.lazy.compactMap(\.self).first(where: { $0.conversation === conversation }) else {
      fatalError("finding: a program that is gone reports something")
    }
    return program
  }

  func conversation(_ conversation: ProcessConversation, registers id: String) throws(ProcessFault) -> ProcessProgram {
    guard let index = ProcessFile.all.firstIndex(where: { $0.program.info.id == id }),
      let process = ProcessFile.all[index].program.process
    else { throw ProcessFault(.noSuchFile, "no file has the id \(id.prefix(40))") }
    guard registered[index] == nil else { throw ProcessFault(.busy, "another program decodes for \(id)") }
    let program = program(of: conversation)
    program.registered(ProcessFile.all[index])
    registered[index] = program
    return process
  }

  func conversationIsReady(_ conversation: ProcessConversation) {
    let program = program(of: conversation)
    for session in sessions where registered[session.file] === program { begin(session, with: program) }
  }

  func conversation(
    _ conversation: ProcessConversation, answered packet: ProcessPacket, refusal: DecodeError?, with batch: inout Batch
  ) {
    let program = program(of: conversation)
    program.handle(packet, refusal, batch, at: now)
    react(to: program)
  }

  func conversation(_ conversation: ProcessConversation, missedPacketOf session: Int) {
    let program = program(of: conversation)
    program.missed(session, at: now)
    react(to: program)
  }

  func conversation(
    _ conversation: ProcessConversation, answeredCommandOf session: Int, error: String?, with batch: inout Batch
  ) {
    let program = program(of: conversation)
    program.requireOpenRequest("command", of: session)
    program.check(batch, answersOnly: true, at: now)
    react(to: program)
  }

  func conversation(_ conversation: ProcessConversation, lostCommandOf session: Int) {
    let program = program(of: conversation)
    program.lostCommand(of: session, at: now)
    react(to: program)
  }

  func conversation(_ conversation: ProcessConversation, answeredTickOf session: Int, with batch: inout Batch) {
    let program = program(of: conversation)
    program.requireOpenRequest("tick", of: session)
    program.check(batch, answersOnly: true, at: now)
    react(to: program)
  }

  func conversation(_ conversation: ProcessConversation, logs text: String) {
    program(of: conversation).log(text, at: now)
  }

  func conversationLeftItsFile(_ conversation: ProcessConversation) { program(of: conversation).leftFile(at: now) }

  func conversation(_ conversation: ProcessConversation, endedWith fault: ProcessFault) {
    let program = program(of: conversation)
    program.ended(with: fault)
    unregister(program)
    guard ProcessStrikes.counts(fault) else { return }
    strikes.add(program.user, at: now)
    faults.append((program.user, now))
  }
}
