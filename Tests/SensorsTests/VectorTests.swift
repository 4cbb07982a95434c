// Every vector through the real plugins, as a capture: what `cyclo decode` would print is compared with what the frame
// holds, by the rules of the mapping from frames to samples.

import CaptureDecoding
import Foundation
import SensorKit
import Sensors
import Testing
import Wire

@Suite struct VectorTests {
  static let runs = VectorFile.all.flatMap { (try? $0.runs()) ?? [] }

  @Test(arguments: VectorFile.all)
  func aFileHasRuns(_ file: VectorFile) throws {
    #expect(try !file.runs().isEmpty)
  }

  @Test(arguments: runs)
  func aVectorDecodesAsExpected(_ run: VectorRun) throws {
    var decoder = CaptureDecoder(registry: registry)
    try decoder.run(.device(CaptureDevice(id: "dev")))
    if let circumference = run.circumferenceM {
      try decoder.run(.setting(device: "dev", key: "circumference_mm", value: String(circumference * 1000)))
    }
    for frame in run.frames {
      let uuid = try #require(BluetoothUUID(frame.characteristic))
      let time = MonotonicTime(seconds: frame.milliseconds / 1000)
      try decoder.run(.event(time: time, device: "dev", .value(.notify, uuid, frame.bytes)))
      let lines = String(decoding: decoder.output.bytes, as: UTF8.self)
      decoder.output.removeAll()
      try compare(lines, with: frame, in: run)
    }
  }

  private func compare(_ lines: String, with frame: VectorFrame, in run: VectorRun) throws {
    let records = try lines.split(separator: "\n").map { try JSON.parse(String($0)) }
    if let error = frame.expect["error"] {
      #expect(records.map { $0["class"] } == ["refused"] && records.first?["error"] == error, "\(lines)")
      return
    }
    #expect(!records.contains { $0["class"] == "refused" }, "\(lines)")
    let said = Self.members(of: records)
    if Self.isSilent(frame.expect) {
      #expect(records.isEmpty, "\(lines)")
      return
    }
    for member in frame.expect.members ?? [] where !VectorFile.inside.contains(member.name) {
      let expected = member.value == "unsupported" ? .null : member.value
      let name = VectorFile.aliases[member.name] ?? member.name
      #expect(isClose(said[name], expected), "\(member.name) of \(lines) is not \(expected.encoded)")
    }
  }

  /// A strap that searches has nothing to say.
  static func isSilent(_ expect: JSON) -> Bool {
    expect["bpm"] == .null && expect["rr_ms"] == []
  }

  /// What all records of one frame say, by name; a text fact is called `text`, as the vectors do.
  static func members(of records: [JSON]) -> [String: JSON] {
    var members: [String: JSON] = [:]
    for record in records {
      if record["class"] == "fact", let name = record["name"]?.text {
        members[name] = record["value"]
        members["text"] = record["value"]
      }
      for member in record.members ?? [] { members[member.name] = member.value }
    }
    return members
  }

  private func isClose(_ said: JSON?, _ expected: JSON) -> Bool {
    switch (said, expected) {
    case (nil, .null): true
    case (.number(let said), .number(let expected)): abs(said - expected) <= 1e-5
    case (.array(let said), .array(let expected)):
      said.count == expected.count && zip(said, expected).allSatisfy { isClose($0, $1) }
    default: said == expected
    }
  }
}
