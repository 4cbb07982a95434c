// What is wrong with a file: each mistake with its line and what would be right.

import DeclaredSensors
import SensorKit
import Testing

@Suite struct ProblemTests {
  /// A file that is right, except for the rows that replace its last lines.
  private static func file(_ rows: String) -> String {
    """
    [Sensor]
    Format = 1
    Id = strap
    Title = A strap
    [Packet measurement]
    Notify = 180d 2a37
    flags = u8
    \(rows)
    """
  }

  private static func problems(_ text: String) -> [String] {
    do throws(SensorFile.Problems) {
      _ = try SensorFile(Array(text.utf8), words: SensorWords())
      return []
    } catch {
      return error.list.map(\.description)
    }
  }

  @Test("all problems of a file are reported at once")
  func allAtOnce() {
    let text = """
      [Sensor]
      Format = 1
      Id = Strap
      Title = A strap
      Service = 180g

      [Packet measurement]
      Notify = 180d 2a37
      flags = u8
      bpm = u9 if flags[0]
      rr = u16[] if flag[4]
       kilojoules = u16
      Colour = red

      [Sample heart_rate]
      bpm = bmp * 2
      sensor_contact = flags[1] -> not detected
      """
    let keys =
      "Advert, Indicate, Match, Notify, Once, Optional, Read, ReadAndNotify, Records, Refuse, Rest, UnknownRecord"
    let names = "your own names have small letters, digits and _, and begin with a letter"
    #expect(
      Self.problems(text) == [
        "3: Id = Strap: use small letters, digits and _, a letter first, at most 40",
        "5: Service: \"180g\" is not a UUID, which has 4, 8 or 32 hex digits",
        "10: bpm: \"u9\" is not a type, and [Packet measurement] has no [Group u9]",
        "11: rr: [Packet measurement] has no field \"flag\" above this line",
        "12: a line begins in its first column",
        "13: Colour: [Packet] has the keys \(keys); \(names)",
        "16: bpm: [Packet measurement] has no field \"bmp\" above this line",
        "17: sensor_contact: \"not\" is not a number",
      ])
  }

  @Test("the frame of these tests is right")
  func frame() {
    let text = Self.file("[Sample heart_rate]\nbpm = flags")
    let missing = "1: [Sensor] needs Service or Announced, or a packet with Advert, to recognize devices"
    #expect(Self.problems(text) == [missing])
    #expect(Self.problems(text.replacing("Id = ", with: "Service = 180d\nId = ")).isEmpty)
  }

  @Test(
    "a mistake below the fields has its line and what would be right",
    arguments: [
      ("x = u8 min 5 max 3", "8: x: min 5 is more than max 3"),
      ("x = u8 at x", "8: x: \"x\" is not a number"),
      ("x = u8 at 900", "8: x: at takes a whole number from -512 to 511"),
      ("x = u8 min 1 min 2", "8: x: duplicate min"),
      ("x = u8 often", "8: x: \"often\" is not one of at, min, max, in, is, unknown, by, keep, else, if"),
      (
        "x = u8[] unknown 3",
        "8: x: unknown is for single numbers, not for lists; a [Group] can have a field with unknown"
      ),
      (
        "cars = car[] max 3\n[Group car]\nx = u8",
        "8: cars: max is for numbers, not for car; to limit their number, use Refuse with count(cars)"
      ),
      (
        "cars = car[]\n[Group car]\nx = u8\n[Sample y]\nx = cars.x",
        "12: x: cars is a list of objects, whose fields are published in the [Object] of its [Group], by each cars"
      ), ("[Sample y]\nx = flags.rate", "9: x: flags is a number, and only counters have parts, such as .rate"),
      (
        "[Counter way]\nCount = flags\n[Sample y]\nx = away.rate",
        "11: x: the file has no [Counter away]; its counters are way"
      ),
      (
        "x = u8[]\nRefuse = out_of_range if max(x, 1) > 3",
        "9: Refuse: max takes a number, not a list; max after the type of a field checks each number of a list"
      ),
      (
        "cars = car[17]\n[Group car]\nx = u8",
        "8: cars: car[17] is too long: a group has at most 16 items"
      ),
      ("x = u8[513]", "8: x: u8[513] is too long: at most 512 fit into a packet"),
      ("x = u16[257]", "8: x: u16[257] is too long: at most 256 fit into a packet"),
      ("x = text[600]", "8: x: text[600] is too long: at most 512 fit into a packet"),
      ("x = u8 by 3", "8: x: by is for lists"), ("x = text max 3", "8: x: max is for numbers, not for text"),
      ("x = bytes[2] is eac", "8: x: \"eac\" is not pairs of hex digits"),
      ("x = bytes[2] is eaca00", "8: x: 2 bytes cannot be the 3 of eaca00"),
      ("x = bytes[2]", "8: x: bytes needs is; skip passes bytes over"),
      ("x = u8 else truncated", "8: x: else needs min, max, in or is"),
      (
        "x = u8 max 3 else wrong",
        "8: x: the words of refusals are bad_encoding, bad_length, empty, not_this_protocol, out_of_range, "
          + "reserved_value, trailing_bytes, truncated, unknown_frame, not \"wrong\""
      ), ("x = u8 if flags[32]", "8: x: a bit is a number from 0 to 31"),
      ("x = u8 if flags[2:5]", "8: x: expected bits from high to low, [5:2]"),
      ("x = u8 if", "8: x: a condition is missing after if"), ("x = hex", "8: x: hex needs a count in brackets"),
      ("x = u8[", "8: x: \"[\" has no \"]\""),
      (
        "cars = car[]\n[Group car]\nx = u8\nmore = car[2]",
        "11: more: a group has no lists of groups"
      ),
      (
        "Records = u8 length u8\n[Record 1]\ncars = car[]\n[Group car]\nx = u8\ny = u8[]",
        "10: cars: lists and texts of [Group car] need a count in a record with a length"
      ),
      ("x = skip keep", "8: x: keep is for numbers, lists of numbers and texts"),
      ("cars = car[] keep\n[Group car]\nx = u8", "8: cars: keep is for numbers, lists of numbers and texts"),
      ("cars = car[]\n[Group car]\nx = u8 keep", "10: x: keep is not for the fields of a group"),
      (
        "x = u8 keep\n[Packet other]\nRead = 180d 2a38\nx = u8[] keep",
        "11: x: it is kept as a number above, and as a list here"
      ),
      ("flags = u8[]", "8: flags: flags is a number above, and a list here"),
      ("true = u8", "8: true: true is a word of the language"),
      ("length = u8 keep", "8: length: length is a word of the language"),
      (
        "cars = car[2]\nflags = u8\n[Group car]\nx = u8\ny = u8[flags]",
        "9: flags: [Group car] uses the value above its list; use another name"
      ),
      (
        "Records = u8\n[Record 1]\nsize = u8\n[Record 2]\ncars = car[]\n[Group car]\nx = u8\ny = u8[size]",
        "12: cars: [Group car] uses size, which another record may read later"
      ),
      (
        "cars = car[]\n[Counter way]\nCount = flags\n[Group car]\nx = u8\ny = u8 if way.total > 3",
        "13: y: counters count after the fields have been read"
      ),
      (
        "cars = car[] often\n[Group car]\nx = u8",
        "8: cars: \"often\" is not one of at, min, max, in, is, unknown, "
          + "by, keep, else, if"
      ),
      ("UnknownRecord = halt", "8: UnknownRecord: [Packet measurement] has no key Records"),
      ("x = u8[4] by 3", "8: x: 4 numbers are not items of 3"), ("x = u8 min 300", "8: x: a u8 cannot be 300"),
      ("x = i8 is 128", "8: x: a i8 cannot be 128"), ("x = u16be in 1 65536", "8: x: a u16be cannot be 65536"),
      ("x = address is 0102", "8: x: is of an address takes sender, not \"0102\""),
      (
        "x = u8[] by 2 keep\n[Packet other]\nRead = 180d 2a38\nx = u8[] by 3 keep",
        "11: x: it is kept as a list by 2 above, and as a list by 3 here"
      ),
      (
        "flags = u16 if false\n[Counter c]\nCount = flags",
        "10: Count: the fields called flags have different widths; add Bits"
      ),
      (
        "[Packet other]\nRead = 180d 2a38\nOptional = yes\nx = u8",
        "10: Optional is for Notify and Indicate; a packet with Read is always optional"
      ),
      ("cars = car[]\n[Group car]\nx = u8\n[Object car]\ny = each cars", "12: y: an object has no lists of objects"),
      (
        "cars = car[]\n[Group car]\nx = text[1]\n[Object car]\ndistance_m = x\n[Sample radar]\ntargets = each cars",
        "12: distance_m: distance_m of radar.targets is a number, not a word or a text"
      ),
      (
        "[Packet Other]\nRead = 180d 2a38\nx = u8\n[Sample y]\nx = x",
        "8: [Packet Other]: a name has small letters, digits and _, and begins with a letter"
      ),
      (
        "[Packet other\nRead = 180d 2a38\nx = u8\n[Sample y]\nx = x",
        "8: expected [NAME], alone on its line"
      ),
      (
        "[Command go]\nSummary = Go\nValue = percent\nWrite = 180d 2a37: 01",
        "10: Value: no Write has it, such as u8(value)"
      ),
      ("[Command go]\nSummary =\nWrite = 180d 2a37: 01", "9: Summary is empty"),
      ("x = u8 ; \u{1b}[2J", "8: a line is text, without control characters"),
      ("Match = flags == 1", "8: Match: Match has no field \"flags\""),
      ("Rest = keep", "8: Rest: the rest is refuse, ignore or ignore if CONDITION"),
      ("Refuse = truncated", "8: Refuse: expected WORD if CONDITION or WORD at OFFSET if CONDITION"),
      ("Refuse = truncated at x if flags", "8: Refuse: the byte of a refusal is a number from 0 to 511, not \"x\""),
      ("Optional = no", "8: Optional is yes, or the key is not there"),
      (
        "Advert = company 0499",
        "8: Advert: [Packet measurement] has Notify already, and a packet comes from one kind of source"
      ),
      (
        "Records = u32\n[Record 1]\nx = u8",
        "8: Records: records are u8, u16 or u16be, with length u8 after it where they have one"
      ),
      ("[Record 1]\nx = u8", "8: [Record 1]: [Packet measurement] has no key Records"),
      ("[Group car]\nx = u8", "8: [Group car]: no field of [Packet measurement] is a list of it"),
      (
        "cars = car[]\n[Group car]\nx = u8[]",
        "9: [Group car]: an item must have at least one field that is always read"
      ),
      ("cars = car[]\n[Group car]\nx = u8 at 3", "10: x: at is only for the fields of a packet"),
      ("[Object car]\nx = flags", "8: [Object car]: [Packet measurement] has no [Group car]"),
      ("[Counter wheel]\nUnit = 2", "8: [Counter wheel] has no Count"),
      ("[Counter wheel]\nCount = flags\nTicks = 4", "10: Ticks: [Counter wheel] has no Clock"),
      ("[Counter wheel]\nCount = flags\nBits = 40", "10: Bits: a number of bits is 1 to 32"),
      ("[Sample heart_rate]", "8: [Sample heart_rate] has no keys"),
      ("[Sample heart_rate]\nbpm = true", "9: bpm: bpm of heart_rate is a number, not a flag"),
      ("[Sample heart_rate]\nt = flags", "9: t: every record has its own t"),
      ("[Sample heart_rate]\nbpm = flags\nbpm = 2", "10: bpm: duplicate key"),
      ("[Sample x]\ny = flags -> words places", "9: y: there is no [Words places]"),
      ("[Sample x]\ny = flags -> bits 32 low", "9: y: a bit is a number from 0 to 31"),
      ("[Sample x]\ny = flags -> one two three", "9: y: a word is missing, or a comma between two words"),
      ("[Sample x]\ny = each flags", "9: y: flags is a number; each takes the list of a group"),
      ("[Sample x]\ny = wheel.rate", "9: y: the file has no [Counter wheel]"),
      ("[Sample x]\ny = 1e3", "9: y: \"1e3\" is not a number"),
      ("[Sample x]\ny = flags +", "9: y: the expression ends too early"),
      (
        "[Sample x]\ny = sin(flags)",
        "9: y: the functions are abs, byte, count, floor, known, max, min, pow10, round, sqrt, not sin"
      ),
      ("[Sample x]\ny = min(flags)", "9: y: min takes two values"),
      ("[Sample x]\ny = flags == true", "9: y: == compares two numbers or two flags, not a number and a flag"),
      ("[Sample x]\ny = flags ? 1 : true", "9: y: both sides of : must have the same type, not a number and a flag"),
      ("[Sample x]\ny = empty * empty", "9: y: * takes one list, not two"),
      ("[Sample x]\ny = empty[3]", "9: y: bits are taken of a number, not of a list"),
      ("[Sample x]\ny = count(flags)", "9: y: count takes a list, not a number"),
      ("[Sample x]\ny = (flags", "9: y: \")\" is expected at the end"),
      ("[Words w]\none = two", "9: one: the keys of [Words] are whole numbers"),
      ("[Words w]\n1 = Two", "9: 1: \"Two\" is not a word: up to 64 small letters, digits and _"),
      ("[Start]\nSubscribe = x", "9: Subscribe: there is no [Packet x]"),
      ("[Start]\nRead = measurement", "9: Read: [Packet measurement] has no Read or ReadAndNotify"),
      ("[Start]\nWrite = 1800 2a00: 01", "9: Write: a file does not write to 1800, which could make a device unusable"),
      (
        "[Start]\nWrite = 1810 2a35: 01",
        "9: Write: a file writes only to services that [Sensor] or a [Packet] names, not to 1810"
      ), ("[Start]\nWrite = 180d 2a39", "9: Write: expected SERVICE CHARACTERISTIC: BYTES"),
      ("[Start]\nWrite = 180d 2a39: xor", "9: Write: xor needs bytes before it"),
      ("[Start]\nWrite = 180d 2a39: 01 xor 02", "9: Write: 02 comes after the check, which is the last byte"),
      ("[Start]\nWrite = 180d 2a39: u8(value)", "9: Write: no packet keeps a field \"value\""),
      (
        "[Start]\nKeepAlive = 0.5 180d 2a39: 01",
        "9: KeepAlive: expected SECONDS SERVICE CHARACTERISTIC: BYTES, with 1 second or more"
      ), ("[Command go]\nSummary = Go\nWrite = 180d 2a39: u8(value)", "10: Write: [Command go] has no Value"),
      ("[Command go]\nWrite = 180d 2a39: 01", "8: [Command go] has no Summary"),
      (
        "[Command go]\nSummary = Go\nWrite = 180d 2a39: 01\nAnswerWithin = 3",
        "11: AnswerWithin: no packet has an [Answer]"
      ),
      (
        "[Program]\nUser = x",
        "8: [Program]: the sections are [Sensor], [Packet NAME], [Group NAME], [Object NAME], "
          + "[Record NAME], [Counter NAME], [Sample NAME], [Fact], [Answer], [Event NAME], [Words NAME], [Start], [Stop], "
          + "[Command NAME], [Process]"
      ),
      ("[Packet measurement]\nNotify = 180d 2a37", "8: [Packet measurement]: there are two sections of this name"),
      ("[Sensor]\nFormat = 1", "8: duplicate [Sensor]"),
      ("[Packet other]\nx = u8", "8: [Packet other] has none of Notify, Indicate, Read, ReadAndNotify, Advert"),
      ("nonsense", "8: a line is a [Section], key = value, or a comment after # or ;"),
      ("[Sample x] y", "8: expected [NAME], alone on its line"),
    ])
  func mistake(_ row: (rows: String, problem: String)) {
    #expect(Self.problems(Self.file(row.rows)) == [row.problem])
  }

  @Test(
    "a mistake in [Sensor] has its line and what would be right",
    arguments: [
      ("[Sensor]\nFormat = 2\nId = a\nTitle = A", "2: Format = 2: this release reads the format 1"),
      ("[Sensor]\nId = a\nTitle = A", "1: [Sensor] has no Format = 1"),
      ("[Sensor]\nFormat = 1\nTitle = A", "1: [Sensor] has no Id"),
      ("[Sensor]\nFormat = 1\nId = a", "1: [Sensor] has no Title"),
      (
        "[Sensor]\nFormat = 1\nId = a\nTitle = A\nStaleAfter = 0.5",
        "5: StaleAfter: seconds from 1 to 86400 are expected"
      ),
      (
        "[Sensor]\nFormat = 1\nId = a\nTitle = A\nAnnounced = 180d",
        "5: Announced: a service and the beginning of a name are expected"
      ),
      (
        "[Sensor]\nFormat = 1\nId = a\nTitle = A\nAnnounced = ffe0 TP-*",
        "5: Announced: NAME is how the name begins, so write ffe0 TP- without *"
      ), ("[Sensor]\nFormat = 1\nId = a\nTitle = A\nTitle = B", "5: Title: duplicate key"),
      ("[Sensor]\nFormat = 1\nId = a\nTitle = A\nRests = flags", "5: Rests: no packet keeps a field \"flags\""),
      ("x = 1\n[Sensor]\nFormat = 1\nId = a\nTitle = A", "1: x: a key must be in a section; [Sensor] is the first"),
      (
        "[Fact]\nx = 1\n[Sensor]\nFormat = 1\nId = a\nTitle = A",
        "1: [Fact] belongs to a packet; no [Packet NAME] is above it"
      ),
    ])
  func mistakeInSensor(_ row: (text: String, problem: String)) {
    #expect(Self.problems(row.text).first == row.problem)
  }

  @Test(
    "a mistake causes no other problems",
    arguments: [
      ("cars = car[]\n[Group car]\nx = u9\n[Object car]\nx = x", 10),
      ("cars = car[]\n[Group car]\nx = u8\ny = u8 often\n[Object car]\nx = x\ny = y", 11),
      ("cars = car[]\n[Group car]\nx = u8\nflags = u9\n[Object car]\nx = flags", 11),
      ("x = u8 keep often\n[Packet other]\nRead = 180d 2a38\n[Sample y]\nx = x", 8),
      ("x = u9 keep\n[Packet other]\nRead = 180d 2a38\n[Sample y]\nx = x", 8),
      ("Records = u8\n[Record 1]\nx = u8 keep often\n[Packet other]\nRead = 180d 2a38\n[Sample y]\nx = x", 10),
      ("[Command go]\n Summary = Go\nWrite = 180d 2a39: 01", 9),
      ("[Command go]\nSummary = Go\u{1b}\nWrite = 180d 2a39: 01", 9), ("[Counter c]\n Count = flags", 9),
      ("[Packet]\nNotify = 180d 2a38", 8), ("[Packet]", 8), ("[Packet", 8), ("[Packet other] x\ny = u8", 8),
      ("[Packet other", 8), ("[Packet a b]\nx = u8", 8), ("[Packet other]\n Read = 180d 2a38", 9),
      ("[Sample]\nx = flags", 8), ("[Event a b]\nx = flags", 8), ("[Group]\nx = u8", 8), ("[Object]\nx = flags", 8),
      ("Records = u8\n[Record]\nx = u8", 9), ("[Counter]\nCount = flags", 8), ("[Words]\n1 = one", 8),
      ("[Command]\nSummary = Go\nWrite = 180d 2a39: 01", 8),
    ])
  func noOtherProblems(_ row: (rows: String, line: Int)) {
    let problems = Self.problems(Self.file(row.rows))
    #expect(problems.count == 1 && problems.first?.hasPrefix("\(row.line): ") == true, "\(problems)")
  }

  @Test(
    "a line of [Sensor] or [Process] that is wrong in itself is not missing too",
    arguments: [
      ("[Sensor]\nFormat = 1\nId = a\u{1b}\nTitle = A\nService = 180d", 3),
      ("[Sensor]\nFormat = 1\n Id = a\nTitle = A\nService = 180d", 3),
      ("[Sensor]\nFormat = 1\nId\nTitle = A\nService = 180d", 3),
      ("[Sensor]\nFormat = 1\nId = a\nTitle = A\u{7}\nService = 180d", 4),
      ("[Sensor]\nFormat = 1\u{7}\nId = a\nTitle = A\nService = 180d", 2),
      (leastHead + "[Process]\n User = x\n[Packet one]\nNotify = 180d 2a37", 7),
    ])
  func notMissingToo(_ row: (text: String, line: Int)) {
    let problems = Self.problems(row.text)
    #expect(problems.count == 1 && problems.first?.hasPrefix("\(row.line): ") == true, "\(problems)")
  }

  @Test("a file of another format has no other problem")
  func otherFormat() {
    let text = "[Sensor]\nId = A\nFormat = 2\nSpeed = 3\n[Shape round]\nx = 1\n"
    #expect(Self.problems(text) == ["3: Format = 2: this release reads the format 1"])
  }

  @Test("a table has at most 256 numbers, and a file 64 characteristics")
  func tables() {
    let rows = (0...256).map { "\($0) = w" }.joined(separator: "\n")
    #expect(Self.problems(Self.file("[Words w]\n" + rows)).first == "8: [Words w] has at most 256 numbers")
    let places = (0..<64).map { "Notify = 180d \(String(0x2b00 + $0, radix: 16))" }.joined(separator: "\n")
    #expect(Self.problems(Self.file(places)).first == "71: Notify: a file has at most 64 characteristics")
  }

  @Test("an empty file is a problem")
  func emptyFile() {
    #expect(Self.problems("") == ["1: [Sensor] is missing; it is the first section"])
  }

  @Test("a file of more than 64 KiB is refused")
  func tooLarge() {
    #expect(Self.problems(String(repeating: "#\n", count: 32_769)) == ["1: a file has at most 65536 bytes"])
  }

  @Test("a file of nothing but headers is refused in a moment")
  func manySections() {
    // A quadratic check takes minutes for these.
    let text = String(repeating: "[Stop]\n", count: 9_362)
    #expect(Self.problems(text).count > 9_000)
  }

  @Test("limits have their line")
  func limits() {
    let fields = (0..<65).map { "f\($0) = u8" }.joined(separator: "\n")
    #expect(
      Self.problems(Self.file(fields)).contains(
        "71: f63: at most 64 names are known at once, with those that are kept"))
    let deep =
      "[Sample x]\ny = " + (0..<10).map { "flags * (\($0) + " }.joined() + "1" + String(repeating: ")", count: 10)
    #expect(Self.problems(Self.file(deep)).first?.hasPrefix("9: y: ") == true)
    let packets = (0..<32).map { "[Packet p\($0)]\nNotify = 180d 2a37\nMatch = byte(0) == \($0)\nx = u8" }
    #expect(Self.problems(Self.file(packets.joined(separator: "\n"))) == ["132: a file has at most 32 packets"])
    let counters = (0..<17).map { "[Counter c\($0)]\nCount = flags" }.joined(separator: "\n")
    #expect(Self.problems(Self.file(counters)).first == "40: [Counter c16]: a file has at most 16 counters")
  }

  /// What a file repeats until it is too much.
  struct Limit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// How often is right.
    let most: Int
    let problem: String
    let rows: @Sendable (Int) -> String

    init(_ name: String, most: Int, _ problem: String, rows: @escaping @Sendable (Int) -> String) {
      (testDescription, self.most, self.problem, self.rows) = (name, most, problem, rows)
    }

    private static func repeated(_ count: Int, _ row: (Int) -> String) -> String {
      (0..<count).map(row).joined(separator: "\n")
    }

    private static let tooManyFields =
      "5: [Packet measurement] has 65 fields, with those of its groups and records; at most 64 are read"

    static let all = [
      Limit("commands", most: 32, "104: a file has at most 32 commands") {
        repeated($0) { "[Command c\($0)]\nSummary = S\nWrite = 180d 2a39: 01" }
      },
      // The packet has one more, `flags`.
      Limit("fields of a packet", most: 63, tooManyFields) { repeated($0) { "f\($0) = skip" } },
      Limit("fields of a packet and its record", most: 62, tooManyFields) {
        "x = u8\nRecords = u8\n[Record 1]\n" + repeated($0) { "f\($0) = skip" }
      },
      Limit("fields of a packet and its group", most: 62, tooManyFields) {
        "cars = car[]\n[Group car]\n" + repeated($0) { "f\($0) = skip" }
      },
      Limit("operations of an expression", most: 64, "9: y: an expression has at most 64 operations") {
        "[Sample x]\ny = flags" + String(repeating: "+1", count: $0)
      },
      Limit("operations of a file", most: 64, "73: y64: a file has at most 4096 operations") {
        "[Sample x]\n" + repeated($0) { "y\($0) = flags" + String(repeating: "+1", count: 64) }
      },
      Limit("bytes of a write", most: 64, "9: Write: a write has 1 to 64 bytes, not 65") {
        "[Start]\nWrite = 180d 2a39: " + String(repeating: "01", count: $0)
      },
      Limit("writes of [Start]", most: 16, "8: [Start] has at most 16 writes") {
        "[Start]\n" + repeated($0) { _ in "Write = 180d 2a39: 01" }
      },
      Limit("records", most: 32, "5: [Packet measurement] publishes more than 32 records and facts") {
        repeated($0) { "[Sample s\($0)]\ny = flags" }
      },
      Limit("published fields", most: 128, "5: [Packet measurement] publishes more than 128 fields") {
        "[Sample x]\n" + repeated($0) { "y\($0) = flags" }
      },
    ]
  }

  @Test("a file may have the most of everything, and not one more", arguments: Limit.all)
  func most(_ limit: Limit) {
    let head = "Service = 180d\n"
    let right = Self.problems(Self.file(limit.rows(limit.most)).replacing("Id = ", with: head + "Id = "))
    #expect(right.isEmpty, "\(right)")
    #expect(Self.problems(Self.file(limit.rows(limit.most + 1))).first == limit.problem)
  }
}
