// The pure parts of dialogues: keys, lists, sizes of tires, bars of signals, lines that fit.

import JSON
import Testing
import Wire

@testable import cyclo

struct KeyTests {
  @Test(
    "bytes are decoded as keys",
    arguments: [
      ("\u{1B}[A", [Key.up]), ("\u{1B}[B", [.down]), ("\u{1B}OA", [.up]), ("\u{1B}[1;5B", [.down]),
      ("\u{1B}[H", [.first]),
      ("\u{1B}[4~", [.last]), ("\u{1B}[5~", [.first]), ("\r", [.enter]), ("\n", [.enter]), ("\u{7F}", [.backspace]),
      ("\u{04}", [.end]), ("\u{10}\u{0E}", [.up, .down]), ("1q", [.letter("1"), .letter("q")]),
      ("\u{1B}[15~x", [.letter("x")]),
      ("\u{1B}\r", [.escape, .enter]), ("\u{1B}[A\u{1B}[B", [.up, .down]), ("é", []), ("\u{07}", []),
    ])
  func bytesAreKeys(text: String, keys: [Key]) {
    var whole = KeyDecoder()
    #expect(whole.feed(text.utf8) == keys)
    #expect(!whole.isInDoubt)
    // A slow line gives them one at a time.
    var dripped = KeyDecoder()
    #expect(text.utf8.flatMap { dripped.feed([$0]) } == keys)
  }

  @Test("a lone escape is a key if nothing follows")
  func loneEscapeKeyIfNothing() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1b]) == [])
    #expect(decoder.isInDoubt)
    #expect(decoder.settle() == [.escape])
    #expect(decoder.settle() == [])
  }

  /// Whatever is typed or pasted, something that follows is understood.
  @Test("random bytes do not break key decoding")
  func randomBytesDoNotBreak() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        var decoder = KeyDecoder()
        _ = decoder.feed([0x1b, first, second])
        _ = decoder.settle()
        #expect(decoder.feed("\r".utf8) == [.enter])
      }
    }
  }
}

struct ChoiceTests {
  private func press(_ keys: [Key], rows: Int) -> (choice: Choice, outcomes: [Choice.Outcome]) {
    var choice = Choice(count: rows)
    let outcomes = keys.map { choice.press($0) }
    return (choice, outcomes)
  }

  @Test(
    "keys move the selection",
    arguments: [
      ([Key.down, .down, .enter], 2), ([.down, .up, .up, .enter], 0), ([.letter("3"), .enter], 2),
      ([.last, .enter], 11),
      ([.letter("1"), .letter("2"), .enter], 11), ([.letter("1"), .letter("5"), .enter], 4),
      ([.letter("9"), .letter("9"), .enter], 8),
      ([.last, .down, .first, .enter], 0), ([.letter("1"), .down, .letter("2"), .enter], 1),
      ([.letter("0"), .enter], 0),
    ])
  func keysChoose(keys: [Key], index: Int) {
    #expect(press(keys, rows: 12).outcomes.last == .chosen(index))
  }

  @Test("an empty list has no selection")
  func emptyListHasNoSelection() {
    #expect(press([.down, .enter], rows: 0).outcomes == [.none, .none])
    #expect(press([.letter("1"), .last, .enter], rows: 0).outcomes == [.none, .none, .none])
  }

  @Test("q leaves the list")
  func qLeavesList() {
    for key in [Key.escape, .end, .letter("q")] { #expect(press([key], rows: 3).outcomes == [.left]) }
    #expect(press([.letter("a")], rows: 3).outcomes == [.other("a")])
  }

  @Test("the selected row is always visible")
  func selectedRowAlwaysVisible() {
    for rows in 1...30 {
      for height in 1...12 {
        var choice = Choice(count: rows)
        for _ in 0..<rows {
          let window = choice.window(rows: height)
          #expect(window.contains(choice.selected) && window.count == min(rows, height) && window.upperBound <= rows)
          _ = choice.press(.down)
        }
      }
    }
  }
}

struct TireTests {
  @Test(
    "a tire size gives a circumference",
    arguments: [
      ("25-622", 2111), ("25 - 622", 2111), ("700x25C", 2111), ("700 x 25", 2111), ("700X25c", 2111), ("29x2.25", 2312),
      ("27,5x2.1", 2168), ("650x47B", 2130), ("26x1.75", 2051), ("26 x 1.8", 2045), ("20x1.5", 1527), ("2105", 2105),
      ("2105.5", 2105.5),
      ("2105 mm", 2105), ("650 mm", 650), ("2105mm", 2105),
    ])
  func tireSizeGivesCircumference(text: String, millimetres: Double) {
    #expect(TireSize.circumference(text) == millimetres)
  }

  @Test(
    "an invalid tire size is rejected",
    arguments: [
      "", "25", "622", "25-", "-622", "25-622-1", "700x250C", "26x1 3/8", "17x2", "700x25D", "1e3", "nan", "4001", "x",
    ])
  func invalidTireSizeRejected(text: String) {
    #expect(TireSize.circumference(text) == nil)
  }

  @Test("the list of tire sizes is complete")
  func listOfTireSizesComplete() {
    #expect(TireSize.common.count == 15)
    #expect(TireSize.near(2085).map(\.isoName) == ["23-622", "54-559"])
    #expect(TireSize.near(3000) == [])
  }

  @Test(
    "a length can have a unit",
    arguments: [
      ("21.05", 21.05), ("21,05 m", 21.05), ("2105 cm", 21.05), ("21050mm", 21.05), ("10 ft", 3.048), ("100in", 2.54),
      ("2 yd", 1.8288),
    ])
  func lengthCanHaveUnit(text: String, length: Double) throws {
    #expect(abs(try #require(metres(text)) - length) < 1e-9)
  }

  @Test("an invalid length is rejected", arguments: ["", "m", "-3", "0", "3 km/h", "3 miles"])
  func invalidLengthRejected(text: String) {
    #expect(metres(text) == nil)
  }

  @Test("a sensor is a wheel if it says so, or else if it counts revolutions")
  func sensorWheelIfItSays() throws {
    let hub = try #require(SensorRecord(["id": "hub", "kinds": ["speed"]]))
    let another = try sample(["sensor": "strap", "kind": "speed", "wheel_revs": 7])
    let turning = try sample(["sensor": "hub", "kind": "speed", "wheel_revs": 7])
    let moving = try sample(["sensor": "hub", "kind": "speed", "speed_mps": 8])
    #expect(hub.countsTurns([]) == nil)
    #expect(hub.countsTurns([another]) == nil)
    #expect(hub.countsTurns([another, turning]) == true)
    #expect(hub.countsTurns([another, moving]) == false)
    let told = try #require(SensorRecord(["id": "hub", "kinds": ["speed"], "facts": ["wheel_revolution_data": false]]))
    #expect(told.countsTurns([turning]) == false)
    let strap = try #require(SensorRecord(["id": "hub", "kinds": ["heart_rate"]]))
    #expect(strap.countsTurns([turning]) == false)
  }

  @Test("revolutions are counted across the counter's wrap")
  func revolutionsCountedAcrossCountersWrap() throws {
    var count = TurnCount()
    func speed(_ revolutions: Double) throws -> SampleRecord {
      try #require(sample(["sensor": "hub", "kind": "speed", "wheel_revs": .number(revolutions)]).record)
    }
    count.begin()
    #expect(count.turns == nil)
    count.take(try speed(4_294_967_290))
    count.begin()
    #expect(count.turns == 0)
    count.take(try #require(sample(["sensor": "hub", "kind": "cadence", "crank_revs": 7]).record))
    count.take(try speed(4_294_967_294))
    #expect(count.turns == 4)
    count.take(try speed(3))
    #expect(count.turns == 9)
  }
}

struct DrawingTests {
  @Test(
    "the signal is a bar",
    arguments: [(-50, "▂▄▆█", "####"), (-61, "▂▄▆·", "###-"), (-80, "▂▄··", "##--"), (-95, "▂···", "#---")])
  func signalBar(rssi: Int, bar: String, plain: String) {
    #expect(SignalBar.text(rssi, isUTF8: true) == bar)
    #expect(SignalBar.text(rssi, isUTF8: false) == plain)
  }

  @Test(
    "the width of text is counted in columns",
    arguments: [("Polar H10", 9), ("心拍計", 6), ("🚲", 2), ("e\u{301}", 1), ("", 0)])
  func textTakesColumns(text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test("a cut line keeps its colours")
  func cutLineKeepsColours() {
    var line = Line("Polar", .strong)
    line.fill(to: 8)
    line.add("heart rate", .good)
    #expect(line.width == 18)
    let plain = Style(isColoured: false)
    #expect(line.text(style: plain) == "Polar   heart rate")
    for columns in 0...20 { #expect(line.text(columns: columns, style: plain).columns <= columns) }
    #expect(line.text(columns: 6, style: Style(isColoured: true)).contains("\u{1B}[1mPolar\u{1B}[0m"))
  }

  @Test("text wraps between words")
  func textWrapsBetweenWords() {
    #expect("one two three".wrapped(to: 8) == ["one two", "three"])
    #expect("unbreakable".wrapped(to: 4) == ["unbreakable"])
    #expect("".wrapped(to: 4) == [""])
  }
}
