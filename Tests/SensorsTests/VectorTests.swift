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
    try decoder.run(.device(run.device))
    if let circumference = run.circumferenceM {
      try decoder.run(.setting(device: "dev", key: "circumference_mm", value: String(circumference * 1000)))
    }
    for frame in run.frames {
      let event = try #require(frame.event)
      let time = MonotonicTime(seconds: frame.milliseconds / 1000)
      try decoder.run(.event(time: time, device: "dev", event))
      let lines = String(decoding: decoder.output.bytes, as: UTF8.self)
      decoder.output.removeAll()
      try compare(lines, with: frame, in: run)
    }
  }

  private func compare(_ lines: String, with frame: VectorFrame, in run: VectorRun) throws {
    // Pieces that wait for a rest are published at a time between two frames.
    let records = try lines.split(separator: "\n").map { try JSON.parse(String($0)) }
      .filter { abs(($0["t"]?.number ?? 0) - frame.milliseconds / 1000) < 1e-6 }
    if let error = frame.error {
      #expect(records.map { $0["class"] } == ["refused"] && records.first?["error"] == error, "\(lines)")
      return
    }
    #expect(!records.contains { $0["class"] == "refused" }, "\(lines)")
    for (kind, isExpected) in Self.countedKinds(frame.expect) {
      #expect(records.filter { $0["kind"]?.text == kind }.count == (isExpected ? 1 : 0), "\(kind) in \(lines)")
    }
    let said = Self.members(of: records)
    if Self.isSilent(frame.expect) {
      #expect(records.isEmpty, "\(lines)")
      return
    }
    let unsaid = Self.unsaid(frame.expect)
    for member in Self.flattened(frame.expect) where !unsaid.contains(member.name) {
      let expected = member.value == "unsupported" ? .null : member.value
      let name = run.file.sampleName(of: member.name)
      #expect(isClose(said[name], expected), "\(member.name) of \(lines) is not \(expected.encoded)")
    }
  }

  /// A strap that searches has nothing to say, nor has a piece of a record.
  static func isSilent(_ expect: JSON) -> Bool {
    expect["bpm"] == .null && expect["rr_ms"] == [] || expect["complete"] == false
  }

  /// Members of a member stand beside it: the settings of an answer, the record of several pieces.
  static func flattened(_ expect: JSON) -> [JSON.Member] {
    (expect.members ?? []).flatMap { $0.value.members ?? [$0] }
  }

  /// Which samples a packet with counters must give: of speed where a rate or a distance is known, of cadence where a rate
  /// is. Without statuses a frame stands alone, and its counters have nothing to be compared with.
  static func countedKinds(_ expect: JSON) -> [String: Bool] {
    guard expect["crank_revs"] != nil || expect["wheel_status"] != nil else { return [:] }
    let isMute: Bool =
      switch expect["wheel_status"]?.text {
      case nil, "none", "first", "older", "bounced", "unconfirmed": true
      case "inconsistent": expect["speed_mps"] == .null
      default: false
      }
    return ["speed": !isMute, "cadence": (expect["cadence_rpm"] ?? .null) != .null]
  }

  /// Members that no record of this frame can carry, because the sample that would is not made.
  static func unsaid(_ expect: JSON) -> Set<String> {
    let kinds = countedKinds(expect)
    var names = VectorFile.inside
    if kinds["speed"] == false { names.formUnion(["wheel_revs", "distance_delta_m"]) }
    if kinds["cadence"] == false { names.insert("crank_revs") }
    // A sample says only that it is so; a meter's feature says both.
    if expect["power_w"] != nil, expect["offset_compensation"] == .bool(false) { names.insert("offset_compensation") }
    return names
  }

  /// What all records of one frame say, by name; a text fact is called `text`, as the vectors do.
  static func members(of records: [JSON]) -> [String: JSON] {
    var members: [String: JSON] = [:]
    for record in records {
      if record["class"] == "fact", let name = record["name"]?.text {
        members[name] = record["value"]
        members["text"] = record["value"]
      }
      if record["class"] == "sample", let kind = record["kind"] {
        members["type"] = kind == "acceleration" ? "acc" : kind
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
    case (.object?, .object(let members)): members.allSatisfy { isClose(said?[$0.name], $0.value) }
    default: said == expected
    }
  }
}
