// A layout, the program of a packet for one value of its flags, gives what the program of the file
// gives for every value.

import DeclaredSensors
import JSON
import SensorKit
import Testing

@Suite struct LayoutTests {
  @Test("a file's layouts give what its program gives", arguments: DeclaredFile.all)
  func files(_ file: DeclaredFile) throws {
    let program = try file.program()
    for session in try file.sessions(of: program) {
      var pair = DecoderPair(program, session.settings)
      for packet in session.packets {
        for index in 0..<min(2, packet.bytes.count) {
          for bit in 0..<8 {
            var bytes = packet.bytes
            bytes[index] ^= 1 << UInt8(bit)
            // A layout is made when its value comes again.
            for _ in 0..<2 { try pair.decode(bytes, packet.source) }
          }
        }
        for _ in 0..<3 { try pair.decode(packet.bytes, packet.source) }
      }
    }
  }

  /// Conditions, choices, lists, counters and kept values that depend on flags, and some that do not.
  static let text = """
    [Sensor]
    Format = 1
    Id = x
    Title = X
    Service = 180d
    Rests = (count.stopped ?? true) && (turns.stopped ?? true) || last == 7
    [Packet p]
    Notify = 180d 2a37
    Rest = ignore if flags[7] || a == 3 && flags[6]
    Refuse = reserved_value if flags[5] && b == 9 || d == 9
    Refuse = out_of_range at 1 if flags[4] == 1 && !flags[3]
    Once = once
    flags = u8 unknown 0x55 0x56
    a = u8 unknown 0 max 200 if !flags[0]
    a = u16 if flags[0] && !flags[2]
    b = u8 keep if flags[1] || a > 100
    a = u8 if b == 4
    c = u16 min 2 else bad_length if flags[2] == 1 && flags[1] != 1
    d = u8 is 9 if flags[3]
    n = u8 max 3 if flags[4]
    few = u8[n] if flags[4]
    gap = skip[2] if flags[5] && flags[0]
    once = u8 if flags[6]
    ticks = u16 if flags[2]
    clock = u16 if flags[2] && flags[3]
    last = u8 keep if flags[0] || flags[1]
    rest = u16[] if flags[7] || flags[6]
    [Counter count]
    Count = ticks
    Clock = clock
    Unit = a ?? 2
    [Counter turns]
    Count = ticks + 1
    [Sample one]
    When = known(a) || known(b) && flags[1] || count(rest) > 1
    v = flags[3] ? (a / 100 - 32) * 5 / 9 + (flags[2] ? c : a) * 3 : a / 100
    w = a -> 1 left, 2 right if flags[0] != flags[1]
    x = flags[1] -> no, yes if flags[2]
    y = flags[4] == 1
    z = (rest ?? few ?? empty) * 1000 / 1024
    last = last ?? -1
    q = flags[3] ? d : flags[2] ? c * 2 : flags[1] ? b * 2 : last
    u = flags[6] && known(a) ? 1 : 2
    [Sample two]
    When = known(count.delta) || known(turns.delta)
    rate = count.rate
    way = count.total + 0
    turns = turns.total if known(turns.total) && !flags[7]
    [Fact]
    right = flags[0] == 1
    sum = flags + 0
    bits = flags -> bits 0 a, 1 b, 7 c
    [Event tap]
    When = flags == 7
    n = a - b
    """

  @Test("flags of every value, with bytes of every kind")
  func everyValue() throws {
    let program = try SensorFile(Array(Self.text.utf8), words: SensorWords()).program
    var pair = DecoderPair(program, SensorSettings(circumferenceMM: 2096))
    let source = PacketSource(
      .notified(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37)),
      sender: Sender(address: "", name: ""))
    var random = Noise()
    for _ in 0..<4 {
      for flags in 0...255 as ClosedRange<UInt8> {
        for _ in 0..<4 {
          let length = Int(random.next()) % 24
          try pair.decode([flags] + (0..<length).map { _ in random.next() % 12 }, source)
        }
      }
    }
    #expect(pair.accepted > 250)
  }
}

/// Bytes that are the same in each run.
private struct Noise {
  private var seed: UInt64 = 1

  mutating func next() -> UInt8 {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: seed >> 33)
  }
}

/// Two decoders of one file, one without layouts.
private struct DecoderPair {
  private var withLayouts: DeclaredDecoder
  private var withoutLayouts: DeclaredDecoder
  private var time = 0.0
  private(set) var accepted = 0

  init(_ program: SensorProgram, _ settings: SensorSettings) {
    withLayouts = DeclaredDecoder(program, settings: settings)
    withoutLayouts = DeclaredDecoder(program, settings: settings, usesLayouts: false)
  }

  mutating func decode(_ bytes: [UInt8], _ source: PacketSource) throws {
    time += 0.25
    let found = try Self.outcome(bytes, source, MonotonicTime(seconds: time), &withLayouts)
    let expected = try Self.outcome(bytes, source, MonotonicTime(seconds: time), &withoutLayouts)
    try #require(found == expected, "\(bytes)")
    try #require(withLayouts.silence == withoutLayouts.silence, "\(bytes)")
    if found.first?["error"] == nil { accepted += 1 }
  }

  private static func outcome(
    _ bytes: [UInt8], _ source: PacketSource, _ time: MonotonicTime, _ decoder: inout DeclaredDecoder
  ) throws -> [JSONValue] {
    var batch = Batch()
    do throws(DecodeError) {
      try decoder.decode(bytes.span, from: source, at: time, into: &batch)
    } catch {
      return [["error": .string(error.reason.rawValue), "offset": .number(Double(error.offset))]]
    }
    return try records(of: batch)
  }
}
