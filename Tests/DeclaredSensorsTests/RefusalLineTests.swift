// The line of a file that refuses a packet.

import DeclaredSensors
import SensorKit
import Testing

@Suite struct RefusalLineTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let packet: String
    let reason: DecodeError.Reason
    let line: Int
    var testDescription: String { name }

    init(_ name: String, _ packet: String, _ reason: DecodeError.Reason, line: Int) {
      (self.name, self.packet, self.reason, self.line) = (name, packet, reason, line)
    }
  }

  private static let text = """
    [Sensor]
    Format = 1
    Id = x
    Title = X
    Service = 180d
    [Packet one]
    Notify = 180d 2a37
    Match = byte(0) == 1
    Rest = ignore if flags[7]
    Refuse = bad_length if flags[6]
    Refuse = empty at 1 if flags[5]
    kind = u8
    flags = u8 in 0 1 0x20 0x40 0x80
    level = u8 max 9 else reserved_value if flags[0]
    cars = car[] if flags[0]
    [Group car]
    number = u8 min 1
    metres = u16 max 500
    [Sample x]
    level = level
    [Packet two]
    Notify = 180d 2a37
    Match = byte(0) == 2
    Records = u8 length u8
    kind = u8
    [Record 1]
    a = u8
    b = u16 max 10
    [Record 2]
    text = text
    [Sample y]
    a = a
    """

  @Test(
    "a refusal has the line of the field or rule that refused",
    arguments: [
      Row("an empty packet", "", .empty, line: 21),
      Row("a packet that no Match accepts", "03", .unknownFrame, line: 23),
      Row("a field that does not fit", "01", .truncated, line: 13),
      Row("an alternative", "0102", .reservedValue, line: 13),
      Row("a bound with a word of its own", "01010a", .reservedValue, line: 14),
      Row("a field of an item that fails", "010100 010100 000000", .outOfRange, line: 17),
      Row("the second field of an item", "010100 01ffff", .outOfRange, line: 18),
      Row("an item that does not fit", "010100 010100 02ff", .truncated, line: 18),
      Row("what is left over", "010000", .trailingBytes, line: 9),
      Row("the first rule", "0140", .badLength, line: 10),
      Row("the second rule", "0120", .empty, line: 11),
      Row("the check comes before the rule", "0160", .reservedValue, line: 13),
      Row("a field of a record", "02 01 03 05 0b00", .outOfRange, line: 28),
      Row("a field that exceeds its record", "02 01 02 05 0b00", .truncated, line: 28),
      Row("a record that exceeds the packet", "02 01 09 05 0100", .truncated, line: 24),
      Row("a record of an earlier number counts first", "02 02 01 ff 01 03 05 0b00", .badEncoding, line: 30),
      Row("half a record", "02 01", .truncated, line: 24),
    ])
  func lines(_ row: Row) throws {
    let program = try SensorFile(Array(Self.text.utf8), words: SensorWords()).program
    let tally = PacketTally()
    var decoder = ExplainingDecoder(program, settings: SensorSettings(), countingIn: tally)
    var batch = Batch()
    let packet = hexBytes(row.packet.filter { $0 != " " })
    let origin = PacketSource.Origin.notified(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
    let source = PacketSource(origin, sender: Sender(address: "", name: ""))
    let error = #expect(throws: DecodeError.self) {
      try decoder.decode(packet.span, from: source, at: MonotonicTime(seconds: 0), into: &batch)
    }
    #expect(error?.reason == row.reason)
    #expect(tally.line == row.line)
  }

  @Test(
    "a packet that no packet of the file is for has the line of a source, or none",
    arguments: [
      (PacketSource.Origin.manufacturer(0x0499), "Other", 7), (.manufacturer(0x004c), "Tag", 12),
      (.serviceData(BluetoothUUID(0x181a)), "Tag", 12),
      (.notified(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a39)), "Tag", nil),
    ] as [(PacketSource.Origin, String, Int?)])
  func unknownSource(_ origin: PacketSource.Origin, _ name: String, _ line: Int?) throws {
    let text =
      leastHead + """
        [Packet p]
        Advert = company 0499 name=Tag*
        a = u8
        [Sample x]
        a = a
        [Packet q]
        Advert = company 0501
        Match = byte(0) == 9
        a = u8
        """
    let program = try SensorFile(Array(text.utf8), words: SensorWords()).program
    let tally = PacketTally()
    var decoder = ExplainingDecoder(program, settings: SensorSettings(), countingIn: tally)
    var batch = Batch()
    let source = PacketSource(origin, sender: Sender(address: "", name: name))
    let packet: [UInt8] = [1]
    #expect(throws: DecodeError(.unknownFrame, at: 0)) {
      try decoder.decode(packet.span, from: source, at: MonotonicTime(seconds: 0), into: &batch)
    }
    #expect(tally.line == line)
  }

  @Test("more than a batch holds has the line of its packet")
  func overflow() throws {
    let fields = (0..<20).map { "a\($0) = items" }.joined(separator: "\n")
    let text =
      leastHead + """
        [Packet p]
        Notify = 180d 2a37
        items = u8[]
        [Sample x]
        \(fields)
        """
    let program = try SensorFile(Array(text.utf8), words: SensorWords()).program
    let tally = PacketTally()
    var decoder = ExplainingDecoder(program, settings: SensorSettings(), countingIn: tally)
    var batch = Batch()
    let packet = [UInt8](repeating: 1, count: 500)
    let origin = PacketSource.Origin.notified(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
    let source = PacketSource(origin, sender: Sender(address: "", name: ""))
    #expect(throws: DecodeError(.outOfRange, at: 500)) {
      try decoder.decode(packet.span, from: source, at: MonotonicTime(seconds: 0), into: &batch)
    }
    #expect(tally.line == 6)
  }

  @Test("a program lists every write of its file")
  func writes() throws {
    let text =
      leastHead + """
        [Packet p]
        Notify = 180d 2a37
        a = u8
        [Start]
        Write = 180d 2a40: 0102 xor
        KeepAlive = 2.5 180d 2a40: 01
        [Stop]
        Write = 180d 2a41: 00
        [Command go]
        Summary = Go
        Value = percent, 0 to 100
        Write = 180d 2a42: 02 u8(value * 2)
        """
    let writes = try SensorFile(Array(text.utf8), words: SensorWords()).program.writes
    #expect(
      writes.map(\.occasion) == [.command("go"), .connected, .keepAlive(every: .milliseconds(2500)), .disconnecting])
    #expect(writes.map(\.bytes) == ["02 u8(value * 2)", "0102 xor", "01", "00"])
    #expect(writes.map(\.line) == [17, 10, 11, 13])
    #expect(
      writes.map { "\($0.service) \($0.characteristic)" } == ["180d 2a42", "180d 2a40", "180d 2a40", "180d 2a41"])
  }
}
