// What `cyclo fleet status` shows.

import FleetWire
import JSON
import Testing
import Wire

@testable import cyclo

struct BridgeStatusTextTests {
  private func lines(_ members: String) throws -> [String] {
    let text =
      #"{"group":"home","receiver":"bike-7","connected":true,"live":{"mode":"wanted"},"#
      + #""broker":{"state":"connected"}\#(members)}"#
    let status = try #require(BridgeStatusReply(try JSONValue.parse(text)))
    return BridgeStatusText(status: status, style: Style(isColoured: false), columns: nil).lines
  }

  @Test("each sensor that roams is shown with its receiver")
  func shared() throws {
    let found = try lines(
      #","control":{"connected":true},"shared":[{"sensor":"strap","holder":"here"},{"sensor":"wheel","holder":"elsewhere","receiver":"bike-8"},"#
        + #"{"sensor":"power","holder":"free"},{"sensor":"pod","holder":"of a later release"}]"#)
    let heading = try #require(found.firstIndex(of: "Shared sensors"))
    let rows = found[(heading + 1)...].map {
      $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
    #expect(
      rows == ["strap here", "wheel with bike-8", "power free: the receivers wait for it", "pod of a later release"])
    #expect(try !lines("").contains("Shared sensors"))
    #expect(try !lines(#","control":{"connected":false},"shared":[]"#).contains("Shared sensors"), "they are unknown")
    #expect(
      try lines(#","control":{"connected":true},"shared":[]"#).last?.contains("every sensor stays with its receiver")
        == true)
  }
}
