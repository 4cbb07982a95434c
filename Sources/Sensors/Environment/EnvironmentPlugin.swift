// Environmental Sensing Service, 0x181A: weather around the rider. Each characteristic yields an
// `environment` sample with its own field.
//
// A sensor that the user assigned to a wheel measures a tire. Its pressure is then also published
// as tire pressure. 0x2A6D only has absolute pressure. No such product is known.
//
// There are no captures of real devices, so the layouts follow the specification. Several instances
// of a characteristic (inside, outside) cannot be told apart, because their descriptors (0x290C)
// are not read. Some sensors only notify on a change, so silence is normal.

public import SensorKit

public struct EnvironmentPlugin: SensorPlugin {
  private enum UUID {
    static let service = BluetoothUUID(0x181a)
    static let elevation = BluetoothUUID(0x2a6c)
    static let pressure = BluetoothUUID(0x2a6d)
    static let temperature = BluetoothUUID(0x2a6e)
    static let humidity = BluetoothUUID(0x2a6f)
  }

  private static let environment = SampleKind("environment")
  private static let standardAtmospherePa = 101_325.0

  public static let info = SensorInfo(
    id: "environment", title: "Environment", services: [UUID.service],
    characteristics: [UUID.temperature, UUID.humidity, UUID.pressure, UUID.elevation].map {
      .readAndSubscribed($0, of: UUID.service)
    },
    kinds: [environment, .tirePressure], silence: .unlimited)

  private var wheel: Word?

  public init(settings: SensorSettings) {
    settingsChanged(settings)
  }

  public mutating func settingsChanged(_ settings: SensorSettings) {
    wheel = settings.role?.wheel
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    switch source.characteristic {
    case UUID.temperature: try decodeTemperature(value, &cursor, into: &batch)
    case UUID.humidity: try decodeHumidity(value, &cursor, into: &batch)
    case UUID.pressure: try decodePressure(value, &cursor, into: &batch)
    default: try decodeElevation(value, &cursor, into: &batch)
    }
  }
}

// MARK: Characteristics

extension EnvironmentPlugin {
  /// In hundredths of a degree; 0x8000 means unknown.
  @inline(__always)
  private func decodeTemperature(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    let hundredths = try cursor.int16(value)
    try cursor.finish(value)
    guard hundredths != .min else { return }
    guard hundredths >= -27_315 else { throw DecodeError(.outOfRange, at: 0) }
    batch.sample(Self.environment)
    batch.set(Field("temperature_c"), Double(hundredths) / 100)
  }

  /// In hundredths of a percent; 0xFFFF means unknown.
  @inline(__always)
  private func decodeHumidity(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    let hundredths = try cursor.uint16(value)
    try cursor.finish(value)
    guard hundredths != .max else { return }
    guard hundredths <= 10_000 else { throw DecodeError(.outOfRange, at: 0) }
    batch.sample(Self.environment)
    batch.set(Field("humidity_pct"), Double(hundredths) / 100)
  }

  /// Absolute, in tenths of a pascal.
  @inline(__always)
  private func decodePressure(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    let pascals = Double(try cursor.uint32(value)) / 10
    try cursor.finish(value)
    batch.sample(Self.environment)
    batch.set(Field("pressure_pa"), pascals)
    guard let wheel else { return }
    batch.sample(.tirePressure)
    batch.set(Field("pressure_gauge_pa"), pascals - Self.standardAtmospherePa)
    batch.set(Field("pressure_absolute_pa"), pascals)
    batch.set(Field("wheel"), wheel)
  }

  /// Three bytes, in hundredths of a metre.
  @inline(__always)
  private func decodeElevation(
    _ value: Span<UInt8>, _ cursor: inout ByteCursor, into batch: inout Batch
  ) throws(DecodeError) {
    let hundredths = Int32(bitPattern: try cursor.uint24(value) << 8) >> 8
    try cursor.finish(value)
    batch.sample(Self.environment)
    batch.set(Field("elevation_m"), Double(hundredths) / 100)
  }
}
