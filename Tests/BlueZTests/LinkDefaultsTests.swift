// The kernel's answer to a query for the default link parameters.

import Testing

@testable import BlueZ

struct LinkDefaultsTests {
  /// Command complete for hci0, Read Default System Configuration: 30 to 50 ms, no latency, 420 ms,
  /// and two unrelated entries.
  private let good: [UInt8] =
    [0x01, 0x00, 0x00, 0x00, 0x1d, 0x00, 0x4b, 0x00, 0x00]
    + [0x00, 0x00, 0x02, 0x01, 0x00, 0x17, 0x00, 0x02, 0x18, 0x00, 0x18, 0x00, 0x02, 0x28, 0x00]
    + [0x1f, 0x00, 0x01, 0x00, 0x19, 0x00, 0x02, 0x00, 0x00, 0x1a, 0x00, 0x02, 0x2a, 0x00]

  private func defaults(_ bytes: [UInt8], of adapter: UInt16 = 0) -> LinkDefaults? {
    LinkDefaults(bytes.span, of: adapter)
  }

  @Test("all four default link parameters are read")
  func allFourAreRead() throws {
    let found = try #require(defaults(good))
    #expect(found.shortestInterval == 24 && found.longestInterval == 40)
    #expect(found.latency == 0 && found.supervisionTimeout == 42)
  }

  @Test("answers for another adapter or command, and refusals, are ignored")
  func otherAnswers() {
    #expect(defaults(good, of: 1) == nil)
    for (index, byte) in [(0, UInt8(0x02)), (6, 0x4c), (8, 0x01)] {
      var bytes = good
      bytes[index] = byte
      #expect(defaults(bytes) == nil)
    }
  }

  @Test("a truncated answer is ignored")
  func truncated() {
    for length in 0..<good.count { #expect(defaults(Array(good[..<length])) == nil) }
  }

  @Test("without an adapter the link defaults are unknown")
  func noAdapter() {
    #expect(LinkDefaults.read(of: 250) == nil)
    #expect(LinkDefaults.read(of: -1) == nil)
  }
}
