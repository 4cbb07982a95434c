// What the guide keeps of segments under way, and what of a damaged file it refuses.

import Earth
import JSON
import Segments
import Testing

@testable import GuideCore

struct SavedSegmentsTests {
  private static let attempt =
    #"{"segment":3,"start_ms":1000,"start_distance_m":2.5,"distance_m":80,"furthest_m":90,"points":4,"#
    + #""latitude_deg":47,"longitude_deg":8.5,"at_ms":9000}"#

  private func read(_ attempts: String) throws -> SavedSegments? {
    SavedSegments(try JSONValue.parse(#"{"ride":"r1","boot":"b1","attempts":[\#(attempts)]}"#))
  }

  @Test("what was written is read again")
  func roundTrip() throws {
    let saved = try #require(try read(Self.attempt))
    #expect(saved.ride == "r1" && saved.boot == "b1" && saved.attempts.count == 1)
    var writer = JSONWriter()
    saved.write(into: &writer)
    #expect(SavedSegments(try JSONValue.parse(writer.bytes)) == saved)
  }

  @Test(
    "values that no attempt has are refused",
    arguments: [
      ("start_ms", "-9e18"), ("start_ms", "-1"), ("start_ms", "9000"), ("start_ms", "1e13"), ("at_ms", "9e18"),
      ("at_ms", "1000"), ("start_distance_m", "-1"), ("start_distance_m", "1e300"), ("distance_m", "-0.1"),
      ("distance_m", "60000"), ("furthest_m", "1e300"), ("points", "-1"), ("points", "9e18"), ("segment", "0"),
      ("latitude_deg", "91"), ("at_ms", "null"),
    ])
  func refused(member: String, value: String) throws {
    let old = try #require(Self.attempt.firstRange(of: try Regex("\"\(member)\":[0-9.]+")))
    var text = Self.attempt
    text.replaceSubrange(old, with: "\"\(member)\":\(value)")
    #expect(try read(text) == nil, "\(text)")
    // The rest of the state stays.
    let state = GuideState(
      try JSONValue.parse(
        #"{"coach":{"sport":"off","preference_per_min":0},"segments":{"boot":"b1","attempts":[\#(text)]}}"#))
    #expect(state != nil && state?.segments == nil)
  }

  @Test("more attempts than segments are refused")
  func tooMany() throws {
    let many = Array(repeating: Self.attempt, count: SegmentLibrary.mostSegments + 1)
    #expect(try read(many.dropFirst().joined(separator: ",")) != nil)
    #expect(try read(many.joined(separator: ",")) == nil)
  }

  @Test("an attempt that does not fit its segment is not resumed")
  func foreign() throws {
    let positions = (0..<20).compactMap { Coordinate(latitude: 47 + Double($0) * 0.00018, longitude: 8.5) }
    var live = LiveSegments()
    live.replace(by: [try #require(KnownSegment(id: 3, positions, best: nil, last: nil))])
    let text = Self.attempt.replacing("\"distance_m\":80", with: "\"distance_m\":40000")
    live.resume(try #require(try read(text)).attempts)
    #expect(live.saved.isEmpty)
    live.resume(try #require(try read(Self.attempt)).attempts)
    #expect(live.saved.count == 1)
  }
}
