// The document of a route, read in pieces.

import Guidance
import LogbookWire
import Testing

@testable import GuideCore

@Suite struct RouteReaderTests {
  private static let document = #"""
    {"route":{"id":7,"name":"A \"b\" {c] \\","points":3},"points":[{"distance_m":0,"latitude_deg":47,"longitude_deg":8.5},
    {"distance_m":200,"latitude_deg":47.001,"longitude_deg":8.5,"altitude_m":420},{"distance_m":400,"latitude_deg":47.002,
    "longitude_deg":8.5}],"cues":[{"distance_m":200,"kind":"left","text":"] } \" here"}],"later":[1,{"x":[{}]},"{"]}
    """#

  @Test("pieces of any size make the same route", arguments: [1, 2, 7, 64, 100_000])
  func pieces(size: Int) throws {
    var reader = RouteReader()
    let bytes = Array(Self.document.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      #expect(!reader.isComplete)
      reader.feed(Array(bytes[start..<min(bytes.count, start + size)]))
    }
    #expect(reader.isComplete && !reader.hasFailed)
    #expect(reader.record?.id == 7 && reader.record?.name == #"A "b" {c] \"#)
    let (route, cues) = try #require(reader.route())
    #expect(route.count == 3 && abs(route.lengthM - 222.39) < 0.1)
    // Half of the way as the file counts.
    #expect(cues.count == 1 && cues[0].kind == .left && abs(cues[0].distanceM - 111.2) < 0.1)
    #expect(cues[0].text == #"] } " here"#)
  }

  @Test(
    "what is not the document of a route is refused",
    arguments: [
      #"{"points":[{"latitude_deg":1}]}"#, #"{"points":[{"latitude_deg":91,"longitude_deg":0}]}"#,
      #"{"cues":[{"kind":"left"}]}"#, #"{"route":{id}}"#, #"{"points":[]}}"#,
    ])
  func refused(text: String) {
    var reader = RouteReader()
    reader.feed(Array(text.utf8))
    #expect(reader.hasFailed)
  }

  @Test("a document that ends early, or has one place only, is not a route")
  func short() {
    var reader = RouteReader()
    reader.feed(Array(Self.document.utf8.dropLast(3)))
    #expect(!reader.isComplete)
    var point = RouteReader()
    point.feed(Array(#"{"route":{"id":1,"name":"x"},"points":[{"latitude_deg":1,"longitude_deg":2}]}"#.utf8))
    #expect(point.isComplete && point.route() == nil)
  }

  @Test("an endless object is refused")
  func endless() {
    var reader = RouteReader()
    reader.feed(Array(#"{"route":{"name":""#.utf8))
    for _ in 0..<40 { reader.feed([UInt8](repeating: UInt8(ascii: "a"), count: 1000)) }
    #expect(reader.hasFailed)
  }
}
