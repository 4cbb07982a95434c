// Writes the lines that a program gets into a buffer that is used again, so that writing a packet allocates
// nothing.

internal import DeclaredSensors
internal import JSON
internal import SensorKit
internal import Time
internal import Vocabulary
internal import Wire

struct ProcessMessageWriter {
  private var json = JSONWriter()

  var bytes: [UInt8] { json.bytes }

  mutating func removeAll() { json.removeAll() }

  /// Removes what was sent.
  mutating func removeFirst(_ count: Int) { json.bytes.removeFirst(count) }

  private mutating func line(_ className: String, _ members: (inout JSONWriter) -> Void) {
    json.beginRecord(className)
    members(&json)
    json.endObject()
    json.endLine()
  }

  mutating func hello(release: String, instance: String) {
    line("hello") {
      $0.member("plugin", ProcessConversation.version)
      $0.member("release", release)
      $0.member("instance", instance)
      $0.member("limits")
      $0.beginObject()
      $0.member("line", LineSplitter.protocolLimit)
      $0.member("unanswered", ProcessProgram.mostUnanswered)
      $0.endObject()
    }
  }

  mutating func ready(id: String, _ program: ProcessProgram) {
    line("ready") {
      $0.member("id", id)
      $0.member("packets")
      $0.beginArray()
      for packet in program.packets { $0.word(packet) }
      $0.endArray()
      $0.member("unanswered", program.unanswered)
      $0.member("within_ms", Int(program.within.wholeNanoseconds / 1_000_000))
    }
  }

  mutating func open(_ session: Int, _ sensor: ProcessSensor) {
    line("open") {
      $0.member("session", session)
      $0.member("sensor", sensor.id)
      $0.member("name", sensor.name)
      $0.settings(sensor.settings)
    }
  }

  mutating func packet(_ session: Int, _ number: Int, from name: Word, at time: MonotonicTime, _ value: Span<UInt8>) {
    json.beginRecord("packet")
    json.member("session")
    json.number(session)
    json.member("packet")
    json.number(number)
    json.member("t", time)
    json.member("from")
    json.word(name)
    json.member("hex")
    json.beginValue()
    json.append("\"")
    for index in value.indices { json.bytes.appendHex(value[index]) }
    json.append("\"")
    json.endObject()
    json.endLine()
  }

  mutating func link(_ session: Int, isUp: Bool) {
    line("link") {
      $0.member("session", session)
      $0.member("state", isUp ? "up" : "down")
    }
  }

  mutating func settings(_ session: Int, _ settings: SensorSettings) {
    line("settings") {
      $0.member("session", session)
      $0.settings(settings)
    }
  }

  mutating func command(_ session: Int, _ number: Int, _ name: String, _ value: Double?) {
    line("command") {
      $0.member("session", session)
      $0.member("command", number)
      $0.member("name", name)
      $0.member("value", value)
    }
  }

  mutating func tick(_ session: Int, _ number: Int, at time: MonotonicTime) {
    line("tick") {
      $0.member("session", session)
      $0.member("tick", number)
      $0.member("t", time)
    }
  }

  mutating func close(_ session: Int) {
    line("close") { $0.member("session", session) }
  }

  mutating func error(_ fault: ProcessFault) {
    line("error") {
      $0.member("code", fault.code.rawValue)
      $0.member("message", fault.message)
    }
  }
}

extension JSONWriter {
  /// The settings that plugins get, and the quirks of the device if it has any.
  fileprivate mutating func settings(_ settings: SensorSettings) {
    member("settings")
    beginObject()
    member("circumference_mm", settings.circumferenceMM)
    member("role", settings.role?.rawValue)
    endObject()
    if !settings.quirks.isEmpty { member("quirks", settings.quirks.map(\.name)) }
  }
}
