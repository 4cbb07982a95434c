// The conversations that every implementation of the protocol must have: what a program sends, and what must
// hold afterwards.

import DeclaredSensors
import Foundation
import JSON
import SensorKit
import SensorProcesses
import Testing

struct ProcessVector: CustomTestStringConvertible, Sendable {
  let value: JSONValue
  var name: String { value["name"]?.text ?? "" }
  var testDescription: String { name }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()

  static let all: [ProcessVector] = {
    let path = root.appending(path: "Vectors/process.json")
    guard let data = try? Data(contentsOf: path), let file = try? JSONValue.parse(Array(data)) else { return [] }
    return (file["conversations"]?.items ?? []).map { ProcessVector(value: $0) }
  }()

  static func program(_ name: String) throws -> SensorProgram {
    let text = try Data(contentsOf: root.appending(path: "Files/\(name).sensor"))
    return try SensorFile(Array(text), words: SensorWords()).program
  }

  var expected: JSONValue { value["then"] ?? .object([]) }
}

@Suite struct ProcessVectorTests {
  @Test("there are conversations")
  func count() {
    #expect(ProcessVector.all.count == 21)
  }

  @Test("a conversation ends as it must", arguments: ProcessVector.all)
  func conversation(_ vector: ProcessVector) throws {
    let program = try ProcessVector.program(vector.value["file"]?.text ?? "")
    let daemon = ScriptedDaemon(program)
    daemon.peerUser = vector.value["peer_user"]?.text ?? program.process?.user ?? ""
    daemon.isTaken = vector.value["already_registered"]?.bool == true
    let lines = vector.value["lines"]?.items ?? []
    let isWhole = lines.first?["line"]?["class"]?.text == "hello"
    if !isWhole { daemon.begin() }
    for line in lines {
      let content = line["line"]
      if line["from"]?.text == "program" {
        daemon.receive(content ?? .null)
      } else {
        for _ in 0..<(content?["repeat"]?.integer ?? 1) {
          try daemon.send(content?["repeat"] == nil ? content ?? .null : content?["line"] ?? .null, isWhole: isWhole)
        }
      }
    }
    check(vector.expected, daemon)
  }

  private func check(_ expected: JSONValue, _ daemon: ScriptedDaemon) {
    for member in expected.members ?? [] {
      switch member.name {
      case "published": checkPublished(member.value.items ?? [], daemon)
      case "refused":
        #expect(daemon.refusals.last?.reason.rawValue == member.value["error"]?.text)
        if let offset = member.value["offset"]?.integer { #expect(daemon.refusals.last?.offset == offset) }
      case "missed": #expect(daemon.missed == member.value.integer)
      case "unanswered": #expect(daemon.conversation?.unanswered == member.value.integer)
      case "connection": #expect((daemon.conversation?.isEnded == true) == (member.value.text == "closed"))
      case "error": #expect(daemon.lines.last?["code"] == member.value)
      case "log": #expect(daemon.excesses == member.value.integer)
      case "written": #expect(daemon.written == member.value.texts)
      // What the daemon makes of the end of a connection is tested there.
      case "state", "reason", "link": continue
      default: Issue.record("the test does not know \(member.name)")
      }
    }
  }

  private func checkPublished(_ expected: [JSONValue], _ daemon: ScriptedDaemon) {
    #expect(daemon.published.count == expected.count)
    for (record, wanted) in zip(daemon.published, expected) {
      for member in wanted.members ?? [] where member.name != "sensor" {
        #expect(record[member.name] == member.value)
      }
    }
  }
}
