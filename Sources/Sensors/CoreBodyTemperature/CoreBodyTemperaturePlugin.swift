// CORE, which estimates the core temperature of the body, with the maker's own service. The decoder
// has no state. The layout comes from the maker's document alone, without captures of a real
// sensor, so only the measurement is decoded. The quality is published with the values, which are
// worth showing from `fair` on.
//
// Its advertisement (company 0xF60B: version, status, core temperature) identifies it but is not
// published, because no document says which status makes the temperature valid. Older units have an
// undocumented service (0x4200). The control point, which lists heart-rate straps, is not used.

public import SensorKit

public struct CoreBodyTemperaturePlugin: SensorPlugin {
  private static let service = BluetoothUUID(maker: "00002100-5b1e-4347-b07c-97b514dae121")
  private static let measurement = BluetoothUUID(maker: "00002101-5b1e-4347-b07c-97b514dae121")
  private static let bodyTemperature = SampleKind("body_temperature")

  public static let info = SensorInfo(
    id: "core_body_temperature", title: "CORE body temperature", services: [service],
    adverts: [AdvertPattern(.manufacturer(0xf60b))],
    characteristics: [.subscribed(measurement, of: service)],
    kinds: [bodyTemperature, .heartRate],
    silence: Silence(staleAfter: .seconds(10), reconnectAfter: .seconds(30)))

  public init(settings: SensorSettings) {}

  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let skin = Flags(rawValue: 0x01)
    static let reservedField = Flags(rawValue: 0x02)
    static let quality = Flags(rawValue: 0x04)
    static let fahrenheit = Flags(rawValue: 0x08)
    static let heartRate = Flags(rawValue: 0x10)
    static let heatStrain = Flags(rawValue: 0x20)
    static let reserved = Flags(rawValue: 0xc0)
  }

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    guard source.characteristic == Self.measurement else { return }
    var cursor = ByteCursor()
    let flags = Flags(rawValue: try cursor.uint8(value))
    let core = celsius(try cursor.int16(value), flags)
    let skin = flags.contains(.skin) ? celsius(try cursor.int16(value), flags) : nil
    if flags.contains(.reservedField) { _ = try cursor.skip(2, in: value) }
    let quality = flags.contains(.quality) ? try cursor.uint8(value) : nil
    let bpm = flags.contains(.heartRate) ? try cursor.uint8(value) : 0
    // The document limits the index to 25.4, so 0xFF means unknown.
    let strain = flags.contains(.heatStrain) ? try cursor.uint8(value) : .max
    // A reserved flag may announce fields that are not defined yet.
    if flags.isDisjoint(with: .reserved) { try cursor.finish(value) }

    if core != nil || skin != nil || quality != nil || strain != .max {
      batch.sample(Self.bodyTemperature)
      if let core { batch.set(Field("core_temperature_c"), core) }
      if let skin { batch.set(Field("skin_temperature_c"), skin) }
      if let quality { Self.setQuality(quality, into: &batch) }
      if strain != .max { batch.set(Field("heat_strain_index"), Double(strain) / 10) }
    }
    // The heart rate of a strap connected to CORE; 0 without one.
    if bpm != 0 {
      batch.sample(.heartRate)
      batch.set(.bpm, bpm)
    }
  }

  /// 0x7FFF means unknown.
  private func celsius(_ hundredths: Int16, _ flags: Flags) -> Double? {
    guard hundredths != .max else { return nil }
    let degrees = Double(hundredths) / 100
    return flags.contains(.fahrenheit) ? (degrees - 32) * 5 / 9 : degrees
  }

  /// Bits 2-0 are the quality of the estimate, bits 5-4 the state of the heart rate.
  private static func setQuality(_ byte: UInt8, into batch: inout Batch) {
    let quality: InlineArray<8, Word> = ["invalid", "poor", "fair", "good", "excellent", "", "", "unavailable"]
    let heartRate: InlineArray<4, Word> = [
      "heart_rate_not_supported", "heart_rate_not_received", "heart_rate_received", "unavailable",
    ]
    let word = quality[Int(byte & 0x07)]
    if !word.isEmpty { batch.set(Field("quality"), word) }
    batch.set(Field("heart_rate_state"), heartRate[Int(byte >> 4 & 0x03)])
  }
}
