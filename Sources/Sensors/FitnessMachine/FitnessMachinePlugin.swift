// Trainers, indoor bikes, treadmills, rowers, cross trainers and climbers: the Fitness Machine Service, 0x1826. What a machine says
// in several pieces becomes one set of samples when the last piece is there. Some machines announce a last piece and never send
// it: their pieces are published when the next set begins, or after a second. Control is taken only when a user's command
// needs it, for it is exclusive.
//
// Known only in part: the unit of the resistance level (four opinions; the number is published as it comes), a treadmill's
// pace (no capture; the current table's uint16), the stride count of cross trainers (its unit is disputed; as it comes; no
// capture of one at all, nor of climbers).

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

  /// Answers and status first: nothing may be written before they are on. A machine has one or two of the data.
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
  /// The earliest deadline of the pieces.
  private var piecesDeadline: MonotonicTime?
  /// What the packet at hand says. It lives here so that its numbers are written and read in one place, and never copied.
  private var piece = MachineRecord()
  private var control = MachineControl()
  private var isMoving = false
  /// FTMS 1.0 gave the resistance level sint16 in ranges, and so do machines that expect it in requests.
  private var hasWideResistance = false
  private var energyIsShort = false

  public init(settings: SensorSettings) {
    settingsChanged(settings)
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    energyIsShort = settings.quirks.contains(.energyIsShort)
  }

  /// Some machines say nothing while nobody moves: only one that was moving is cut off for its silence.
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
    _ value: Span<UInt8>, from source: Source, at time: MonotonicTime, into batch: inout Batch
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
    // Most machines send records of one piece.
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
    if control.heard(answer, at: time, into: &batch) { answer.say(into: &batch) }
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
