// Running Speed and Cadence Service, 0x1814: foot pods and treadmills. Cadence is published as it
// arrives. Makers disagree on whether it counts steps or strides; speed divided by stride length
// shows which. The state consists of the distance of the session and a pending procedure; a
// rejected packet changes none of it.

public import SensorKit

public struct RunningSpeedCadencePlugin: SpeedCadenceSensor {
  private enum UUID {
    static let service = BluetoothUUID(0x1814)
    static let measurement = BluetoothUUID(0x2a53)
    static let feature = BluetoothUUID(0x2a54)
  }

  public static let info = SensorInfo(
    id: "running_speed_cadence", title: "Running speed and cadence", services: [UUID.service],
    characteristics: [
      .subscribed(UUID.measurement, of: UUID.service),
      .read(UUID.feature, of: UUID.service),
      .read(SensorLocation.characteristic, of: UUID.service),
      .subscribed(ControlPoint.characteristic, of: UUID.service, required: false),
    ],
    kinds: [.speed, .cadence], silence: Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(10)),
    commands: [
      ControlPoint.setCumulative(0...429_496_729, "m", meaning: "distance", requiring: Field("total_distance")),
      ControlPoint.startCalibration,
      SensorLocation.setting,
      SensorLocation.listing,
    ], writtenTo: ControlPoint.characteristic)

  /// In tenths of a metre; no runner is faster than 15 m/s.
  private var odometer = OdometerDelta(unit: 0.1, fastest: 15)
  private var distance = 0.0
  public var controlPoint = ControlPoint(of: UUID.service, countsPerUnit: 10)
  private var isStandingStill = false

  public init(settings: SensorSettings) {}

  /// Foot pods fall asleep when the runner stands, so silence is then normal.
  public var silence: Silence {
    isStandingStill ? Silence(staleAfter: Self.info.silence.staleAfter, reconnectAfter: nil) : Self.info.silence
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    switch source.characteristic {
    case UUID.measurement: try decodeMeasurement(value, at: time, into: &batch)
    case UUID.feature: try decodeFeature(value, into: &batch)
    case SensorLocation.characteristic: try SensorLocation.decode(value, into: &batch)
    default:
      let procedure = try controlPoint.decode(value, into: &batch)
      if procedure == ControlPoint.Opcode.setCumulative { odometer.forget() }
    }
  }
}

// MARK: 2A53, RSC Measurement

extension RunningSpeedCadencePlugin {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let strideLength = Flags(rawValue: 0x01)
    static let totalDistance = Flags(rawValue: 0x02)
    static let running = Flags(rawValue: 0x04)
    static let reserved = Flags(rawValue: 0xf8)
  }

  @inline(__always)
  private mutating func decodeMeasurement(
    _ value: Span<UInt8>, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    let flags = Flags(rawValue: try cursor.uint8(value))
    let speed = try cursor.uint16(value)
    let cadence = try cursor.uint8(value)
    let stride = flags.contains(.strideLength) ? try cursor.uint16(value) : nil
    let total = flags.contains(.totalDistance) ? try cursor.uint32(value) : nil
    // A reserved flag may announce fields that are not defined yet.
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }

    batch.sample(.speed)
    batch.set(.speedMps, Double(speed) / 256)
    // A packet without the field adds nothing; the next one with it covers both.
    let amount = total.map { odometer.read($0, at: time).amount } ?? 0
    distance += amount
    if odometer.hasStarted {
      batch.set([(.distanceDeltaM, amount), (.distanceM, distance)])
    }
    batch.sample(.cadence)
    batch.set(.cadencePerMin, cadence)
    if let stride { batch.set(.strideLengthM, Double(stride) / 100) }
    batch.set(.isRunning, flags.contains(.running))
    isStandingStill = speed == 0
  }
}

// MARK: 2A54, RSC Feature

extension RunningSpeedCadencePlugin {
  private func decodeFeature(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let features = try cursor.uint16(value)
    try cursor.finish(value)
    batch.fact(Field("stride_length"), features & 0x01 != 0)
    batch.fact(Field("total_distance"), features & 0x02 != 0)
    batch.fact(Field("walking_running"), features & 0x04 != 0)
    batch.fact(Field("calibration"), features & 0x08 != 0)
    batch.fact(Field("multiple_locations"), features & 0x10 != 0)
  }
}
