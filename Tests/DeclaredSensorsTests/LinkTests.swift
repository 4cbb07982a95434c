// What a declared sensor does on its link: start, stop, keep-alive, commands and silence; and its
// counters over several packets.

import DeclaredSensors
import JSON
import SensorKit
import Testing

@Suite struct LinkTests {
  private static let packets = """
    [Packet p]
    Notify = 180d 2a37
    a = u8
    [Sample x]
    a = a
    [Packet q]
    ReadAndNotify = 180d 2a38
    b = u8 keep
    [Packet answer]
    Indicate = 180d 2a39
    Optional = yes
    c = u8
    [Answer]
    c = c

    """

  @Test("without [Start], everything is subscribed to and read")
  func defaultStart() throws {
    var session = try DeclaredSession(leastHead + Self.packets)
    let actions = session.actions { $0.connected(at: MonotonicTime(seconds: 0), into: &$1) }
    #expect(actions == ["subscribe 2a37", "subscribe 2a38", "read 2a38", "subscribe 2a39"])
  }

  @Test("a value that no packet of its own verb matches is not a packet of another verb")
  func otherVerb() throws {
    let text = """
      [Packet first]
      Notify = 180d 2a37
      a = u8
      [Sample x]
      a = a
      [Packet second]
      Read = 180d 2a37
      Match = byte(0) == 2
      b = u8

      """
    var session = try DeclaredSession(leastHead + text)
    let read = PacketSource.Origin.read(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
    #expect(try session.packet("07", from: read).first?["error"] == "unknown_frame")
    let indicated = PacketSource.Origin.indicated(
      service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
    #expect(try session.packet("07", from: indicated).first?["a"] == 7)
  }

  @Test("[Start] is followed in its order, and [Stop] writes")
  func startAndStop() throws {
    let text = """
      [Start]
      Write = 180d 2a40: 0102 u8(3) u16(0x405) i16(-2) sum
      Subscribe = p
      Read = q
      Write = 180d 2a40: ff 0f xor
      [Stop]
      Write = 180d 2a40: 00
      """
    var session = try DeclaredSession(leastHead + Self.packets + text)
    let start = session.actions { $0.connected(at: MonotonicTime(seconds: 0), into: &$1) }
    #expect(start == ["write 2a40 0102030504feff0c", "subscribe 2a37", "read 2a38", "write 2a40 ff0ff0"])
    #expect(session.actions { $0.disconnecting(into: &$1) } == ["write 2a40 00"])
  }

  @Test("a keep-alive is written at its interval while the link is up, and no command waits for it")
  func keepAlive() throws {
    let text = """
      [Start]
      KeepAlive = 2.5 180d 2a40: 01
      [Command go]
      Summary = Go
      Write = 180d 2a40: 02
      """
    var session = try DeclaredSession(leastHead + Self.packets + text)
    #expect(session.deadline == nil)
    #expect(session.actions { $0.connected(at: MonotonicTime(seconds: 1), into: &$1) } == [])
    #expect(session.deadline == MonotonicTime(seconds: 3.5))
    #expect(session.actions { $0.tick(at: MonotonicTime(seconds: 3.5), into: &$1) } == ["write 2a40 01"])
    #expect(session.deadline == MonotonicTime(seconds: 6))
    var awaits = true
    _ = try session.actions {
      awaits = try $0.command(Command(name: "go"), at: MonotonicTime(seconds: 4), into: &$1)
    }
    #expect(!awaits)
    session.disconnected()
    #expect(session.deadline == nil)
  }

  private static let commands = """
    [Words places]
    3 = here
    [Command set]
    Summary = Set it
    Value = percent, 0 to 100
    Write = 180d 2a40: u8(value * 2)
    [Command place]
    Summary = Set the place
    Value = words places
    Write = 180d 2a40: 03 u8(value)
    AnswerWithin = 30
    """

  @Test(
    "a command writes its value, or refuses it",
    arguments: [
      ("set", 50, "write 2a40 64"), ("set", 0.5, "write 2a40 01"), ("set", 0.25, nil), ("set", 100, "write 2a40 c8"),
      ("set", 120, nil), ("set", 128, nil),
      ("set", -1, nil), ("set", nil, nil), ("set", .nan, nil), ("place", 3, "write 2a40 0303"), ("place", 4, nil),
    ] as [(String, Double?, String?)])
  func command(_ row: (name: String, value: Double?, write: String?)) throws {
    var session = try DeclaredSession(leastHead + Self.packets + Self.commands)
    let command = Command(name: row.name, value: row.value)
    guard let write = row.write else {
      #expect(throws: CommandError.badValue) {
        _ = try session.actions { _ = try $0.command(command, at: MonotonicTime(seconds: 0), into: &$1) }
      }
      return
    }
    let actions = try session.actions { _ = try $0.command(command, at: MonotonicTime(seconds: 0), into: &$1) }
    #expect(actions == [write])
  }

  @Test("what a command takes is described")
  func descriptions() throws {
    let program = try SensorFile(Array((leastHead + Self.packets + Self.commands).utf8), words: SensorWords()).program
    let parameters = program.info.offers.flatMap(\.parameters)
    #expect(parameters.map(\.meaning) == ["percent, 0 to 100", "3 here, 3 to 3"])
    #expect(program.info.commandTarget == BluetoothUUID(0x2a40))
    #expect(program.info.characteristics.last?.characteristic == BluetoothUUID(0x2a40))
  }

  @Test("another command is busy until an answer arrives")
  func answer() throws {
    var session = try DeclaredSession(leastHead + Self.packets + Self.commands)
    let place = Command(name: "place", value: 3)
    let start = MonotonicTime(seconds: 0)
    var awaits = false
    _ = try session.actions { awaits = try $0.command(place, at: start, into: &$1) }
    #expect(awaits)
    #expect(session.deadline == MonotonicTime(seconds: 30))
    #expect(throws: CommandError.busy) {
      _ = try session.actions { _ = try $0.command(Command(name: "set", value: 1), at: start, into: &$1) }
    }
    #expect(try session.packet("07") == [["class": "sample", "kind": "x", "a": 7]])
    #expect(session.deadline != nil)
    #expect(try session.packet("05", from: 0x2a39) == [["class": "answer", "c": 5]])
    #expect(session.deadline == nil)
    _ = try session.actions { _ = try $0.command(place, at: start, into: &$1) }
    _ = session.actions { $0.tick(at: MonotonicTime(seconds: 30), into: &$1) }
    #expect(try records(of: session.batch) == [["class": "answer", "result": "timeout"]])
    #expect(session.deadline == nil)
  }

  @Test("a sensor at rest may be silent")
  func rests() throws {
    let text =
      leastHead + """
        StaleAfter = 3
        ReconnectAfter = 10
        Rests = wheel.stopped
        [Packet p]
        Notify = 180d 2a37
        count = u8
        clock = u8
        [Counter wheel]
        Count = count
        Clock = clock
        ClockBits = 8
        Ticks = 4
        [Sample speed]
        wheel_revs = count
        """
    var session = try DeclaredSession(text)
    let moving = Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(10))
    let standing = Silence(staleAfter: .seconds(3), reconnectAfter: nil)
    for (hex, seconds, silence) in [
      ("0100", 0.0, moving), ("0204", 1, moving), ("0204", 5, standing), ("0318", 6, moving),
    ] {
      _ = try session.packet(hex, at: seconds)
      #expect(session.silence == silence, "\(hex)")
    }
  }

  @Test("a sensor rests if all that its last packet counted stands, and not after the link was lost")
  func restsByLastPacket() throws {
    let text =
      leastHead + """
        StaleAfter = 3
        ReconnectAfter = 10
        Rests = kept == 1 && (a.stopped ?? true) && (b.stopped ?? true)
        [Packet p]
        Notify = 180d 2a37
        flags = u8
        kept = u8 keep
        one = u16 if flags[0]
        two = u16 if flags[1]
        time = u16
        [Counter a]
        Count = one
        Clock = time
        [Counter b]
        Count = two
        Clock = time
        [Packet q]
        Read = 180d 2a38
        other = u8
        """
    let moving = Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(10))
    let standing = Silence(staleAfter: .seconds(3), reconnectAfter: nil)
    var session = try DeclaredSession(text)
    for (hex, seconds, silence) in [
      ("010101000004", 0.0, moving), ("010102000008", 1, moving),
      // The other counter stands, and the first one is not in this packet.
      ("020101000008", 1.5, moving), ("020101000008", 5, standing),
      // Neither is in this one.
      ("01010200000c", 6, standing), ("010103000010", 7, moving),
    ] {
      _ = try session.packet(hex, at: seconds)
      #expect(session.silence == silence, "\(hex) at \(seconds)")
    }
    _ = try session.packet("00010010", at: 8)
    #expect(session.silence == standing)
    _ = try session.packet("00", from: 0x2a38, at: 8)
    #expect(session.silence == standing)
    session.disconnected()
    #expect(session.silence == moving)
  }

  @Test("a counter of a kept value rolls over at the width of its field")
  func keptCounter() throws {
    let text =
      leastHead + """
        [Packet p]
        Notify = 180d 2a37
        n = u32 keep
        [Packet q]
        Notify = 180d 2a38
        skipped = skip
        [Counter way]
        Count = n
        [Sample x]
        v = way.total
        """
    var session = try DeclaredSession(text)
    _ = try session.packet("ffff0000", at: 0)
    #expect(try session.packet("00", from: 0x2a38, at: 0) == [["class": "sample", "kind": "x", "v": 0]])
    _ = try session.packet("00000200", at: 1)
    // With 16 bits it would be 1.
    #expect(try session.packet("00", from: 0x2a38, at: 1) == [["class": "sample", "kind": "x", "v": 65_537]])
  }

  @Test("a characteristic is required if one of its packets needs it")
  func requiredCharacteristic() throws {
    let packet = { (name: String, more: String) in
      "[Packet \(name)]\nNotify = 180d 2a37\nMatch = byte(0) == \(name.utf8.count)\n\(more)\nx = u8\n"
    }
    for (text, isRequired) in [
      (packet("p", "Optional = yes") + packet("qq", ""), true),
      (packet("p", "Optional = yes") + packet("qq", "Optional = yes"), false), (packet("p", ""), true),
    ] {
      let program = try SensorFile(Array((leastHead + text).utf8), words: SensorWords()).program
      #expect(program.info.characteristics.map(\.isRequired) == [isRequired])
    }
  }

  @Test("a counter without a clock has a delta and a total, and rolls over at its width")
  func odometer() throws {
    let text =
      leastHead + """
        [Packet p]
        Notify = 180d 2a37
        a = u8
        [Counter way]
        Count = a
        Unit = 0.5
        Fastest = 20
        [Sample x]
        delta = way.delta
        total = way.total
        rate = way.rate
        """
    var session = try DeclaredSession(text)
    #expect(try session.packet("fe", at: 0) == [["class": "sample", "kind": "x", "total": 0]])
    #expect(try session.packet("04", at: 1) == [["class": "sample", "kind": "x", "delta": 3, "total": 3]])
    #expect(try session.packet("04", at: 2) == [["class": "sample", "kind": "x", "delta": 0, "total": 3]])
    session.disconnected()
    #expect(try session.packet("06", at: 3) == [["class": "sample", "kind": "x", "delta": 1, "total": 4]])
  }

  @Test("infinity from a counter is unknown, and has no bits")
  func infiniteUnit() throws {
    let text =
      leastHead + """
        [Packet p]
        Notify = 180d 2a37
        a = u16
        [Counter way]
        Count = a
        Unit = pow10(308)
        [Sample x]
        bits = way.total | 0
        delta = way.delta
        total = way.total
        """
    var session = try DeclaredSession(text)
    let start: [JSONValue] = [["class": "sample", "kind": "x", "bits": 0, "total": 0]]
    #expect(try session.packet("0000", at: 0) == start)
    #expect(try session.packet("0a00", at: 1) == start)
  }

  @Test("two packets feed one counter by its name")
  func sharedCounter() throws {
    let packet = { (name: String, uuid: String) in
      "[Packet \(name)]\nNotify = 180d \(uuid)\na = u16\n[Counter way]\nCount = a\n[Sample \(name)]\nv = way.total\n"
    }
    var session = try DeclaredSession(
      "[Sensor]\nFormat = 1\nId = x\nTitle = X\nService = 180d\n" + packet("x", "2a37") + packet("y", "2a38"))
    #expect(try session.packet("0100", at: 0) == [["class": "sample", "kind": "x", "v": 0]])
    #expect(try session.packet("0400", from: 0x2a38, at: 1) == [["class": "sample", "kind": "y", "v": 3]])
  }
}
