// Which ids a sensor can have.

import Testing
import Wire

@Suite struct SensorIDTests {
  @Test("no sensor has the id of what services publish", arguments: ["ride", "guide", "gps"])
  func reserved(id: String) { #expect(!SensorID.isValid(id)) }

  @Test("an id has lower-case letters, digits and hyphens", arguments: ["guide-1a2b", "h10", "a"])
  func plain(id: String) { #expect(SensorID.isValid(id)) }

  @Test("other ids are refused", arguments: ["", "Guide", "a_b", "ä", String(repeating: "a", count: 65)])
  func other(id: String) { #expect(!SensorID.isValid(id)) }
}
