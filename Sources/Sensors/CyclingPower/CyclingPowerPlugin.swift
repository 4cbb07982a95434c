// Cycling Power Service, 0x1818: power meters and trainers. The state consists of the two counters,
// the distance of the session and a pending procedure; a rejected packet changes none of it. Power
// is the sensor's own value and is never derived from torque.

public import SensorKit

public struct CyclingPowerPlugin: SensorPlugin {
  private enum UUID {
    static let service = BluetoothUUID(0x1818)
    static let measurement = BluetoothUUID(0x2a63)
    static let vector = BluetoothUUID(0x2a64)
    static let feature = BluetoothUUID(0x2a65)
    static let controlPoint = BluetoothUUID(0x2a66)
  }

  public static let info = SensorInfo(
    id: "cycling_power", title: "Cycling power", services: [UUID.service],
    characteristics: [
      .subscribed(UUID.measurement, of: UUID.service),
      .subscribed(UUID.vector, of: UUID.service, required: false),
      .read(UUID.feature, of: UUID.service),
      .read(SensorLocation.characteristic, of: UUID.service),
      .subscribed(UUID.controlPoint, of: UUID.service, required: false),
    ],
    kinds: [.power, .speed, .cadence], silence: Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(10)),
    commands: CyclingPowerProcedure.all.map(\.info), writtenTo: UUID.controlPoint, countsWheel: true)

  private var wheel: WheelMeter
  private var crank = CrankMeter()
  private var pending = PendingProcedure()
  private var balanceNeedsPower = false

  public init(settings: SensorSettings) {
    wheel = WheelMeter(ticksPerSecond: CyclingPowerMeasurement.wheelTicksPerSecond, settings: settings)
    settingsChanged(settings)
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    wheel.settingsChanged(settings)
    balanceNeedsPower = settings.quirks.contains(.balanceNeedsPower)
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    switch source.characteristic {
    case UUID.measurement: try decodeMeasurement(value, at: time, into: &batch)
    case UUID.vector: try decodeVector(value, at: time, into: &batch)
    case UUID.feature: try decodeCyclingPowerFeature(value, into: &batch)
    case SensorLocation.characteristic: try SensorLocation.decode(value, into: &batch)
    default: try decodeAnswer(value, into: &batch)
    }
  }

  @inline(__always)
  private mutating func decodeMeasurement(
    _ value: Span<UInt8>, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    let measurement = try CyclingPowerMeasurement(value, balanceNeedsPower: balanceNeedsPower, into: &batch)
    if measurement.flags.contains(.wheel) {
      wheel.read(measurement.wheel.count, eventTime: measurement.wheel.time, at: time, into: &batch)
    }
    if measurement.flags.contains(.crank) {
      crank.read(measurement.crank.count, eventTime: measurement.crank.time, at: time, into: &batch)
    }
  }

  /// The crank counter repeats that of the measurement.
  private mutating func decodeVector(
    _ value: Span<UInt8>, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    let event = try decodeCyclingPowerVector(value, into: &batch)
    if let event { crank.read(event.count, eventTime: event.time, at: time, into: &batch) }
  }
}

// MARK: 2A66, Cycling Power Control Point

extension CyclingPowerPlugin {
  public var deadline: MonotonicTime? { pending.deadline }

  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    guard let procedure = CyclingPowerProcedure.all.first(where: { $0.name == command.name }) else {
      throw .notSupported
    }
    var bytes: InlineArray<5, UInt8> = [procedure.opcode, 0, 0, 0, 0]
    let length = try procedure.write(command, into: &bytes)
    guard !pending.isBusy else { throw .busy }
    batch.write(bytes.span.extracting(0..<length), to: UUID.service, UUID.controlPoint)
    pending.begin(procedure.opcode, at: time)
  }

  public mutating func tick(at time: MonotonicTime, into batch: inout Batch) {
    pending.expire(into: &batch)
  }

  public mutating func disconnected() {
    pending.end()
  }

  public mutating func commandFailed() {
    pending.end()
  }

  private mutating func decodeAnswer(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    let response = try decodeCyclingPowerAnswer(value, into: &batch)
    pending.end(response.opcode)
    if response.opcode == CyclingPowerProcedure.setCumulative, response.result == .success { wheel.forget() }
  }
}

extension QuirkEffect {
  /// Without pedalling the balance is 0 or 100 at random, so it must be ignored.
  static let balanceNeedsPower = QuirkEffect("balance_needs_power")
}
