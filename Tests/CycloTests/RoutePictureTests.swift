// `cyclo logbook show ID --svg` against a scripted recorder. Places and colors are computed here
// again, from degrees and from the page's style sheet.

import Expat
import Foundation
import JSON
import Linux
import Testing

@Suite struct RoutePictureTests {
  /// Nine points to the east, then a gap, then five to the north, one per minute.
  private static let east = (0..<9).map { (longitude: 11 + Double($0) * 0.01, latitude: 48.0) }
  private static let north = (0..<5).map { (longitude: 11.04, latitude: 48.01 + Double($0) * 0.01) }

  private static func track() -> String {
    func piece(_ points: [(longitude: Double, latitude: Double)], from start: Int) -> String {
      let points = points.enumerated().map { index, point in
        #"{"at_s":\#(start + index * 60),"latitude_deg":\#(point.latitude),"longitude_deg":\#(point.longitude)}"#
      }
      return #"{"points":[\#(points.joined(separator: ","))]}"#
    }
    return #"{"id":12,"pieces":[\#(piece(east, from: 0)),\#(piece(north, from: 900))]}"#
  }

  /// The heart rate is 100 on four points, then 160, and unknown after the gap.
  private static let series =
    #"{"id":12,"step_s":60,"pieces":[{"start_s":0,"fields":["#
    + #"{"field":"bpm","min":[1],"mean":[100,100,100,100,160,160,160,160,160],"max":[1]},"#
    + #"{"field":"grade_pct","min":[1],"mean":[-4,-4,-4,-4,-4,-4,-4,-4,6],"max":[1]}]}]}"#

  private func with(
    track: String = track(), detail: String = LogbookTests.ride, _ body: (StandInDaemon) throws -> Void
  ) throws {
    func transfer(_ content: String) -> [StandInDaemon.Step] {
      let encoded = Data(content.utf8).base64EncodedString()
      return [
        .reply(#"{"transfer":1}"#),
        .line(
          #"{"class":"data","transfer":1,"offset":0,"base64":"\#(encoded)","end":true,"bytes":\#(content.utf8.count)}"#),
      ]
    }
    let script: StandInDaemon.Script = [
      "show": [[.reply(detail)]], "track": [transfer(track)], "series": [transfer(Self.series)],
    ]
    let recorder = try StandInDaemon(script, socket: "logbook.sock", greetings: [LogbookTests.hello])
    defer { recorder.stop() }
    try body(recorder)
  }

  /// An element of a parsed picture.
  private struct Element {
    let name: String
    let attributes: [String: String]
    /// The `class` attributes of the elements around it.
    let groups: [String]
    var text = ""
  }

  /// In the order in which they begin.
  private func elements(_ picture: String) throws -> [Element] {
    let parser = Expat.XMLParser()
    var elements: [Element] = []
    var open: [Int] = []
    func receive(_ event: XMLEvent) {
      switch event {
      case .start(let name, let attributes):
        let values = attributes.map { ($0.name.local, $0.value) }
        let groups = open.compactMap { elements[$0].attributes["class"] }
        open.append(elements.count)
        elements.append(
          Element(name: name.local, attributes: Dictionary(uniqueKeysWithValues: values), groups: groups))
      case .end(_, let text):
        if let last = open.popLast() { elements[last].text = text }
      }
    }
    try parser.feed(Array(picture.utf8).span) { receive($0) }
    try parser.finish { receive($0) }
    return elements
  }

  /// The places of a path that consists of lines.
  private func places(_ element: Element) throws -> [[(x: Double, y: Double)]] {
    try (element.attributes["d"] ?? "").split(separator: "M").map { line in
      try line.split(separator: "L").map { place in
        let numbers = place.split(separator: " ").compactMap { Double($0) }
        try #require(numbers.count == 2)
        return (numbers[0], numbers[1])
      }
    }
  }

  /// Where the picture has to show a point: all of the track fits into a width of 720 pixels.
  private func expected(_ point: (longitude: Double, latitude: Double)) -> (x: Double, y: Double) {
    let degree = 6_371_008.8 * Double.pi / 180
    let (eastward, northward) = (0.08 * cos(48 * Double.pi / 180) * degree, 0.05 * degree)
    let height = (720 * northward / eastward + 80).rounded()
    let scale = max(eastward / 720, northward / (height - 80))
    return (
      400 + (point.longitude - 11.04) * cos(48 * Double.pi / 180) * degree / scale,
      64 + height / 2 - (point.latitude - 48.025) * degree / scale
    )
  }

  private func colors() throws -> [String] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let sheet = String(decoding: try Files.read(folder + "/../../Sources/Page/css/tokens.css"), as: UTF8.self)
    return try (["text-secondary"] + (1...5).map { "hr-zone-\($0)" }).map { name in
      let value = try #require(sheet.firstRange(of: "--\(name): ").map { sheet[$0.upperBound...].prefix { $0 != ";" } })
      return String(value)
    }
  }

  @Test("a picture has each part of the route at its place in the color of its zone, and no line in a gap")
  func zones() throws {
    let detail = String(LogbookTests.ride.dropLast()) + #","zone_floors_bpm":[90,110,130,150,170]}"#
    try with(detail: detail) { recorder in
      let outcome = try cyclo("logbook", "show", "12", "--svg", socket: recorder.controlSocket)
      #expect(outcome.status == 0)
      let elements = try elements(outcome.output)
      let lines = elements.filter { $0.name == "path" && $0.groups.contains("track") }
      // Between two zones, a line has the zone of its mean.
      let wanted: [(step: Int, points: [(longitude: Double, latitude: Double)])] = [
        (0, [Self.north[0], Self.north[4]]), (1, [Self.east[0], Self.east[3]]), (3, [Self.east[3], Self.east[4]]),
        (4, [Self.east[4], Self.east[8]]),
      ]
      let colors = try colors()
      #expect(lines.map { $0.attributes["class"] } == wanted.map { "step-\($0.step)" })
      for (line, want) in zip(lines, wanted) {
        #expect(line.attributes["stroke"] == colors[want.step])
        #expect(line.attributes["stroke-width"] == ["2", "3", "4", "5", "6", "7"][want.step])
        let places = try places(line)
        try #require(places.map(\.count) == [want.points.count])
        for (place, point) in zip(places[0], want.points) {
          let expected = expected(point)
          #expect(abs(place.x - expected.x) < 0.1 && abs(place.y - expected.y) < 0.1, "\(place) is not \(expected)")
        }
      }
      let texts = elements.filter { $0.name == "text" }.map(\.text)
      for text in ["Alps", "Heart rate", "100 bpm", "160 bpm", "1", "5", "N", "S", "F"] {
        #expect(texts.contains(text))
      }
    }
  }

  @Test("the scale of a picture has the length that it names")
  func scale() throws {
    try with { recorder in
      let eastward = 0.08 * cos(48 * Double.pi / 180) * 6_371_008.8 * Double.pi / 180
      let pixelsPerMetre = (expected(Self.east[8]).x - expected(Self.east[0]).x) / eastward
      for (units, name, metres) in [("metric", "500 m", 500.0), ("imperial", "2000 ft", 609.6)] {
        let outcome = try cyclo("--units", units, "logbook", "show", "12", "--svg", socket: recorder.controlSocket)
        let parts = try elements(outcome.output).filter { $0.groups.contains("scale") }
        #expect(parts.last { $0.name == "text" }?.text == name)
        let path = try #require(parts.first { $0.name == "path" }?.attributes["d"])
        let pixels = try #require(path.split(separator: "h").last.flatMap { Double($0.prefix { $0 != "v" }) })
        #expect(abs(pixels - metres * pixelsPerMetre) < 0.1)
      }
    }
  }

  @Test("without zones, five equal steps color the chosen value")
  func grade() throws {
    try with { recorder in
      let path = recorder.folder + "/ride.svg"
      let outcome = try cyclo(
        "logbook", "show", "12", "--svg", "--color", "grade", "-o", path, socket: recorder.controlSocket)
      #expect(outcome.output.isEmpty)
      #expect(outcome.complaint == "Saved \(path).\n")
      let picture = try elements(String(decoding: try Files.read(path), as: UTF8.self))
      let lines = picture.filter { $0.groups.contains("track") }
      // The last line has the mean of -4 and 6, which is in the middle.
      #expect(lines.map { $0.attributes["class"] } == ["step-0", "step-1", "step-3"])
      let description = try #require(picture.first { $0.name == "desc" }?.text)
      #expect(description.hasSuffix("colored by grade from -4 % to 6 %"))
    }
  }

  @Test("names cannot change the document")
  func names() throws {
    let detail = LogbookTests.ride.replacing("Alps", with: #"<script>&\"'</script>\u0001"#)
    try with(detail: detail) { recorder in
      let outcome = try cyclo("logbook", "show", "12", "--svg", socket: recorder.controlSocket)
      let elements = try elements(outcome.output)
      #expect(!elements.contains { $0.name == "script" })
      #expect(elements.contains { $0.name == "title" && $0.text.hasPrefix(#"<script>&"'</script>"#) })
    }
  }

  @Test("it says what is missing: positions, or the chosen value")
  func missing() throws {
    try with { recorder in
      let outcome = try cyclo(
        "logbook", "show", "12", "--svg", "--color", "power", socket: recorder.controlSocket)
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.complaint.contains("activity 12 has no power along its route; use another --color"))
    }
    try with(track: #"{"id":12,"pieces":[]}"#) { recorder in
      let outcome = try cyclo("logbook", "show", "12", "--svg", socket: recorder.controlSocket)
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.complaint.contains("activity 12 has no positions"))
      #expect(try cyclo("logbook", "list", "--svg", socket: recorder.controlSocket).status == 2)
      #expect(try cyclo("logbook", "show", "12", "--color", "speed", socket: recorder.controlSocket).status == 2)
      #expect(try cyclo("--json", "logbook", "show", "12", "--svg", socket: recorder.controlSocket).status == 2)
    }
  }
}
