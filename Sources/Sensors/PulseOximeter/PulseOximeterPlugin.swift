// Pulse Oximeter Service, 0x1822: continuous measurements and spot checks. Numbers are published as
// they arrive, together with the status words, so that the client can decide whether to show them.
// Stored records (0x2A52) are not fetched.

public import SensorKit

public struct PulseOximeterPlugin: SensorPlugin {
  private enum UUID {
    static let service = BluetoothUUID(0x1822)
    static let spotCheck = BluetoothUUID(0x2a5e)
    static let continuous = BluetoothUUID(0x2a5f)
    static let features = BluetoothUUID(0x2a60)
  }

  public static let info = SensorInfo(
    id: "pulse_oximeter", title: "Pulse oximeter", services: [UUID.service],
    characteristics: [
      // A device has at least one of the two.
      .subscribed(UUID.continuous, of: UUID.service, required: false),
      .subscribed(UUID.spotCheck, of: UUID.service, required: false),
      .read(UUID.features, of: UUID.service),
    ],
    kinds: [.oxygen], silence: Silence(staleAfter: .seconds(5), reconnectAfter: .seconds(15)))

  private var isContinuous = false

  public init(settings: SensorSettings) {}

  /// Between spot checks, silence is normal.
  public var silence: Silence { isContinuous ? Self.info.silence : .unlimited }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    switch source.characteristic {
    case UUID.continuous:
      try decodeContinuous(value, into: &batch)
      isContinuous = true
    case UUID.spotCheck: try decodeSpotCheck(value, into: &batch)
    default: try decodeFeatures(value, into: &batch)
    }
  }
}

// MARK: 2A5F, continuous

extension PulseOximeterPlugin {
  private struct ContinuousFlags: OptionSet {
    let rawValue: UInt8
    static let fast = ContinuousFlags(rawValue: 0x01)
    static let slow = ContinuousFlags(rawValue: 0x02)
    static let measurementStatus = ContinuousFlags(rawValue: 0x04)
    static let deviceStatus = ContinuousFlags(rawValue: 0x08)
    static let amplitude = ContinuousFlags(rawValue: 0x10)
    static let reserved = ContinuousFlags(rawValue: 0xe0)
  }

  private func decodeContinuous(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let flags = ContinuousFlags(rawValue: try cursor.uint8(value))
    var reading = Reading()
    try reading.add(.spo2Pct, .pulseBpm, value, &cursor, into: &batch)
    if flags.contains(.fast) { try reading.add(.spo2FastPct, .pulseFastBpm, value, &cursor, into: &batch) }
    if flags.contains(.slow) { try reading.add(.spo2SlowPct, .pulseSlowBpm, value, &cursor, into: &batch) }
    if flags.contains(.measurementStatus) { reading.add(.measurementStatus, try cursor.uint16(value), into: &batch) }
    if flags.contains(.deviceStatus) { reading.add(.deviceStatus, try cursor.uint24(value), into: &batch) }
    if flags.contains(.amplitude) {
      reading.add(.pulseAmplitudeIndexPct, try cursor.medicalFloat(value), into: &batch)
    }
    // A reserved flag may announce fields that are not defined yet.
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }
  }

  /// Begins the sample with the first known number, so that a packet without any yields no sample.
  private struct Reading {
    private(set) var hasBegun = false

    mutating func add(_ field: Field, _ number: Double?, into batch: inout Batch) {
      guard let number else { return }
      if !hasBegun { batch.sample(.oxygen) }
      hasBegun = true
      batch.set(field, number)
    }

    mutating func add(_ field: Field, _ number: some BinaryInteger, into batch: inout Batch) {
      add(field, Double(number), into: &batch)
    }

    mutating func add(
      _ saturation: Field, _ pulse: Field, _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
    ) throws(DecodeError) {
      add(saturation, try cursor.medicalFloat(value), into: &batch)
      add(pulse, try cursor.medicalFloat(value), into: &batch)
    }
  }
}

// MARK: 2A5E, spot check

extension PulseOximeterPlugin {
  private struct SpotCheckFlags: OptionSet {
    let rawValue: UInt8
    static let timestamp = SpotCheckFlags(rawValue: 0x01)
    static let measurementStatus = SpotCheckFlags(rawValue: 0x02)
    static let deviceStatus = SpotCheckFlags(rawValue: 0x04)
    static let amplitude = SpotCheckFlags(rawValue: 0x08)
    static let clockNotSet = SpotCheckFlags(rawValue: 0x10)
    static let reserved = SpotCheckFlags(rawValue: 0xe0)
  }

  private func decodeSpotCheck(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let flags = SpotCheckFlags(rawValue: try cursor.uint8(value))
    var reading = Reading()
    try reading.add(.spo2Pct, .pulseBpm, value, &cursor, into: &batch)
    let timestamp = flags.contains(.timestamp) ? try DateTime(value, &cursor) : nil
    if flags.contains(.measurementStatus) { reading.add(.measurementStatus, try cursor.uint16(value), into: &batch) }
    if flags.contains(.deviceStatus) { reading.add(.deviceStatus, try cursor.uint24(value), into: &batch) }
    if flags.contains(.amplitude) {
      reading.add(.pulseAmplitudeIndexPct, try cursor.medicalFloat(value), into: &batch)
    }
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }
    try timestamp?.check()
    guard reading.hasBegun else { return }
    if let timestamp, timestamp.isKnown { batch.set(.timestamp, text: timestamp.text.span) }
    batch.set(.deviceClockSet, !flags.contains(.clockNotSet))
  }
}

// MARK: 2A60, features

extension PulseOximeterPlugin {
  /// Bit masks: what the device measures and, optionally, which bits of the status words it uses.
  private func decodeFeatures(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let features = try cursor.uint16(value)
    batch.fact(Field("oximeter_features"), Double(features))
    if features & 0x01 != 0 { batch.fact(Field("measurement_status_support"), Double(try cursor.uint16(value))) }
    if features & 0x02 != 0 { batch.fact(Field("device_status_support"), Double(try cursor.uint24(value))) }
    if features & 0xff00 == 0 { try cursor.finish(value) }
  }
}
