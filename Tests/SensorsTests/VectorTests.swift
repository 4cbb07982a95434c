// Decodes every vector with the real plugins, as a capture. What `cyclo decode` would print is
// compared with the content of the frame, by the rules that map frames to samples.

import CaptureDecoding
import CaptureFormat
import Foundation
import JSON
import SensorKit
import Sensors
import Testing
import Time

@Suite struct VectorTests {
  static let runs = VectorFile.all.flatMap { (try? $0.runs()) ?? [] }

  @Test("every file of vectors has runs", arguments: VectorFile.all)
  func filesHaveRuns(_ file: VectorFile) throws {
    #expect(try !file.runs().isEmpty)
  }

  @Test("a vector decodes as expected", arguments: runs)
  func decodesAsExpected(_ run: VectorRun) throws {
    var decoder = CaptureDecoder(plugins: PluginRegistry(builtInPlugins.plugins))
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

  private func compare(
    _ lines: String, with frame: VectorFrame, in run: VectorRun, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    // Pieces that wait for the rest of their record are published between two frames.
    let records = try lines.split(separator: "\n").map { try JSONValue.parse(String($0)) }
      .filter { abs(($0["t"]?.number ?? 0) - frame.milliseconds / 1000) < 1e-6 }
    if let error = frame.error {
      #expect(
        records.map { $0["class"] } == ["refused"] && records.first?["error"] == error, "\(lines)",
        sourceLocation: sourceLocation)
      return
    }
    #expect(!records.contains { $0["class"] == "refused" }, "\(lines)", sourceLocation: sourceLocation)
    for (kind, isExpected) in Self.countedKinds(frame.expect) {
      #expect(
        records.filter { $0["kind"]?.text == kind }.count == (isExpected ? 1 : 0), "\(kind) in \(lines)",
        sourceLocation: sourceLocation)
    }
    let published = Self.members(of: records)
    if Self.isSilent(frame.expect) {
      #expect(records.isEmpty, "\(lines)", sourceLocation: sourceLocation)
      return
    }
    let unpublished = Self.unpublished(frame.expect)
    for member in Self.flattened(frame.expect) where !unpublished.contains(member.name) {
      let expected = member.value == "unsupported" ? .null : member.value
      let name = run.file.sampleName(of: member.name)
      #expect(
        isClose(published[name], expected), "\(member.name) of \(lines) is not \(expected.encoded)",
        sourceLocation: sourceLocation)
    }
  }

  /// Whether nothing is published: for a strap without a reading yet, and for a piece of a record.
  static func isSilent(_ expect: JSONValue) -> Bool {
    expect["bpm"] == .null && expect["rr_ms"] == [] || expect["complete"] == false
  }

  /// Replaces an object by its members: the settings of an answer, the record of several pieces.
  static func flattened(_ expect: JSONValue) -> [JSONValue.Member] {
    (expect.members ?? []).flatMap { $0.value.members ?? [$0] }
  }

  /// The samples that a packet with counters must give: speed if a rate or a distance is known,
  /// cadence if a rate is known. A frame without statuses stands alone, so its counters cannot be
  /// compared.
  static func countedKinds(_ expect: JSONValue) -> [String: Bool] {
    guard expect["crank_revs"] != nil || expect["wheel_status"] != nil else { return [:] }
    let isMute: Bool =
      switch expect["wheel_status"]?.text {
      case nil, "none", "first", "older", "bounced", "unconfirmed": true
      case "inconsistent": expect["speed_mps"] == .null
      default: false
      }
    return ["speed": !isMute, "cadence": (expect["cadence_rpm"] ?? .null) != .null]
  }

  /// Members that no record of this frame can carry, because their sample is not published.
  static func unpublished(_ expect: JSONValue) -> Set<String> {
    let kinds = countedKinds(expect)
    var names = VectorFile.inside
    if kinds["speed"] == false { names.formUnion(["wheel_revs", "distance_delta_m"]) }
    if kinds["cadence"] == false { names.insert("crank_revs") }
    // A sample contains it only if it is true. The features of a meter contain both values.
    if expect["power_w"] != nil, expect["offset_compensation"] == .bool(false) { names.insert("offset_compensation") }
    return names
  }

  /// The members of all records of one frame, by name. A text fact is also called `text`, as in the
  /// vectors.
  static func members(of records: [JSONValue]) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
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

  private func isClose(_ actual: JSONValue?, _ expected: JSONValue) -> Bool {
    switch (actual, expected) {
    case (nil, .null): true
    case (.number(let actual), .number(let expected)): abs(actual - expected) <= 1e-5
    case (.array(let actual), .array(let expected)):
      actual.count == expected.count && zip(actual, expected).allSatisfy { isClose($0, $1) }
    case (.object?, .object(let members)): members.allSatisfy { isClose(actual?[$0.name], $0.value) }
    default: actual == expected
    }
  }
}
