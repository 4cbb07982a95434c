// Cycling Speed and Cadence Service, 0x1816: wheel and crank sensors. The state consists of the two
// counters, the distance of the session and a pending procedure; a rejected packet changes none of
// it.

public import SensorKit

public struct CyclingSpeedCadencePlugin: SpeedCadenceSensor {
  private enum UUID {
    static let service = BluetoothUUID(0x1816)
    static let measurement = BluetoothUUID(0x2a5b)
    static let feature = BluetoothUUID(0x2a5c)
  }

  public static let info = SensorInfo(
    id: "cycling_speed_cadence", title: "Cycling speed and cadence", services: [UUID.service],
    characteristics: [
      .subscribed(UUID.measurement, of: UUID.service),
      .read(UUID.feature, of: UUID.service),
      .read(SensorLocation.characteristic, of: UUID.service),
      .subscribed(ControlPoint.characteristic, of: UUID.service, required: false),
    ],
    kinds: [.speed, .cadence], silence: Silence(staleAfter: .seconds(3), reconnectAfter: .seconds(10)),
    commands: [
      ControlPoint.setCumulative(
        0...4_294_967_295, meaning: "revolutions of the wheel", requiring: .wheelRevolutionData),
      SensorLocation.setting, SensorLocation.listing,
    ],
    writtenTo: ControlPoint.characteristic, countsWheel: true)

  private var wheel: WheelMeter
  private var crank = CrankMeter()
  public var controlPoint = ControlPoint(of: UUID.service, countsPerUnit: 1)
  private var isStandingStill = false
  private var wheelIsCrank = false

  public init(settings: SensorSettings) {
    wheel = WheelMeter(ticksPerSecond: 1024, settings: settings)
    settingsChanged(settings)
  }

  /// Such sensors fall asleep when the bicycle stands, so silence is then normal.
  public var silence: Silence {
    isStandingStill ? Silence(staleAfter: Self.info.silence.staleAfter, reconnectAfter: nil) : Self.info.silence
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    wheel.settingsChanged(settings)
    wheelIsCrank = settings.quirks.contains(.wheelIsCrank)
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
      if procedure == ControlPoint.Opcode.setCumulative { wheel.forget() }
    }
  }
}

// MARK: 2A5B, CSC Measurement

extension CyclingSpeedCadencePlugin {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let wheel = Flags(rawValue: 0x01)
    static let crank = Flags(rawValue: 0x02)
    static let reserved = Flags(rawValue: 0xfc)
  }

  /// The flags can change between packets: some trainers begin with the wheel alone.
  @inline(__always)
  private mutating func decodeMeasurement(
    _ value: Span<UInt8>, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    let flags = Flags(rawValue: try cursor.uint8(value))
    let hasWheel = flags.contains(.wheel)
    let hasCrank = flags.contains(.crank)
    let wheelRevs = hasWheel ? try cursor.uint32(value) : 0
    let wheelTime = hasWheel ? try cursor.uint16(value) : 0
    let crankRevs = hasCrank ? try cursor.uint16(value) : 0
    let crankTime = hasCrank ? try cursor.uint16(value) : 0
    // A reserved flag may announce fields that are not defined yet.
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }

    if wheelIsCrank, hasWheel {
      let (revs, time16) = hasCrank ? (crankRevs, crankTime) : (UInt16(truncatingIfNeeded: wheelRevs), wheelTime)
      crank.read(revs, eventTime: time16, at: time, into: &batch)
      isStandingStill = crank.isStopped
      return
    }
    if hasWheel { wheel.read(wheelRevs, eventTime: wheelTime, at: time, into: &batch) }
    if hasCrank { crank.read(crankRevs, eventTime: crankTime, at: time, into: &batch) }
    isStandingStill = (hasWheel || hasCrank) && (!hasWheel || wheel.isStopped) && (!hasCrank || crank.isStopped)
  }
}

extension QuirkEffect {
  /// A cadence sensor that reports crank revolutions as those of a wheel, or adds a wheel that
  /// never turns.
  static let wheelIsCrank = QuirkEffect("wheel_is_crank")
}

// MARK: 2A5C, CSC Feature

extension CyclingSpeedCadencePlugin {
  private func decodeFeature(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let features = try cursor.uint16(value)
    try cursor.finish(value)
    batch.fact(.wheelRevolutionData, features & 0x01 != 0)
    batch.fact(.crankRevolutionData, features & 0x02 != 0)
    batch.fact(Field("multiple_sensor_locations"), features & 0x04 != 0)
  }
}
