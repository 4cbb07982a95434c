// A daemon for conversations in virtual time: it sends what a test says and records what comes back.

import DeclaredSensors
import JSON
import SampleLines
import SensorKit
import SensorProcesses
import TestSupport
import Testing
import Wire

final class ScriptedDaemon: ProcessConversationOwner {
  let program: SensorProgram
  private(set) var conversation: ProcessConversation?
  var peerUser = ""
  var isTaken = false
  var time = MonotonicTime(seconds: 0)

  /// What the program got, as values.
  private(set) var lines: [JSONValue] = []
  private(set) var published: [JSONValue] = []
  private(set) var refusals: [DecodeError] = []
  private(set) var written: [String] = []
  private(set) var missed = 0
  private(set) var excesses = 0
  private(set) var logs: [String] = []
  private(set) var answeredCommands: [String] = []
  private(set) var lostCommands = 0
  private(set) var answeredTicks = 0
  private(set) var fault: ProcessFault?
  /// Whether a report of a missed packet, or of a record that the file does not have, ends the conversation.
  var endsAtReport = false
  private let tap = LineTap(.plugins)

  init(_ program: SensorProgram) {
    self.program = program
    peerUser = program.process?.user ?? ""
    conversation = ProcessConversation(release: "1.2.3", instance: "abc", at: time, owner: self)
    drain()
  }

  // MARK: To the program

  /// Registers, and opens a session whose link is up.
  func begin(sessions: [Int] = [1]) {
    receive(["class": "register", "id": .string(program.info.id), "plugin": "1.0"])
    for session in sessions { open(session) }
  }

  func open(_ session: Int) {
    conversation?.open(session, ProcessSensor(id: "l508", name: "L508", settings: SensorSettings()))
    conversation?.send(link: true, of: session)
    drain()
  }

  /// Sends a line of a vector. Of a whole conversation, the first lines come by themselves.
  func send(_ line: JSONValue, isWhole: Bool) throws {
    switch line["class"]?.text {
    case "packet": packet(try #require(line["hex"]?.text), at: MonotonicTime(seconds: line["t"]?.number ?? 0))
    case "tick":
      // A program gets the tick that it asked for.
      packet("00", at: time)
      receive(["class": "done", "packet": 1, "tick_ms": 100])
      wait(.milliseconds(100))
    case "open": open(try #require(line["session"]?.integer))
    case "hello", "ready", "link": #expect(isWhole)
    default: Issue.record("the test cannot send \(line.encoded)")
    }
  }

  func packet(_ hex: String = "5709003003", session: Int = 1, at packetTime: MonotonicTime? = nil) {
    let uuid = BluetoothUUID(0x2a37)
    let bytes = stride(from: 0, to: hex.utf8.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    let packet = ProcessPacket(
      session: session, packet: 0, origin: .notified(service: uuid, characteristic: uuid), time: packetTime ?? time)
    conversation?.send(packet, bytes.span, at: time)
    drain()
  }

  func command(_ name: String, _ value: Double? = nil) {
    #expect(conversation?.send(Command(name: name, value: value), of: 1, at: time) == true)
    drain()
  }

  func wait(_ duration: Duration) {
    let end = time + duration
    while let next = conversation?.deadline, next <= end {
      time = max(time, next)
      conversation?.advance(to: time)
    }
    time = end
    drain()
  }

  // MARK: From the program

  /// A line, text that is not JSON, a pause or the end.
  func receive(_ line: JSONValue) {
    if let pause = line["wait_ms"]?.integer { return wait(.milliseconds(Int64(pause))) }
    if line["close"] != nil { return }
    receive(text: line.text ?? line.encoded)
  }

  func receive(text: String) { receive(bytes: Array(text.utf8)) }

  func receive(bytes: [UInt8]) {
    tap.sent(bytes + [UInt8(ascii: "\n")])
    conversation?.receive(bytes.span, at: time)
    drain()
  }

  func done(_ packet: Int, _ records: [JSONValue] = []) {
    receive(["class": "done", "packet": .number(Double(packet)), "records": .array(records)])
  }

  /// The lines of one class that the program got.
  func lines(_ className: String) -> [JSONValue] { lines.filter { $0["class"]?.text == className } }

  private func drain() {
    guard let conversation else { return }
    tap.received(conversation.output)
    for line in conversation.output.split(separator: UInt8(ascii: "\n")) {
      do { lines.append(try JSONValue.parse(Array(line))) } catch { Issue.record("not JSON: \(error)") }
    }
    conversation.sent(conversation.output.count)
  }

  // MARK: What the conversation reports

  func conversation(_ conversation: ProcessConversation, registers id: String) throws(ProcessFault) -> ProcessProgram {
    guard id == program.info.id, let process = program.process else { throw ProcessFault(.noSuchFile, "no such file") }
    guard peerUser == process.user else { throw ProcessFault(.denied, "another user") }
    guard !isTaken else { throw ProcessFault(.busy, "taken") }
    return process
  }

  func conversationIsReady(_ conversation: ProcessConversation) {}

  func conversation(
    _ conversation: ProcessConversation, answered packet: ProcessPacket, refusal: DecodeError?,
    with batch: inout Batch
  ) {
    if let refusal { refusals.append(refusal) }
    record(batch, at: packet.time)
  }

  private func record(_ batch: borrowing Batch, at time: MonotonicTime) {
    for index in batch.entryIndices {
      var writer = JSONWriter()
      let entry = batch.entry(index)
      switch entry.kind {
      case .sample(let kind):
        var sample = EncodedSample()
        sample.encode(kind, entry, of: batch, SampleHeader(sensor: "l508", sequence: 1, time: time))
        writer.bytes = sample.line
      case .fact: writer.factLines(sensor: "l508", time: time, entry, of: batch)
      case .answer: writer.answerLine(sensor: "l508", time: time, entry, of: batch)
      case .event(let name): writer.eventLine(name, time: time, entry, of: batch)
      }
      do { published.append(try JSONValue.parse(writer.bytes)) } catch { Issue.record("not JSON: \(error)") }
    }
    for action in batch.actions {
      written.append(
        batch.value(of: action).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())
    }
  }

  func conversation(_ conversation: ProcessConversation, missedPacketOf session: Int) {
    missed += 1
    endAtReport(conversation)
  }

  private func endAtReport(_ conversation: ProcessConversation) {
    if endsAtReport { conversation.end(with: ProcessFault(.noSuchFile, "the file was changed")) }
  }

  func conversation(
    _ conversation: ProcessConversation, answeredCommandOf session: Int, error: String?, with batch: inout Batch
  ) {
    answeredCommands.append(error ?? "done")
    record(batch, at: time)
  }

  func conversation(_ conversation: ProcessConversation, lostCommandOf session: Int) { lostCommands += 1 }

  func conversation(_ conversation: ProcessConversation, answeredTickOf session: Int, with batch: inout Batch) {
    answeredTicks += 1
    record(batch, at: time)
  }

  func conversation(_ conversation: ProcessConversation, logs text: String) { logs.append(text) }
  func conversationLeftItsFile(_ conversation: ProcessConversation) {
    excesses += 1
    endAtReport(conversation)
  }
  func conversation(_ conversation: ProcessConversation, endedWith fault: ProcessFault) { self.fault = fault }
}
