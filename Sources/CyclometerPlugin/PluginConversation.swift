// The protocol of plugin.sock as a program speaks it, without I/O: lines of the daemon in, answers out.

import JSON

struct PluginConversation<Session: PluginSession> {
  /// The answers that are to be sent.
  private(set) var output: [UInt8] = []
  private(set) var isReady = false
  private let id: String
  private var isGreeted = false
  private var sessions: [Int: OpenSession] = [:]

  private struct OpenSession {
    var sensor: PluginSensor
    var session: Session
  }

  init(id: String) {
    self.id = id
  }

  mutating func removeOutput() { output.removeAll(keepingCapacity: true) }

  mutating func receive(_ line: Span<UInt8>) throws(PluginDisconnection) {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(line)
    } catch {
      throw PluginDisconnection("the daemon sent a line that is not JSON: \(error)")
    }
    let message = try PluginMessage(value)
    if message.name == "error" {
      throw PluginDisconnection(
        "the daemon disconnected the program: \(try message.text("code")): \(try message.text("message"))")
    }
    if !isGreeted { return try greet(message) }
    if message.name == "ready" { isReady = true }
    try handle(message)
  }

  private mutating func greet(_ message: PluginMessage) throws(PluginDisconnection) {
    guard message.name == "hello" else { throw PluginDisconnection("the daemon did not send hello first") }
    let version = try message.text("plugin")
    guard version == "1" || version.hasPrefix("1.") else {
      throw PluginDisconnection("the daemon speaks another version of the protocol: \(version)")
    }
    isGreeted = true
    send(["class": "register", "id": .string(id), "plugin": "1.0"])
  }

  private mutating func send(_ value: JSONValue) {
    output += Array(value.encoded.utf8) + [UInt8(ascii: "\n")]
  }
}

// MARK: Messages

extension PluginConversation {
  private mutating func handle(_ message: PluginMessage) throws(PluginDisconnection) {
    switch message.name {
    case "open": try open(message)
    case "link":
      let isUp = try message.text("state") == "up"
      try withSession(message) { $0.session.linkChanged(isUp: isUp) }
    case "settings":
      let settings = message.settings
      let quirks = try message.quirks
      try withSession(message) {
        $0.sensor.settings = settings
        $0.sensor.quirks = quirks
        $0.session.configure($0.sensor)
      }
    case "packet": try decode(message)
    case "command": try run(message)
    case "tick": try tick(message)
    case "close":
      try withSession(message) { $0.session.close() }
      sessions[try message.whole("session")] = nil
    // Messages of later daemons.
    default: break
    }
  }

  private mutating func open(_ message: PluginMessage) throws(PluginDisconnection) {
    let sensor = PluginSensor(
      id: try message.text("sensor"), name: try message.text("name"), settings: message.settings,
      quirks: try message.quirks)
    sessions[try message.whole("session")] = OpenSession(sensor: sensor, session: Session(sensor))
  }

  private mutating func withSession(
    _ message: PluginMessage, _ body: (inout OpenSession) -> Void
  ) throws(PluginDisconnection) {
    let number = try message.whole("session")
    guard var session = sessions[number] else {
      throw PluginDisconnection("the daemon sent \(message.name) for session \(number), which is not open")
    }
    // Taken out, so that the state of the session is not copied when it changes.
    sessions[number] = nil
    body(&session)
    sessions[number] = session
  }

  private mutating func decode(_ message: PluginMessage) throws(PluginDisconnection) {
    let packet = PluginPacket(
      name: try message.text("from"), value: try message.bytes("hex"), time: try message.number("t"))
    let number = try message.whole("packet")
    var response = PluginResponse()
    var refusal: PacketRefusal?
    try withSession(message) { open in
      do throws(PacketRefusal) {
        try open.session.decode(packet, into: &response)
      } catch {
        refusal = error
      }
    }
    if !response.hasOnlyFiniteNumbers { refusal = PacketRefusal(.outOfRange, at: 0) }
    var done: [JSONValue.Member] = [.init("class", "done"), .init("packet", .number(Double(number)))]
    if let refusal {
      response.removeRecordsAndWrites()
      done.append(.init("refused", .string(refusal.reason.rawValue)))
      done.append(.init("at", .number(Double(refusal.offset))))
    } else {
      done.append(.init("records", .array(response.records)))
    }
    finish(done, with: response)
  }

  private mutating func run(_ message: PluginMessage) throws(PluginDisconnection) {
    let command = PluginCommand(name: try message.text("name"), value: try message.numberIfPresent("value"))
    let number = try message.whole("command")
    var response = PluginResponse()
    var failure: CommandFailure?
    try withSession(message) { open in
      do throws(CommandFailure) {
        try open.session.run(command, into: &response)
      } catch {
        failure = error
      }
    }
    say("command", number, response, failure)
  }

  private mutating func tick(_ message: PluginMessage) throws(PluginDisconnection) {
    let time = try message.number("t")
    let number = try message.whole("tick")
    var response = PluginResponse()
    try withSession(message) { $0.session.tick(at: time, into: &response) }
    say("tick", number, response, nil)
  }

  private mutating func say(
    _ subject: String, _ number: Int, _ response: PluginResponse, _ failure: CommandFailure?
  ) {
    var response = response
    var said: [JSONValue.Member] = [.init("class", "said"), .init(subject, .number(Double(number)))]
    let notFinite = CommandFailure("a number is infinite or not a number")
    if let failure = response.hasOnlyFiniteNumbers ? failure : notFinite {
      response.removeRecordsAndWrites()
      said.append(.init("error", .string(failure.message)))
    } else {
      said.append(.init("answers", .array(response.records)))
    }
    finish(said, with: response)
  }

  private mutating func finish(_ members: [JSONValue.Member], with response: PluginResponse) {
    for text in response.logs { send(["class": "log", "text": .string(text)]) }
    var members = members
    if !response.writes.isEmpty { members.append(.init("writes", .array(response.writes))) }
    if let milliseconds = response.tickAfterMilliseconds {
      members.append(.init("tick_ms", .number(Double(milliseconds))))
    }
    send(.object(members))
  }
}
