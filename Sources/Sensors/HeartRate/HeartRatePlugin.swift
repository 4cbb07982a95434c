// Heart Rate Service, 0x180D: straps and watches. The decoder has no state. RR intervals are
// published unsmoothed in milliseconds, as required for computing variability.

public import SensorKit

public struct HeartRatePlugin: SensorPlugin {
  private enum UUID {
    static let service = BluetoothUUID(0x180d)
    static let measurement = BluetoothUUID(0x2a37)
    static let bodyLocation = BluetoothUUID(0x2a38)
    static let controlPoint = BluetoothUUID(0x2a39)
  }

  private static let resetEnergy = CommandInfo("reset_energy", "Reset the energy counter to 0")

  public static let info = SensorInfo(
    id: "heart_rate", title: "Heart rate", services: [UUID.service],
    characteristics: [
      .subscribed(UUID.measurement, of: UUID.service),
      .read(UUID.bodyLocation, of: UUID.service),
      .written(UUID.controlPoint, of: UUID.service),
    ],
    kinds: [.heartRate], silence: Silence(staleAfter: .seconds(5), reconnectAfter: .seconds(15)),
    commands: [resetEnergy], writtenTo: UUID.controlPoint)

  public init(settings: SensorSettings) {}

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    if source.characteristic == UUID.bodyLocation {
      try decodeBodyLocation(value, into: &batch)
    } else {
      try decodeMeasurement(value, into: &batch)
    }
  }

  /// Resets the sensor's energy counter. The sensor sends no response, so the write itself counts
  /// as the answer.
  public mutating func command(
    _ command: Command, at time: MonotonicTime, into batch: inout Batch
  ) throws(CommandError) {
    guard command.name == Self.resetEnergy.name else { throw .notSupported }
    let reset: InlineArray<1, UInt8> = [0x01]
    batch.write(reset.span, to: UUID.service, UUID.controlPoint)
  }
}

// MARK: 2A37, Heart Rate Measurement

extension HeartRatePlugin {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let wideRate = Flags(rawValue: 0x01)
    static let contactDetected = Flags(rawValue: 0x02)
    static let contactSupported = Flags(rawValue: 0x04)
    static let energy = Flags(rawValue: 0x08)
    static let intervals = Flags(rawValue: 0x10)
    static let reserved = Flags(rawValue: 0xe0)
  }

  @inline(__always)
  private func decodeMeasurement(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let flags = Flags(rawValue: try cursor.uint8(value))
    let bpm = flags.contains(.wideRate) ? try cursor.uint16(value) : UInt16(try cursor.uint8(value))
    let kilojoules = flags.contains(.energy) ? try cursor.uint16(value) : nil
    let hasIntervals = flags.contains(.intervals) && cursor.remaining(value) > 0

    // A rate of 0 means that the sensor is still searching. Measured intervals are published
    // anyway.
    let saysSomething = bpm != 0 || hasIntervals
    if saysSomething {
      batch.sample(.heartRate)
      if bpm != 0 { batch.set(.bpm, bpm) }
      batch.beginNumbers(.rrMs)
    }
    if flags.contains(.intervals) {
      while cursor.remaining(value) > 0 {
        batch.append(Double(try cursor.uint16(value)) * 1000 / 1024)
      }
    }
    // A reserved flag may announce fields that are not defined yet.
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }
    guard saysSomething else { return }
    if flags.contains(.contactSupported) {
      batch.set(.sensorContact, flags.contains(.contactDetected) ? "detected" : "not_detected")
    }
    if let kilojoules { batch.set(.energyExpendedJ, Int(kilojoules) * 1000) }
  }
}

// MARK: 2A38, Body Sensor Location

extension HeartRatePlugin {
  private static let locations: InlineArray<7, Word> = [
    "other", "chest", "wrist", "finger", "hand", "ear_lobe", "foot",
  ]

  private func decodeBodyLocation(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let location = Int(try cursor.uint8(value))
    try cursor.finish(value)
    guard location < Self.locations.count else { throw DecodeError(.reservedValue, at: 0) }
    batch.fact(.bodyLocation, Self.locations[location])
  }
}
