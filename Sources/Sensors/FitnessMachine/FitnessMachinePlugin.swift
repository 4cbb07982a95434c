// Fitness Machine Service, 0x1826: trainers, indoor bikes, treadmills, rowers, cross trainers and
// climbers.
//
// A machine may split its data over several packets, which are published together after the last
// one. Some machines announce a last packet and never send it. Their data are published when the
// next set begins, or after a second. Control is exclusive, so it is requested only when a user's
// command needs it.
//
// Some details are uncertain. The unit of the resistance level is disputed, and the number is
// published as it arrives. A treadmill's pace is read as the uint16 of the current table; there is
// no capture. The stride count of cross trainers has a disputed unit and is published as it
// arrives. There are no captures of cross trainers or climbers.

public import SensorKit

public struct FitnessMachinePlugin: SensorPlugin {
  enum UUID {
    static let service = BluetoothUUID(0x1826)
    static let feature = BluetoothUUID(0x2acc)
    static let treadmill = BluetoothUUID(0x2acd)
    static let crossTrainer = BluetoothUUID(0x2ace)
    static let stepClimber = BluetoothUUID(0x2acf)
    static let stairClimber = BluetoothUUID(0x2ad0)
    static let rower = BluetoothUUID(0x2ad1)
    static let indoorBike = BluetoothUUID(0x2ad2)
    static let trainingStatus = BluetoothUUID(0x2ad3)
    static let speedRange = BluetoothUUID(0x2ad4)
    static let inclinationRange = BluetoothUUID(0x2ad5)
    static let resistanceRange = BluetoothUUID(0x2ad6)
    static let heartRateRange = BluetoothUUID(0x2ad7)
    static let powerRange = BluetoothUUID(0x2ad8)
    static let controlPoint = BluetoothUUID(0x2ad9)
    static let status = BluetoothUUID(0x2ada)
  }

  /// Responses and status come first, because nothing may be written before they are subscribed. A
  /// machine has one or two of the data characteristics.
  private static let characteristics: [CharacteristicUse] =
    [
      UUID.controlPoint, UUID.status, UUID.indoorBike, UUID.treadmill, UUID.rower, UUID.crossTrainer, UUID.stepClimber,
      UUID.stairClimber,
    ].map { .subscribed($0, of: UUID.service, required: false) } + [
      .readAndSubscribed(UUID.trainingStatus, of: UUID.service)
    ]
    + [
      UUID.feature, UUID.speedRange, UUID.inclinationRange, UUID.resistanceRange, UUID.heartRateRange,
      UUID.powerRange,
    ].map { .read($0, of: UUID.service) }

  public static let info = SensorInfo(
    id: "fitness_machine", title: "Fitness machine", services: [UUID.service],
    characteristics: characteristics,
    kinds: [.trainer, .rowing, .trainerStatus, .speed, .cadence, .power, .heartRate],
    silence: Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(10)),
    commands: MachineRequest.commands, writtenTo: UUID.controlPoint, lasting: [.trainerStatus])

  private var pieces = InlineArray<6, MachinePieces>(repeating: MachinePieces())
  private var piecesDeadline: MonotonicTime?
  /// The data of the current packet. It is stored here so that its numbers are never copied.
  private var piece = MachineRecord()
  private var control = MachineControl()
  private var isMoving = false
  /// Ranges of the resistance level are sint16 in FTMS 1.0. Machines that send them so expect the
  /// same in requests.
  private var hasWideResistance = false
  private var energyIsShort = false

  public init(settings: SensorSettings) {
    settingsChanged(settings)
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    energyIsShort = settings.quirks.contains(.energyIsShort)
  }

  /// Some machines are silent at rest, so only a machine that was moving is reconnected after
  /// silence.
  public var silence: Silence {
    isMoving ? Self.info.silence : Silence(staleAfter: Self.info.silence.staleAfter, reconnectAfter: nil)
  }

  public mutating func disconnected() {
    pieces = InlineArray(repeating: MachinePieces())
    piecesDeadline = nil
    control = MachineControl()
    isMoving = false
  }

  public mutating func commandFailed() {
    control.commandFailed()
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    switch source.characteristic {
    case UUID.indoorBike: try decodeData(value, of: .indoorBike, at: time, into: &batch)
    case UUID.treadmill: try decodeData(value, of: .treadmill, at: time, into: &batch)
    case UUID.rower: try decodeData(value, of: .rower, at: time, into: &batch)
    case UUID.crossTrainer: try decodeData(value, of: .crossTrainer, at: time, into: &batch)
    case UUID.stepClimber: try decodeData(value, of: .stepClimber, at: time, into: &batch)
    case UUID.stairClimber: try decodeData(value, of: .stairClimber, at: time, into: &batch)
    case UUID.controlPoint: try decodeAnswer(value, at: time, into: &batch)
    case UUID.status: try decodeStatus(value, into: &batch)
    case UUID.resistanceRange: hasWideResistance = try MachineFacts.resistanceRange(value, into: &batch)
    default: try MachineFacts.decode(value, of: source.characteristic, into: &batch)
    }
  }

  private mutating func decodeData(
    _ value: Span<UInt8>, of machine: Machine, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    let hasMore = try MachineFrame.decode(value, of: machine, energyIsShort: energyIsShort, into: &piece)
    isMoving =
      pieces[machine.rawValue].add(&piece, hasMore: hasMore, at: time, into: &batch) ?? isMoving
    // Most machines send all data in one packet.
    if hasMore || piecesDeadline != nil { findPiecesDeadline() }
  }

  private mutating func findPiecesDeadline() {
    piecesDeadline = nil
    for index in pieces.indices {
      guard let deadline = pieces[index].deadline else { continue }
      piecesDeadline = min(piecesDeadline ?? deadline, deadline)
    }
  }

  private mutating func publishOverduePieces(at time: MonotonicTime, into batch: inout Batch) {
    guard let piecesDeadline, piecesDeadline <= time else { return }
    for index in pieces.indices {
      guard let deadline = pieces[index].deadline, deadline <= time else { continue }
      isMoving = pieces[index].publish(into: &batch) ?? isMoving
    }
    findPiecesDeadline()
  }

  private mutating func decodeAnswer(
    _ value: Span<UInt8>, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    let answer = try MachineAnswer(value)
    if control.handle(answer, at: time, into: &batch) { answer.say(into: &batch) }
  }

  private mutating func decodeStatus(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    try MachineStatus.decode(value, into: &batch)
    if MachineStatus.endsControl(value[0]) { control.lose() }
  }
}

// MARK: Commands

extension FitnessMachinePlugin {
  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    guard !control.isBusy else { throw .busy }
    let request = try MachineRequest(command, wideResistance: hasWideResistance)
    control.send(request, at: time, into: &batch)
  }

  public var deadline: MonotonicTime? {
    guard let piecesDeadline else { return control.deadline }
    return min(control.deadline ?? piecesDeadline, piecesDeadline)
  }

  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    publishOverduePieces(at: time, into: &batch)
    control.tick(at: time, into: &batch)
  }
}
