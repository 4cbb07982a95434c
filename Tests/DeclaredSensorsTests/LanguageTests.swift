// The language, rule by rule: fields, checks, expressions, lists, groups, records and what is kept.

import DeclaredSensors
import JSON
import SensorKit
import Testing

@Suite struct LanguageTests {
  /// Fields of the only packet, and what is published of them.
  private func file(_ fields: String, _ said: String = "[Sample x]\nk = known(a)") -> String {
    leastHead + "[Packet p]\nNotify = 180d 2a37\n\(fields)\n\(said)\n"
  }

  private func refusal(_ reason: String, _ offset: Double) -> [JSONValue] {
    [["error": .string(reason), "offset": .number(offset)]]
  }

  @Test(
    "a number is read as its type says",
    arguments: [
      ("u8", "ff", 255), ("i8", "ff", -1), ("u16", "0102", 513), ("u16be", "0102", 258), ("i16", "feff", -2),
      ("i16be", "fffe", -2), ("u24", "010203", 197_121), ("u24be", "010203", 66_051), ("i24", "ffffff", -1),
      ("i24be", "fffffe", -2), ("u32", "ffffffff", 4_294_967_295), ("u32be", "00000102", 258), ("i32", "feffffff", -2),
      ("i32be", "fffffffe", -2), ("u48", "ffffffffffff", 281_474_976_710_655), ("u48be", "000000000102", 258),
      ("f32", "0000c03f", 1.5), ("f32be", "3fc00000", 1.5), ("f64", "000000000000f83f", 1.5),
      ("f64be", "3ff8000000000000", 1.5), ("sfloat", "d9f3", 98.5), ("float", "d90300ff", 98.5),
    ] as [(String, String, Double)])
  func numbers(_ row: (type: String, hex: String, number: Double)) throws {
    var session = try DeclaredSession(file("a = \(row.type)", "[Sample x]\nv = a"))
    #expect(isClose(.array(try session.packet(row.hex)), [["class": "sample", "kind": "x", "v": .number(row.number)]]))
  }

  @Test(
    "a value without a number is unknown",
    arguments: [
      ("f32", "0000c07f"), ("f32", "0000807f"), ("f64", "000000000000f87f"), ("sfloat", "ff07"), ("sfloat", "0008"),
      ("float", "ffff7f00"), ("u8 unknown 1 2", "02"),
    ])
  func unknownNumbers(_ row: (type: String, hex: String)) throws {
    var session = try DeclaredSession(file("a = \(row.type)", "[Sample x]\nv = a"))
    #expect(try session.packet(row.hex) == [])
  }

  @Test(
    "an expression has its value",
    arguments: [
      ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("7 - 2 - 1", 4), ("8 / 4 / 2", 1), ("-7 % 4", -3), ("7 % -4", 3),
      ("2 + 3 << 1", 10), ("6 & 3 | 8", 10), ("6 ^ 3", 5), ("~0", 4_294_967_295), ("-1 & 0xff", 255),
      ("1 << 31", 2_147_483_648), ("1 << 32", 0), ("3.7 | 0", 3), ("4294967297 | 0", 1), ("-1 >> 28", 15),
      ("a[3:0]", 5), ("a[7:4]", 10), ("a[7]", 1), ("a[6]", 0), ("1 < 2 ? 10 : 20", 10), ("0 ? 10 : 20", 20),
      ("missing ?? 3", 3), ("a ?? 3", 165), ("abs(-2)", 2), ("min(2, 1)", 1), ("max(2, 1)", 2), ("round(2.5)", 3),
      ("round(-2.5)", -2), ("floor(-0.5)", -1), ("sqrt(9)", 3), ("pow10(3)", 1000), ("pow10(-2)", 0.01),
      ("byte(0)", 165), ("byte(5) ?? 9", 9), ("length", 1), ("0x1f", 31), ("-a", -165), ("missing * 0 ?? 5", 5),
      ("1 / 0 ?? 6", 6), ("sqrt(-1) ?? 7", 7), ("pow10(400) ?? 8", 8), ("company ?? 4", 4),
    ] as [(String, Double)])
  func expressions(_ row: (text: String, value: Double)) throws {
    var session = try DeclaredSession(file("a = u8\nmissing = u8 if false", "[Sample x]\nv = \(row.text)"))
    #expect(
      isClose(.array(try session.packet("a5")), [["class": "sample", "kind": "x", "v": .number(row.value)]]), "\(row)")
  }

  @Test(
    "a flag is published as a boolean, and unknown is left out",
    arguments: [
      ("true", true), ("1 == 1", true), ("!a", false), ("a && 0", false), ("missing || true", true),
      ("missing && false", false), ("known(missing)", false), ("missing == 1", nil), ("!missing", nil),
      ("missing && true", nil), ("missing || false", nil), ("missing ? true : false", nil), ("2 >= 2", true),
      ("missing != missing", nil), ("false == false", true),
    ] as [(String, Bool?)])
  func flags(_ row: (text: String, value: Bool?)) throws {
    var session = try DeclaredSession(file("a = u8\nmissing = u8 if false", "[Sample x]\nv = \(row.text)"))
    let expected: [JSONValue] = row.value.map { [["class": "sample", "kind": "x", "v": .bool($0)]] } ?? []
    #expect(try session.packet("a5") == expected)
  }

  @Test(
    "a packet is refused at the byte of its field",
    arguments: [
      ("a = u8\nb = u16", "0102", "truncated", 1), ("a = u8 at 3", "0102", "truncated", 3),
      ("a = u8 at -3", "0102", "truncated", 0), ("a = u8", "0102", "trailing_bytes", 1),
      ("a = u8 at 1\nb = u8 at 0", "0102", "trailing_bytes", 1), ("a = u8 min 2", "01", "out_of_range", 0),
      ("a = u8\nb = u8 max 1", "0102", "out_of_range", 1), ("a = u8 in 2 3", "01", "reserved_value", 0),
      ("a = u8 is 2", "01", "not_this_protocol", 0), ("a = u8 is 2 else empty", "01", "empty", 0),
      ("a = u8\nb = bytes[3] is 020304", "01020305", "not_this_protocol", 3),
      ("a = u8\nb = u8 is xor", "0103", "not_this_protocol", 1),
      ("a = u8\nb = u8 is sum", "0103", "not_this_protocol", 1),
      ("a = u16[]", "010203", "truncated", 2), ("a = u16[2]", "01020304", "", 0),
      ("a = u16[3]", "01020304", "truncated", 4),
      ("a = u8[] by 2", "010203", "bad_length", 0), ("a = u8\nb = u8[] max 3", "01020304", "out_of_range", 1),
      ("a = text", "61ff", "bad_encoding", 1), ("a = date", "ea070d16071e05", "out_of_range", 2),
      ("a = date", "ea070b1618001e", "out_of_range", 4),
      ("a = date", "2d060b16071e05", "out_of_range", 0), ("a = date", "10270b16071e05", "out_of_range", 0),
      ("a = u8\nRefuse = bad_length at 4 if a == 1", "01", "bad_length", 4),
      ("a = u8\nRefuse = empty if a == 2\nRefuse = bad_length if a == 1", "01", "bad_length", 0),
      ("a = u8 min 2\nb = u16", "0101", "truncated", 1), ("a = u8 min 2", "0101", "trailing_bytes", 1),
      ("a = u8 min 2\nRefuse = empty if true", "01", "out_of_range", 0), ("a = skip[2]", "01", "truncated", 0),
      ("a = u8\nMatch = byte(0) == 2", "01", "unknown_frame", 0),
      ("a = u8\nMatch = length == 2", "01", "unknown_frame", 0),
      ("a = u8", "", "empty", 0), ("a = hex[0x10]", "01", "truncated", 0),
    ] as [(String, String, String, Double)])
  func refusals(_ row: (fields: String, hex: String, reason: String, offset: Double)) throws {
    var session = try DeclaredSession(file(row.fields, "[Event e]\nv = 1"))
    let expected =
      row.reason.isEmpty ? [["class": "event", "event": "e", "v": 1]] : refusal(row.reason, row.offset)
    #expect(try session.packet(row.hex) == expected, "\(row)")
  }

  @Test("the first failed check in the order of the fields decides")
  func orderOfChecks() throws {
    var session = try DeclaredSession(file("a = u8 at 1 max 3\nb = u8 at 0 max 3\nRest = ignore"))
    #expect(try session.packet("0909") == refusal("out_of_range", 1))
  }

  @Test("a check of unknown numbers passes")
  func unknownPasses() throws {
    var session = try DeclaredSession(file("a = u8 unknown 255 max 3", "[Sample x]\nv = a"))
    #expect(try session.packet("ff") == [])
    #expect(try session.packet("fe") == refusal("out_of_range", 0))
  }

  @Test("the rest may be ignored, always or on a condition")
  func rest() throws {
    var session = try DeclaredSession(file("a = u8\nRest = ignore if a[7]", "[Sample x]\nv = a"))
    #expect(try session.packet("8101") == [["class": "sample", "kind": "x", "v": 129]])
    #expect(try session.packet("0101") == refusal("trailing_bytes", 1))
  }

  @Test("a list is computed item by item, and stays empty or unknown")
  func lists() throws {
    let said = """
      [Sample x]
      twice = a * 2
      from = 10 - a
      minus = -a
      shared = (b ?? a) / 2
      none = b ?? empty
      unknown = b
      count = count(a)
      chosen = count(a) > 1 ? a : empty
      """
    var session = try DeclaredSession(file("a = u8[]\nb = u8[2] if false", said))
    #expect(
      try session.packet("0104") == [
        [
          "class": "sample", "kind": "x", "twice": [2, 8], "from": [9, 6], "minus": [-1, -4], "shared": [0.5, 2],
          "none": [], "count": 2, "chosen": [1, 4],
        ]
      ])
  }

  @Test("items of several numbers are published as lists")
  func groupsOfNumbers() throws {
    var session = try DeclaredSession(file("a = u8[] by 3", "[Sample x]\nv = a * 2"))
    #expect(try session.packet("010203040506") == [["class": "sample", "kind": "x", "v": [[2, 4, 6], [8, 10, 12]]]])
  }

  @Test("text loses its zeros, hex and addresses have small letters, a date has its form")
  func texts() throws {
    let fields = "a = text[4]\nb = hex[2]\nc = address\nd = date\ne = text"
    var session = try DeclaredSession(file(fields, "[Fact]\na = a\nb = b\nc = c\nd = d\ne = e"))
    let facts = try session.packet("61620000" + "ABCD" + "010203040506" + "ea070b16071e05" + "0000")
    #expect(facts.map { $0["name"] } == ["a", "b", "c", "d"])
    #expect(facts.map { $0["value"] } == ["ab", "abcd", "06:05:04:03:02:01", "2026-11-22T07:30:05"])
    #expect(
      try session.packet("00000000" + "ABCD" + "010203040506" + "00000b16071e05").map { $0["name"] } == ["b", "c"])
  }

  @Test("words are found by number, by bit and for each item")
  func words() throws {
    let said = """
      [Sample x]
      one = a -> none, low, -, high
      numbered = a -> 3 three, four, 9 nine
      named = a -> words places
      bits = a -> bits 0 first, 2 third
      list = b -> words places
      [Words places]
      3 = here
      7 = there
      """
    var session = try DeclaredSession(file("a = u8\nb = u8[]", said))
    #expect(
      try session.packet("0307030207") == [
        [
          "class": "sample", "kind": "x", "one": "high", "numbered": "three", "named": "here", "bits": ["first"],
          "list": ["there", "here", "there"],
        ]
      ])
    #expect(try session.packet("02") == [["class": "sample", "kind": "x", "bits": [], "list": []]])
  }

  @Test("a group gives an object for each item, without those that When leaves out")
  func groups() throws {
    let road = """
      cars = car[]
      [Group car]
      number = u8
      metres = u8 unknown 255
      [Object car]
      When = metres != 0
      id = number
      distance_m = metres
      [Sample radar]
      targets = each cars
      count = count(cars)
      """
    var session = try DeclaredSession(file("page = u8\n" + road, ""))
    #expect(
      try session.packet("0003500000") == [
        ["class": "sample", "kind": "radar", "targets": [["id": 3, "distance_m": 80]], "count": 2]
      ])
    #expect(try session.packet("00") == [["class": "sample", "kind": "radar", "targets": [], "count": 0]])
    #expect(try session.packet("000350ff") == refusal("truncated", 4))
    #expect(try session.packet("00" + String(repeating: "0101", count: 17)) == refusal("out_of_range", 1))
  }

  @Test("an object of which nothing is known is empty")
  func emptyObject() throws {
    let text = "cars = car[]\n[Group car]\nm = u8 unknown 255\n[Object car]\nm = m\n[Sample x]\nv = each cars"
    var session = try DeclaredSession(file(text, ""))
    #expect(try session.packet("ff02") == [["class": "sample", "kind": "x", "v": [[:], ["m": 2]]]])
  }

  @Test("records are found by their number, in any order")
  func records() throws {
    let text = "Records = u8\n[Record 1]\na = u8\n[Record 2]\nb = u16"
    var session = try DeclaredSession(file(text, "[Sample x]\na = a\nb = b"))
    #expect(try session.packet("0205000107") == [["class": "sample", "kind": "x", "a": 7, "b": 5]])
    #expect(try session.packet("01070108") == [["class": "sample", "kind": "x", "a": 8]])
    #expect(try session.packet("010703") == refusal("unknown_frame", 2))
    #expect(try session.packet("0205") == refusal("truncated", 1))
  }

  @Test("a record has a list of a group, which ends with the record")
  func groupsInRecords() throws {
    let text = """
      Records = u8 length u8
      [Record 1]
      a = u8
      [Record 2]
      size = u8
      cars = car[]
      [Group car]
      id = u8
      name = hex[size]
      [Object car]
      id = id
      name = name
      [Sample x]
      a = a
      cars = each cars
      """
    var session = try DeclaredSession(file(text, ""))
    let cars: JSONValue = [["id": 1, "name": "aabb"], ["id": 2, "name": "ccdd"]]
    #expect(
      try session.packet("0207" + "0201aabb02ccdd" + "010109") == [
        ["class": "sample", "kind": "x", "a": 9, "cars": cars]
      ])
    #expect(try session.packet("0206" + "0201aabb02cc" + "010109") == refusal("truncated", 7))
    #expect(try session.packet("010109") == [["class": "sample", "kind": "x", "a": 9]])
  }

  @Test("UnknownRecord = stop ends reading")
  func stoppingRecords() throws {
    let text = "Records = u8\nUnknownRecord = stop\nRest = ignore\n[Record 1]\na = u8"
    var session = try DeclaredSession(file(text, "[Sample x]\na = a"))
    #expect(try session.packet("0107030405") == [["class": "sample", "kind": "x", "a": 7]])
  }

  @Test("a record with a length ends there")
  func recordsWithLength() throws {
    let text = "Records = u16be length u8\n[Record 0x101]\na = u8"
    var session = try DeclaredSession(file(text, "[Sample x]\na = a"))
    #expect(try session.packet("0101030700000009020102") == [["class": "sample", "kind": "x", "a": 7]])
    #expect(try session.packet("010100") == refusal("truncated", 3))
    #expect(try session.packet("01010207") == refusal("truncated", 4))
  }

  @Test("Once passes a repetition over, but not one that was refused or is unknown")
  func once() throws {
    var session = try DeclaredSession(file("n = u8 unknown 255\na = u8 max 9\nOnce = n", "[Sample x]\na = a"))
    let sample: [JSONValue] = [["class": "sample", "kind": "x", "a": 1]]
    #expect(try session.packet("050a") == refusal("out_of_range", 1))
    #expect(try session.packet("0501") == sample)
    #expect(try session.packet("0501") == [])
    #expect(try session.packet("ff01") == sample)
    #expect(try session.packet("ff01") == sample)
    #expect(try session.packet("0501") == sample)
  }

  @Test("what is kept serves other packets, until the link is lost")
  func keep() throws {
    let text =
      leastHead + """
        [Packet scale]
        Notify = 180d 2a38
        factor = u8 unknown 255 keep
        [Packet value]
        Notify = 180d 2a37
        raw = u8
        [Sample x]
        v = raw * factor
        """
    var session = try DeclaredSession(text)
    #expect(try session.packet("02") == [])
    #expect(try session.packet("03", from: 0x2a38) == [])
    #expect(try session.packet("02") == [["class": "sample", "kind": "x", "v": 6]])
    #expect(try session.packet("ff", from: 0x2a38) == [])
    #expect(try session.packet("0304", from: 0x2a38) == refusal("trailing_bytes", 1))
    #expect(try session.packet("02") == [["class": "sample", "kind": "x", "v": 6]])
    session.disconnected()
    #expect(try session.packet("02") == [])
  }

  @Test("a text and a list are kept as they are, with the bytes of their own packet")
  func keepTextsAndLists() throws {
    let text =
      leastHead + """
        [Packet device]
        Notify = 180d 2a38
        count = u8
        scales = u16[count] by 2 keep
        serial = hex[2] keep
        name = text keep
        [Packet value]
        Notify = 180d 2a37
        raw = u8
        [Sample x]
        v = raw
        scaled = scales * raw
        pairs = count(scales)
        serial = serial
        name = name ?? serial
        """
    var session = try DeclaredSession(text)
    let alone: [JSONValue] = [["class": "sample", "kind": "x", "v": 2]]
    #expect(try session.packet("02") == alone)
    #expect(try session.packet("02" + "01000200" + "abcd" + "4142", from: 0x2a38) == [])
    let first: JSONValue = [
      "class": "sample", "kind": "x", "v": 2, "scaled": [[2, 4]], "pairs": 1, "serial": "abcd", "name": "AB",
    ]
    #expect(try session.packet("02") == [first])
    // A refused packet replaces nothing, and neither does an empty text.
    #expect(try session.packet("01" + "0500" + "0000", from: 0x2a38) == refusal("bad_length", 1))
    #expect(try session.packet("00" + "ef01", from: 0x2a38) == [])
    let second: JSONValue = [
      "class": "sample", "kind": "x", "v": 3, "scaled": [], "pairs": 0, "serial": "ef01", "name": "AB",
    ]
    #expect(try session.packet("03") == [second])
    session.disconnected()
    #expect(try session.packet("02") == alone)
  }

  @Test("a date and an address are kept")
  func keepDates() throws {
    let fields = "page = u8\nd = date keep if page == 0\na = address keep if page == 0\nn = u8 if page == 1"
    var session = try DeclaredSession(file(fields, "[Event e]\nWhen = page == 1\nn = n"))
    #expect(try session.packet("00ea070b16071e05010203040506") == [])
    // In its own packet, the name is the field, which was not read.
    #expect(try session.packet("0107") == [["class": "event", "event": "e", "n": 7]])
    let other = "[Packet q]\nNotify = 180d 2a38\nb = u8\n[Event f]\nd = d\na = a"
    var both = try DeclaredSession(file(fields, other))
    #expect(try both.packet("00ea070b16071e05010203040506") == [])
    #expect(
      try both.packet("01", from: 0x2a38) == [
        ["class": "event", "event": "f", "d": "2026-11-22T07:30:05", "a": "06:05:04:03:02:01"]
      ])
  }

  @Test("a packet has at most the bytes of a characteristic, all of which can be kept")
  func longestPacket() throws {
    var session = try DeclaredSession(file("b = f64[] keep\n", "[Sample x]\nn = count(b)"))
    let numbers = String(repeating: "00", count: 512)
    #expect(try session.packet(numbers) == [["class": "sample", "kind": "x", "n": 64]])
    #expect(try session.packet(numbers + "00") == refusal("out_of_range", 0))
  }

  @Test("a packet has at most 64 records")
  func mostRecords() throws {
    var session = try DeclaredSession(file("Records = u8\n[Record 1]\na = u8", "[Sample x]\na = a"))
    let records = String(repeating: "0107", count: 64)
    #expect(try session.packet(records) == [["class": "sample", "kind": "x", "a": 7]])
    #expect(try session.packet(records + "0107") == refusal("out_of_range", 128))
  }

  @Test("of two records with one number the later counts, also for fields that it does not have")
  func repeatedRecord() throws {
    let text = "k = u8\nRecords = u8\n[Record 1]\nf = u8\na = u8 if f\n[Record 2]\nb = u8"
    var session = try DeclaredSession(file(text, "[Sample x]\nk = k\nf = f\na = a\nb = b"))
    #expect(
      try session.packet("0901010702030100") == [["class": "sample", "kind": "x", "k": 9, "f": 0, "b": 3]])
  }

  @Test(
    "a place after the end of the packet is truncated for every type",
    arguments: [
      "text", "u8", "u8[]", "skip[0]", "car[]", "hex[0]",
    ])
  func placeAfterTheEnd(_ type: String) throws {
    var session = try DeclaredSession(file("a = u8\nb = \(type) at 5\nc = car[]\n[Group car]\nx = u8"))
    #expect(try session.packet("010203") == refusal("truncated", 5))
  }

  @Test("a sender without an address has every address")
  func senderWithoutAddress() throws {
    let text = file("a = address is sender", "[Sample x]\na = a")
    var unknown = try DeclaredSession(text)
    #expect(
      try unknown.packet("060504030201") == [["class": "sample", "kind": "x", "a": "01:02:03:04:05:06"]])
    var known = try DeclaredSession(text, sender: Sender(address: "01:02:03:04:05:06", name: ""))
    #expect(try known.packet("060504030201").count == 1)
    #expect(try known.packet("060504030207") == refusal("not_this_protocol", 0))
  }

  @Test("the items of a list with by are counted, and not their numbers")
  func countOfItems() throws {
    var session = try DeclaredSession(file("a = u8[] by 3", "[Sample x]\nn = count(a)\nv = a"))
    #expect(
      try session.packet("010203040506")
        == [["class": "sample", "kind": "x", "n": 2, "v": [[1, 2, 3], [4, 5, 6]]]])
  }

  @Test("a table with numbers in any order has their words, and bits keep the order of the file")
  func orderOfWords() throws {
    let said = "[Sample x]\nw = a -> 9 nine, 1 one, 5 five\nb = a -> bits 2 high, 0 low"
    var session = try DeclaredSession(file("a = u8", said))
    #expect(try session.packet("09") == [["class": "sample", "kind": "x", "w": "nine", "b": ["low"]]])
    #expect(try session.packet("05") == [["class": "sample", "kind": "x", "w": "five", "b": ["high", "low"]]])
    #expect(try session.packet("01") == [["class": "sample", "kind": "x", "w": "one", "b": ["low"]]])
    #expect(try session.packet("02") == [["class": "sample", "kind": "x", "b": []]])
  }

  @Test("an object has lists of numbers and of words")
  func listsInObjects() throws {
    let text = """
      factor = u8
      cells = cell[]
      [Group cell]
      count = u8
      levels = u8[count]
      flags = u8
      [Object cell]
      level_v = levels / factor
      names = levels -> 1 low, 2 high
      alarms = flags -> bits 0 hot, 1 cold
      flags = flags
      [Sample x]
      cells = each cells
      sum = count(cells)
      """
    var session = try DeclaredSession(file(text, ""))
    let cells: JSONValue = [
      ["level_v": [0.5, 1], "names": ["low", "high"], "alarms": ["hot"], "flags": 1],
      ["level_v": [], "names": [], "alarms": [], "flags": 0],
      ["level_v": [4], "names": [], "alarms": ["hot", "cold"], "flags": 3],
    ]
    #expect(
      try session.packet("02" + "02010201" + "0000" + "010803") == [
        ["class": "sample", "kind": "x", "cells": cells, "sum": 3]
      ])
  }

  @Test("without When, a record needs one known field; with it, none")
  func recordsWithoutFields() throws {
    var session = try DeclaredSession(
      file("a = u8 unknown 1", "[Sample x]\nv = a\n[Sample y]\nWhen = true\nv = a\n[Event e]\nWhen = a == 2\nv = a"))
    #expect(try session.packet("01") == [["class": "sample", "kind": "y"]])
    #expect(try session.packet("02").map { $0["v"] } == [2, 2, 2])
  }

  @Test("the wheel and its circumference come from the user")
  func settings() throws {
    let text = file("a = u8", "[Sample x]\nwheel = wheel\nm = circumference_m")
    var session = try DeclaredSession(text, settings: SensorSettings(circumferenceMM: 2096, role: .rear))
    #expect(try session.packet("01") == [["class": "sample", "kind": "x", "wheel": "rear", "m": 2.096]])
    var unset = try DeclaredSession(text, settings: SensorSettings(role: .left))
    #expect(try unset.packet("01") == [])
  }

  @Test("an advertisement is found by company, service data and name")
  func adverts() throws {
    let text =
      leastHead + """
        [Packet named]
        Advert = any_company name=BR
        a = u8
        [Sample x]
        from = company
        [Packet data]
        Advert = service fbb0
        b = u8
        [Sample y]
        v = b
        """
    var session = try DeclaredSession(text, sender: Sender(address: "", name: "BR"))
    #expect(
      try session.packet("01", from: .manufacturer(0x1d20)) == [["class": "sample", "kind": "x", "from": 0x1d20]])
    #expect(
      try session.packet("02", from: .serviceData(BluetoothUUID(0xfbb0))) == [["class": "sample", "kind": "y", "v": 2]])
  }

  @Test("too much content for a batch refuses the packet and changes nothing")
  func overflow() throws {
    let text = "a = u8\nb = u8[]\n[Counter c]\nCount = a\n"
    var session = try DeclaredSession(file(text, "[Sample x]\nn = c.delta\nv = b -> 1 one"))
    #expect(try session.packet("01") == [["class": "sample", "kind": "x", "v": []]])
    #expect(try session.packet("05" + String(repeating: "01", count: 33)) == refusal("out_of_range", 34))
    #expect(try session.packet("03") == [["class": "sample", "kind": "x", "n": 2, "v": []]])
  }
}
