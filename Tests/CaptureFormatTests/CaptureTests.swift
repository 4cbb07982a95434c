// Reading and writing capture lines, and the messages for invalid ones.

import CaptureFormat
import TestSupport
import Testing
import Time
import Vocabulary

@Suite struct CaptureTests {
  static let polar = CaptureDevice(
    id: "hr1", address: "A0:9E:1A:00:00:01", name: "Polar H10",
    services: [BluetoothUUID(0x180d), BluetoothUUID(0x180f), BluetoothUUID(0x180a)])

  static func event(_ microseconds: Int64, _ device: String, _ event: CaptureEvent) -> CaptureLine {
    .event(time: MonotonicTime(nanoseconds: microseconds * 1000), device: device, event)
  }

  static let lines: [(String, CaptureLine)] = [
    ("#cyclometer-capture 1", .header),
    ("# Polar H10, firmware 3.1.1", .comment(" Polar H10, firmware 3.1.1")),
    (#"device hr1 address=A0:9E:1A:00:00:01 name="Polar H10" services=180d,180f,180a"#, .device(polar)),
    (
      "device cap1 address=80:EA:CA:00:00:02 name=TPMS1_000002",
      .device(CaptureDevice(id: "cap1", address: "80:EA:CA:00:00:02", name: "TPMS1_000002"))
    ),
    (#"device x name="a \"b\" \\ c#d""#, .device(CaptureDevice(id: "x", name: #"a "b" \ c#d"#))),
    (#"device x name="""#, .device(CaptureDevice(id: "x", name: ""))),
    ("device x name=Söhne#1", .device(CaptureDevice(id: "x", name: "Söhne#1"))),
    ("device x", .device(CaptureDevice(id: "x"))),
    ("set hr1 max_heart_rate=185", .setting(device: "hr1", key: "max_heart_rate", value: "185")),
    ("0.000000 hr1 connected", event(0, "hr1", .connected)),
    ("61.500000 hr1 disconnected", event(61_500_000, "hr1", .disconnected)),
    ("0.031250 hr1 read 2a19 64", event(31_250, "hr1", .value(.read, BluetoothUUID(0x2a19), [0x64]))),
    (
      "0.250000 hr1 notify 2a37 1048a501",
      event(250_000, "hr1", .value(.notify, BluetoothUUID(0x2a37), [0x10, 0x48, 0xa5, 0x01]))
    ),
    ("1.000000 hr1 indicate 2a66 -", event(1_000_000, "hr1", .value(.indicate, BluetoothUUID(0x2a66), []))),
    ("1.000000 hr1 write 2a39 01", event(1_000_000, "hr1", .value(.write, BluetoothUUID(0x2a39), [1]))),
    (
      "1.000000 cap1 advert 0100 80eaca0000026e6a0300a00c00003300",
      event(
        1_000_000, "cap1",
        .advert(
          0x0100,
          [
            0x80, 0xea, 0xca, 0, 0, 2, 0x6e, 0x6a, 3, 0, 0xa0, 0x0c, 0, 0, 0x33, 0,
          ]))
    ),
    (
      "2.000000 x service 6a4e3203-667b-11e3-949a-0800200c9a66 ff",
      event(2_000_000, "x", .serviceData(BluetoothUUID("6a4e3203667b11e3949a0800200c9a66") ?? BluetoothUUID(0), [0xff]))
    ),
    (
      ##"12.000000 gps {"class":"TPV","a #" : "  two" } "##,
      .position(time: MonotonicTime(seconds: 12), report: ##"{"class":"TPV","a #" : "  two" } "##)
    ),
  ]

  @Test("a capture line is read, and written back unchanged", arguments: lines)
  func canonicalLines(_ row: (text: String, line: CaptureLine)) throws {
    #expect(try CaptureLine.parse(row.text) == row.line)
    #expect(row.line.text == row.text)
  }

  static let looser: [(String, CaptureLine)] = [
    ("", .blank), (" \t\r", .blank), ("  # indented", .comment(" indented")),
    ("#cyclometer-capture  1 ", .header),
    ("1 hr1 connected", event(1_000_000, "hr1", .connected)),
    ("\t1.5\thr1   connected\r", event(1_500_000, "hr1", .connected)),
    (
      "0.25 hr1 notify 2A37 10 48 A5 01  # strap on",
      event(250_000, "hr1", .value(.notify, BluetoothUUID(0x2a37), [0x10, 0x48, 0xa5, 0x01]))
    ),
    (
      "0.25 hr1 notify 00002a37-0000-1000-8000-00805f9b34fb - #empty",
      event(250_000, "hr1", .value(.notify, BluetoothUUID(0x2a37), []))
    ),
    ("#a comment\r\r", .comment("a comment")),
    ("1 gps {}\r", .position(time: MonotonicTime(seconds: 1), report: "{}")),
    ("0.000000001 x connected", .event(time: MonotonicTime(nanoseconds: 1), device: "x", .connected)),
  ]

  @Test("white space, letter case and comments may vary", arguments: looser)
  func looserLines(_ row: (text: String, line: CaptureLine)) throws {
    #expect(try CaptureLine.parse(row.text) == row.line)
    #expect(try CaptureLine.parse(row.line.text) == row.line, "after writing it again")
  }

  static let errors: [(String, String)] = [
    ("#cyclometer-capture 2", "another version"), ("device", "the name of a device is expected"),
    ("device gps", "no device can be called gps"), ("device a name=\"b", "a quote is not closed"),
    ("device a name=\"b\\n\"", "backslash"), ("device a colour=red", "\"colour\" is nothing a device has"),
    ("device a b", "\"b\" stands where KEY=VALUE is expected"), ("device a services=180d,xyz", "\"xyz\" in services="),
    ("set a", "KEY=VALUE is expected"), ("set a b", "\"b\" stands where KEY=VALUE is expected"),
    ("device \"a b\"", "\"a b\" is not a name of a device"), ("device \"\"", "is not a name of a device"),
    ("device \"#a\"", "\"#a\" is not a name of a device"), ("set a \"#b=c\"", "\"#b\" is not a key"),
    ("device a name=\"b\rc\"", "a carriage return stands inside quotes"),
    ("set a =b", "\"\" is not a key"), ("set a \"b c\"=d", "\"b c\" is not a key"),
    ("set a b=c d", "\"d\" stands where the line should end"), ("hello", "\"hello\" is not a time"),
    ("-1 a connected", "\"-1\" is not a time"), ("1. a connected", "is not a time"),
    ("1.5.5 a connected", "is not a time"),
    ("1e3 a connected", "is not a time"), ("99999999999 a connected", "is not a time"),
    ("1", "a device is expected"), ("1 a", "connected, disconnected, read"), ("1 a sings", "\"sings\" is nothing"),
    ("1 a connected now", "\"now\" stands where"), ("1 a notify", "a UUID is expected"),
    ("1 a notify 2a3", "\"2a3\" is not a UUID"), ("1 a notify 2a37", "- for an empty one is expected"),
    ("1 a notify 2a37 123", "odd number"), ("1 a notify 2a37 12xy", "\"12xy\" is not a value in hex"),
    ("1 a notify 2a37 - 12", "\"12\" stands where"), ("1 a advert 100 00", "\"100\" is not a company id"),
    ("1 a advert +100 00", "\"+100\" is not a company id"), ("1 a service 1 00", "\"1\" is not a UUID"),
  ]

  @Test("the error for an invalid line names the mistake", arguments: errors)
  func invalidLines(_ row: (text: String, message: String)) {
    let error = #expect(throws: CaptureError.self) { try CaptureLine.parse(row.text) }
    #expect(error?.message.contains(row.message) == true, "\(row.text): \(error?.message ?? "")")
  }

  @Test("a line that is not UTF-8 is an error")
  func notUTF8() {
    let bytes: [UInt8] = [0x31, 0x20, 0xff]
    let error = #expect(throws: CaptureError.self) { try CaptureLine.parse(bytes.span) }
    #expect(error?.message == "byte 3 of the line is not UTF-8")
  }

  static func read(_ text: String, inPieces size: Int) -> [String] {
    let bytes = Array(text.utf8)
    var reader = CaptureReader()
    var outcomes: [String] = []
    func collect(_ line: Result<CaptureLine, CaptureError>, _ number: Int) {
      switch line {
      case .success(let line): outcomes.append("\(number) \(line.text)")
      case .failure(let error): outcomes.append(error.description)
      }
    }
    for start in stride(from: 0, to: bytes.count, by: size) {
      reader.feed(bytes.span.extracting(start..<min(start + size, bytes.count)), collect)
    }
    reader.finish(collect)
    return outcomes
  }

  @Test("reading continues after an invalid line", arguments: [1, 2, 7, 1000])
  func afterInvalidLine(size: Int) {
    let text = "#cyclometer-capture 1\r\n\ndevice a\n1 a sings\n2.000000 a connected"
    let outcomes = Self.read(text, inPieces: size)
    #expect(outcomes.count == 5 && outcomes[3].hasPrefix("line 4: \"sings\" is nothing"))
    #expect(outcomes[2] == "3 device a" && outcomes[4] == "5 2.000000 a connected")
  }

  @Test("an overlong line is reported once and ends the reading")
  func overlongLine() {
    let outcomes = Self.read(
      "device a\n1 a notify 2a37 \(String(repeating: "00", count: 70_000))\n2 a connected\n", inPieces: 5_000)
    #expect(outcomes == ["1 device a", "line 2: the line is longer than 65536 bytes; reading ends here"])
  }

  @Test("corrupted lines never crash the parser, and accepted ones round-trip", arguments: [31, 32] as [UInt64])
  func corruptedLines(seed: UInt64) {
    var random = SeededRandom(seed)
    for (text, _) in Self.lines + Self.looser {
      for _ in 0..<200 where !text.isEmpty {
        var bytes = Array(text.utf8)
        bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        if random.below(2) == 0 { bytes.removeLast(random.below(bytes.count)) }
        guard let line = try? CaptureLine.parse(bytes.span) else { continue }
        #expect((try? CaptureLine.parse(line.text)) == line, "seed \(seed): \(bytes)")
      }
    }
  }
}
