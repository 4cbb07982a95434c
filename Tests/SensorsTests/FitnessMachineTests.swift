// Requests to a machine, compared with the bytes of the vectors, and their order: control first,
// and one answer per command. Also what the vectors do not cover: cross trainers, ranges, silence.

import JSON
import SampleLines
import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct FitnessMachineTests {
  static let service = BluetoothUUID(0x1826)

  var machine = PluginHost(
    builtInPlugins.recognize(DeviceDescription(services: [service])), settings: SensorSettings())

  /// Receives a packet, and returns what is written in response and what is published.
  @discardableResult
  private mutating func receive(
    _ bytes: [UInt8], from characteristic: UInt32 = 0x2ad9, at seconds: Double = 1
  ) throws -> (writes: [String], published: [String]) {
    var batch = Batch()
    let source = PacketSource(
      .indicated(service: Self.service, characteristic: BluetoothUUID(characteristic)),
      sender: Sender(address: "", name: ""))
    try machine.decode(bytes.span, from: source, at: MonotonicTime(seconds: seconds), into: &batch)
    return (Writes.of(batch), Self.entries(of: batch))
  }

  private static func entries(of batch: borrowing Batch) -> [String] {
    var entries: [String] = []
    for entry in batch.entries {
      var writer = JSONWriter()
      writer.beginObject()
      writer.fields(of: entry, in: batch)
      writer.endObject()
      entries.append(String(decoding: writer.bytes, as: UTF8.self))
    }
    return entries
  }

  @discardableResult
  private mutating func ask(_ command: Command) throws -> [String] {
    var batch = Batch()
    try machine.command(command, at: MonotonicTime(seconds: 2), into: &batch)
    return Writes.of(batch)
  }

  private static func road(_ grade: Double, wind: Double = 0) -> Command {
    let parameters = ["wind_speed_mps": wind, "rolling_resistance": 0.004, "wind_resistance_kg_per_m": 0.51]
    return Command(name: "simulation", value: grade, parameters: parameters)
  }

  static let requests: [(String, Command)] = [
    ("request control", Command(name: "request_control")),
    ("reset", Command(name: "reset")),
    ("start or resume", Command(name: "start")),
    ("stop", Command(name: "stop")),
    ("pause", Command(name: "pause")),
    ("target resistance level 5.0", Command(name: "target_resistance", value: 5)),
    ("target power 250 W", Command(name: "target_power", value: 250)),
    ("target power -10 W", Command(name: "target_power", value: -10)),
    ("simulation: level road", Command(name: "simulation", value: 0)),
    ("simulation: 2.49 % grade", road(2.49)),
    ("simulation: -3.5 % and 2 m/s head wind", road(-3.5, wind: 2)),
    ("wheel circumference 2.096 m", Command(name: "set_circumference", value: 2096)),
    ("start spin down", Command(name: "spin_down")),
    ("ignore spin down", Command(name: "ignore_spin_down")),
  ]

  @Test("a request is written as in the vectors", arguments: requests)
  mutating func requestBytes(_ row: (name: String, command: Command)) throws {
    try ask(Command(name: "request_control"))
    try receive([0x80, 0x00, 0x01])
    #expect(try ask(row.command) == [try Writes.expected("fitness-machine-control")[row.name]])
  }

  @Test("every write of the vectors is covered")
  func allWritesCovered() throws {
    #expect(try Set(Writes.expected("fitness-machine-control").keys) == Set(Self.requests.map(\.0)))
  }

  @Test("control is requested once, before the first request")
  mutating func controlFirst() throws {
    #expect(try ask(Command(name: "target_power", value: 200)) == ["00"])
    #expect(throws: CommandError.busy) { try ask(Command(name: "start")) }
    let granted = try receive([0x80, 0x00, 0x01])
    #expect(granted.writes == ["05c800"] && granted.published.isEmpty)
    #expect(try receive([0x80, 0x05, 0x01]).published == [#"{"request_opcode":5,"result":"success"}"#])
    #expect(try ask(Command(name: "target_power", value: 210)) == ["05d200"])
  }

  @Test("a refusal of control answers the command")
  mutating func controlRefused() throws {
    #expect(try ask(Command(name: "target_power", value: 200)) == ["00"])
    let refused = try receive([0x80, 0x00, 0x05])
    #expect(refused.writes.isEmpty && refused.published == [#"{"request_opcode":0,"result":"control_not_permitted"}"#])
    #expect(machine.deadline == nil)
  }

  @Test("lost control is requested again", arguments: [[0xff], [0x01]] as [[UInt8]])
  mutating func controlLost(_ status: [UInt8]) throws {
    try ask(Command(name: "request_control"))
    try receive([0x80, 0x00, 0x01])
    try receive(status, from: 0x2ada)
    #expect(try ask(Command(name: "target_power", value: 200)) == ["00"])
  }

  @Test("a request without an answer times out")
  mutating func timesOut() throws {
    #expect(try ask(Command(name: "target_power", value: 200)) == ["00"])
    let deadline = try #require(machine.deadline)
    var batch = Batch()
    machine.tick(at: deadline, into: &batch)
    #expect(Self.entries(of: batch) == [#"{"request_opcode":0,"result":"timeout"}"#])
    #expect(try ask(Command(name: "target_power", value: 200)) == ["00"])
  }

  @Test("a request that could not be written does not block the next")
  mutating func failedWrite() throws {
    #expect(try ask(Command(name: "target_power", value: 200)) == ["00"])
    machine.commandFailed()
    #expect(machine.deadline == nil)
    let late = try receive([0x80, 0x00, 0x01])
    #expect(late.writes.isEmpty, "the request that waited for control is dropped")
    #expect(late.published == [#"{"request_opcode":0,"result":"success"}"#])
    #expect(try ask(Command(name: "target_power", value: 210)) == ["05d200"])
    machine.commandFailed()
    #expect(try ask(Command(name: "target_power", value: 220)) == ["05dc00"])
    #expect(throws: CommandError.busy) { try ask(Command(name: "start")) }
    #expect(try receive([0x80, 0x05, 0x01]).published == [#"{"request_opcode":5,"result":"success"}"#])
    #expect(machine.deadline == nil)
  }

  /// The vectors do not cover these targets.
  @Test(
    "a target is written in the resolution of its field",
    arguments: [
      ("target_speed", 5, "020807"), ("target_speed", 0, "020000"), ("target_inclination", -1.5, "03f1ff"),
      ("target_inclination", 12.3, "037b00"), ("target_heart_rate", 140, "068c"), ("target_cadence", 90.5, "14b500"),
    ] as [(String, Double, String)])
  mutating func targetResolution(_ row: (name: String, value: Double, bytes: String)) throws {
    try ask(Command(name: "request_control"))
    try receive([0x80, 0x00, 0x01])
    #expect(try ask(Command(name: row.name, value: row.value)) == [row.bytes])
  }

  @Test(
    "a target outside the range of its field is refused",
    arguments: [("target_speed", -0.1), ("target_speed", 200), ("target_inclination", 4000)] as [(String, Double)])
  mutating func targetRange(_ row: (name: String, value: Double)) {
    #expect(throws: CommandError.badValue) { try ask(Command(name: row.name, value: row.value)) }
    #expect(machine.deadline == nil)
  }

  @Test(
    "a value that is missing or does not fit is refused",
    arguments: [.nan, .infinity, 40_000, -40_000] as [Double?] + [nil])
  mutating func invalidValue(_ value: Double?) {
    for name in ["target_power", "target_resistance", "simulation", "target_cadence", "set_circumference"] {
      #expect(throws: CommandError.badValue) { try ask(Command(name: name, value: value)) }
    }
  }

  @Test("a machine with a wide range gets 16-bit requests")
  mutating func wideRange() throws {
    try ask(Command(name: "request_control"))
    try receive([0x80, 0x00, 0x01])
    try receive([0, 0, 0xe8, 3, 1, 0], from: 0x2ad6)
    #expect(try ask(Command(name: "target_resistance", value: 5)) == ["043200"])
  }

  /// FTMS 1.0, section 4.5: three bytes of flags.
  @Test("every field of a cross trainer is decoded")
  mutating func crossTrainer() throws {
    let flags: [UInt8] = [0xfe, 0xff, 0x00]
    let fields: [UInt8] = [
      0x68, 0x01, 0xd0, 0x02, 0x10, 0x27, 0x00, 0x3c, 0x00, 0x3a, 0x00, 0x64, 0x00, 0x05, 0x00, 0x02, 0x00, 0x0f, 0x00,
      0xff, 0x7f, 0x07, 0x00, 0x78, 0x00, 0x6e, 0x00, 0x0a, 0x00, 0xf4, 0x01, 0x08, 0x80, 0x32, 0x3c, 0x00, 0x78, 0x00,
    ]
    let published = try receive(flags + fields, from: 0x2ace).published
    #expect(
      published == [
        #"{"total_distance_m":10000,"average_speed_mps":2,"average_power_w":110,"resistance_level":7,"#
          + #""inclination_pct":1.5,"elevation_gain_m":5,"elevation_loss_m":2,"step_rate_spm":60,"#
          + #""average_step_rate_spm":58,"stride_count":100,"energy_total_kcal":10,"energy_per_hour_kcal":500,"#
          + #""energy_per_minute_kcal":8,"metabolic_equivalent":5,"elapsed_s":60,"remaining_s":120,"#
          + #""movement_direction":"backward"}"#,
        #"{"speed_mps":1}"#, #"{"power_w":120}"#, #"{"bpm":128}"#,
      ])
    for length in 1..<(flags.count + fields.count) where length != 20 {
      #expect(throws: DecodeError.self) { try receive(Array((flags + fields).prefix(length)), from: 0x2ace) }
    }
  }

  @Test("a machine that stands still is not reconnected")
  mutating func standstill() throws {
    let resting = Silence(staleAfter: .seconds(3), reconnectAfter: nil)
    #expect(machine.silence == resting, "a machine may be silent before anyone moves")
    try receive([0x00, 0x00, 0x83, 0x06], from: 0x2ad2)
    #expect(machine.silence.reconnectAfter == .seconds(10))
    try receive([0x00, 0x00, 0x00, 0x00], from: 0x2ad2)
    #expect(machine.silence == resting)
    try receive([0x00, 0x00, 0x83, 0x06], from: 0x2ad2)
    machine.disconnected()
    #expect(machine.silence == resting)
  }

  // MARK: Records that are never closed

  /// Each announces more data, and never sends it.
  static let unfinished: [(machine: String, characteristic: UInt32, frame: [UInt8], published: [String])] = [
    (
      "indoor bike", 0x2ad2, [0x45, 0x00, 0xb4, 0x00, 0xc8, 0x00],
      [#"{"cadence_rpm":90}"#, #"{"power_w":200}"#]
    ),
    ("treadmill", 0x2acd, [0x05, 0x00, 0x10, 0x27, 0x00], [#"{"total_distance_m":10000}"#]),
    ("rower", 0x2ad1, [0x05, 0x00, 0x10, 0x27, 0x00], [#"{"total_distance_m":10000}"#]),
    (
      "cross trainer", 0x2ace, [0x05, 0x00, 0x00, 0x10, 0x27, 0x00],
      [#"{"total_distance_m":10000,"movement_direction":"forward"}"#]
    ),
    ("step climber", 0x2acf, [0x03, 0x00, 0x5a, 0x00], [#"{"step_rate_spm":90}"#]),
    ("stair climber", 0x2ad0, [0x03, 0x00, 0x5a, 0x00], [#"{"step_rate_spm":90}"#]),
  ]

  private mutating func tick(at seconds: Double) -> [String] {
    var batch = Batch()
    machine.tick(at: MonotonicTime(seconds: seconds), into: &batch)
    return Self.entries(of: batch)
  }

  @Test("a piece whose rest never comes is published after a second", arguments: unfinished.indices)
  mutating func pieceAlone(_ index: Int) throws {
    let row = Self.unfinished[index]
    #expect(try receive(row.frame, from: row.characteristic, at: 1).published.isEmpty, "\(row.machine)")
    #expect(machine.deadline == MonotonicTime(seconds: 2))
    #expect(tick(at: 1.9).isEmpty)
    #expect(tick(at: 2) == row.published, "\(row.machine)")
    #expect(machine.deadline == nil && tick(at: 4).isEmpty)
  }

  @Test("a piece whose rest never comes is published when the next set begins", arguments: unfinished.indices)
  mutating func pieceAfterPiece(_ index: Int) throws {
    let row = Self.unfinished[index]
    #expect(try receive(row.frame, from: row.characteristic, at: 1).published.isEmpty, "\(row.machine)")
    for count in 1...10 {
      let published = try receive(row.frame, from: row.characteristic, at: 1 + Double(count) / 4).published
      #expect(published == row.published, "\(row.machine)")
    }
    // The last piece has a second of its own.
    #expect(machine.deadline == MonotonicTime(seconds: 4.5))
  }

  @Test("the machine that waits longest has the deadline, and a lost link drops all pieces")
  mutating func deadlinesOfSeveral() throws {
    for (index, row) in Self.unfinished.enumerated() {
      try receive(row.frame, from: row.characteristic, at: 1 + Double(index) / 10)
    }
    #expect(machine.deadline == MonotonicTime(seconds: 2))
    #expect(tick(at: 2) == Self.unfinished[0].published)
    #expect(machine.deadline == MonotonicTime(seconds: 2.1))
    machine.disconnected()
    #expect(machine.deadline == nil && tick(at: 9).isEmpty)
  }

  @Test("a closing piece with quantities of its own still completes the set")
  mutating func closedRecord() throws {
    try receive([0x45, 0x00, 0xb4, 0x00, 0xc8, 0x00], from: 0x2ad2, at: 1)
    let published = try receive([0x00, 0x00, 0x10, 0x0e], from: 0x2ad2, at: 1.9).published
    #expect(published == [#"{"speed_mps":10}"#, #"{"cadence_rpm":90}"#, #"{"power_w":200}"#])
    #expect(machine.deadline == nil)
  }

  @Test("a held piece does not delay the answer to a command")
  mutating func pieceAndCommand() throws {
    try receive([0x45, 0x00, 0xb4, 0x00, 0xc8, 0x00], from: 0x2ad2, at: 1.5)
    try ask(Command(name: "request_control"))
    #expect(machine.deadline == MonotonicTime(seconds: 2.5))
    #expect(tick(at: 2.5).count == 2)
    #expect(machine.deadline == MonotonicTime(seconds: 32))
    #expect(tick(at: 32) == [#"{"request_opcode":0,"result":"timeout"}"#])
  }
}
