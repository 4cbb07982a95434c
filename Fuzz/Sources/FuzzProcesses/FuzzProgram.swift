// One connection of a program, and what must hold for it. It counts packets, commands and ticks for itself,
// from the lines that the daemon sends and from what the program answers.

import DeclaredSensors
import Fuzzing
import JSON
import SensorKit
import SensorProcesses
import Time

final class FuzzProgram {
  struct Sent {
    /// In this connection.
    let number: Int
    /// Its time from the sensor, which no other packet has.
    let origin: MonotonicTime
    let session: Int
    let time: MonotonicTime
  }

  struct Request {
    let subject: String
    let number: Int
    let session: Int
    let time: MonotonicTime
    /// The daemon still waits for its answer.
    var isOpen = true
  }

  let user: UInt32
  var conversation: ProcessConversation?
  private(set) var file: ProcessFile?
  private var splitter = LineSplitter()
  var isReading = true
  private(set) var fault: ProcessFault?

  /// Packets whose answers are still of use.
  private(set) var live: [Sent] = []
  private(set) var requests: [Request] = []
  private var sessions: [Int] = []
  private(set) var lastSent = 0
  private(set) var lastDone = 0
  private var owesSince: MonotonicTime?
  /// The packet of the answer that is being handled.
  private var answering: Int?
  private var writes: [MonotonicTime] = []
  private var logs: [MonotonicTime] = []
  private var excesses: [MonotonicTime] = []

  private var classes: [String] = []
  /// How much of the unsent output was checked.
  private var checked = 0

  init(user: UInt32) { self.user = user }

  private static let mostUnsent = 256 << 10
  private var isEnded: Bool { conversation?.isEnded != false }
}

// MARK: From the program

extension FuzzProgram {
  func send(_ bytes: [UInt8], at time: MonotonicTime) {
    guard let conversation, !conversation.isEnded else { return }
    let outcome = splitter.feed(bytes.span) { line in
      receive(line, at: time)
      return !conversation.isEnded
    }
    if outcome == .lineTooLong { conversation.end(with: ProcessFault(.lineTooLong, "too long")) }
  }

  private func receive(_ line: Span<UInt8>, at time: MonotonicTime) {
    guard let conversation else { return }
    checkOutput(at: time)
    conversation.advance(to: time)
    if conversation.isEnded { return }
    let value = try? JSONReader.document(line, hugeNumbers: .infinite)
    let packet = value?["packet"]?.integer
    let isDone = value?["class"] == "done"
    let wasLive = isDone && packet == lastDone + 1 && live.contains { $0.number == packet }
    let mayEnd = fault == nil
    answering = wasLive ? packet : nil
    let request = isDone ? nil : value.flatMap(answered)
    conversation.receive(line, at: time)
    if conversation.isEnded {
      require(mayEnd && fault != nil, "ended without a reason")
      if value == nil { require(fault?.code == .badJSON, "no JSON, but \(fault?.code.rawValue ?? "")") }
      return
    }
    require(value?.members != nil, "a line that is not an object is accepted")
    if isDone {
      require(packet == lastDone + 1 && lastDone < lastSent, "packet \(packet ?? 0) is answered after \(lastDone)")
      require(answering == nil || !live.contains { $0.number == answering }, "an answer is ignored")
      lastDone += 1
      answered(at: time)
    } else if value?["class"] == "said" {
      guard let request else { return require(false, "said without a question") }
      requests.removeAll { $0.subject == request.subject && $0.number == request.number }
      answered(at: time)
    }
    answering = nil
  }

  /// The request that a line with `said` answers.
  private func answered(_ value: JSONValue) -> Request? {
    guard value["class"] == "said" else { return nil }
    return requests.first { value[$0.subject]?.integer == $0.number }
  }

  private func answered(at time: MonotonicTime) {
    owesSince = lastDone == lastSent && requests.isEmpty ? nil : time
  }
}

// MARK: What the conversation reports

extension FuzzProgram {
  func registered(_ file: ProcessFile) {
    require(self.file == nil, "registered twice")
    self.file = file
  }

  private func requireOpen() { require(fault == nil, "something is reported after the end") }

  func handle(
    _ packet: ProcessPacket, _ refusal: DecodeError?, _ batch: borrowing Batch, at time: MonotonicTime
  ) {
    requireOpen()
    guard let index = live.firstIndex(where: { $0.origin == packet.time }) else {
      return require(false, "a packet is answered again or too late")
    }
    require(live[index].number == answering && live[index].session == packet.session, "the answer to another packet")
    live.remove(at: index)
    require(refusal == nil || batch.entryIndices.isEmpty, "a refused packet has records")
    check(batch, answersOnly: false, at: time)
  }

  func check(_ batch: borrowing Batch, answersOnly: Bool, at time: MonotonicTime) {
    requireOpen()
    guard let file else { return require(false, "records before registering") }
    require(!batch.overflowed, "more than a batch holds")
    for line in records(of: lines(of: batch)) {
      show("  publishes \(line.encoded)")
      file.require(line)
      if answersOnly { require(line["class"] == "answer", "an answer to a command has \(line.encoded)") }
    }
    for action in batch.actions {
      require(action.verb == .write && file.services.contains(action.service), "a write to \(action.service)")
      require(1...64 ~= batch.value(of: action).count, "a write of \(batch.value(of: action).count) bytes")
      count(&writes, most: 20, per: .seconds(1), at: time, "writes")
    }
  }

  private func count(
    _ times: inout [MonotonicTime], most: Int, per period: Duration, at time: MonotonicTime, _ what: String
  ) {
    times.removeAll { $0 + period <= time }
    times.append(time)
    require(times.count <= most, "\(times.count) \(what) in \(period)")
  }

  func missed(_ session: Int, at time: MonotonicTime) {
    requireOpen()
    guard let index = live.firstIndex(where: { $0.session == session }), let process = file?.program.process else {
      return require(false, "a packet of session \(session) is missed again")
    }
    let isLate = live[index].time + process.within <= time
    let isFull = live.count(where: { $0.session == session }) > process.unanswered
    require(isLate || isFull, "a packet is missed too early")
    live.remove(at: index)
  }

  /// The answer to a command or tick is one that is still of use.
  func requireOpenRequest(_ subject: String, of session: Int) {
    requireOpen()
    require(
      requests.contains { $0.subject == subject && $0.session == session && $0.isOpen },
      "an answer to a \(subject) that does not wait")
  }

  func lostCommand(of session: Int, at time: MonotonicTime) {
    requireOpen()
    let within = file?.program.process?.within ?? .zero
    guard
      let index = requests.firstIndex(where: { $0.isOpen && $0.subject == "command" && $0.session == session })
    else { return require(false, "a command is lost again") }
    require(requests[index].time + within <= time, "a command is lost too early")
    requests[index].isOpen = false
  }

  func log(_ text: String, at time: MonotonicTime) {
    requireOpen()
    require(text.utf8.count <= 200, "a log of \(text.utf8.count) bytes")
    count(&logs, most: 10, per: .seconds(60), at: time, "lines are logged")
  }

  func leftFile(at time: MonotonicTime) {
    requireOpen()
    count(&excesses, most: 1, per: .seconds(60), at: time, "warnings")
  }

  func ended(with fault: ProcessFault) {
    requireOpen()
    show("  ends: \(fault.code.rawValue): \(fault.message)")
    self.fault = fault
  }
}

// MARK: To the program

extension FuzzProgram {
  /// Before the packet is sent, so that it counts when another one is pushed out.
  func willSend(_ origin: MonotonicTime, of session: Int, at time: MonotonicTime) {
    lastSent += 1
    live.append(Sent(number: lastSent, origin: origin, session: session, time: time))
    owesSince = owesSince ?? time
  }

  /// Answers to what the session waits for are of no use.
  func forget(_ session: Int) {
    live.removeAll { $0.session == session }
    for index in requests.indices where requests[index].session == session { requests[index].isOpen = false }
  }

  /// Checks the new lines, and sends all of them if the program reads.
  func checkOutput(at time: MonotonicTime) {
    guard let conversation else { return }
    for line in records(of: Array(conversation.output[checked...])) { check(line, at: time) }
    checked = conversation.output.count
    if isReading {
      conversation.sent(checked)
      checked = 0
    } else if checked > Self.mostUnsent {
      conversation.end(with: ProcessFault(.pluginSlow, "too much is left unread"))
    }
  }

  private func check(_ line: JSONValue, at time: MonotonicTime) {
    let name = line["class"]?.text ?? ""
    show("  receives \(line.encoded)")
    require(line.encoded.utf8.count <= LineSplitter.protocolLimit, "a line is too long")
    require(classes.isEmpty == (name == "hello"), "\(name) as line \(classes.count)")
    require(classes.last != "error", "\(name) after an error")
    if ["hello", "ready", "error"].contains(name) {
      require(!classes.contains(name), "\(name) comes twice")
    } else {
      require(classes.contains("ready"), "\(name) before ready")
      let session = line["session"]?.integer ?? 0
      if name == "open" {
        require(!sessions.contains(session), "session \(session) is opened twice")
        sessions.append(session)
      } else {
        require(sessions.contains(session), "\(name) without a session")
      }
      if name == "close" { sessions.removeAll { $0 == session } }
      if ["command", "tick"].contains(name) {
        let last = requests.last { $0.subject == name }?.number ?? 0
        let number = line[name]?.integer ?? 0
        require(number > last, "\(name) \(number) after \(last)")
        requests.append(Request(subject: name, number: number, session: session, time: time))
        owesSince = owesSince ?? time
      }
    }
    classes.append(name)
  }

  /// What holds between two steps.
  func check(at time: MonotonicTime) {
    guard let conversation, !conversation.isEnded else { return }
    require(conversation.unanswered == live.count, "\(conversation.unanswered) packets wait, and not \(live.count)")
    guard let process = file?.program.process else { return }
    for session in sessions {
      let count = live.count { $0.session == session }
      require(count <= process.unanswered, "\(count) packets of one session wait")
    }
    let limit = process.within * 10
    if let owesSince { require(owesSince + limit > time, "it answers nothing, and may stay") }
    if let oldest = requests.first { require(oldest.time + limit > time, "a question stays without an answer") }
    if let oldest = live.first { require(oldest.time + process.within > time, "a late packet waits") }
  }
}
