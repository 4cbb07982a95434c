// Moxy, which measures muscle oxygen, with the maker's own service. The layout has a single source:
// frames captured from one device and read by one program. The last byte was always 0 and is
// ignored, and the control and device characteristics are not used. The device sends numbers out of
// range when it has no value.

public import SensorKit

public struct MoxyPlugin: SensorPlugin {
  private static let service = BluetoothUUID(maker: "6404d801-4cb9-11e8-b566-0800200c9a66")
  private static let data = BluetoothUUID(maker: "6404d804-4cb9-11e8-b566-0800200c9a66")
  private static let muscleOxygen = SampleKind("muscle_oxygen")

  public static let info = SensorInfo(
    id: "moxy", title: "Moxy muscle oxygen", services: [service],
    characteristics: [.subscribed(data, of: service)],
    kinds: [muscleOxygen], silence: Silence(staleAfter: .seconds(10), reconnectAfter: .seconds(30)))

  public init(settings: SensorSettings) {}

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    let messages = try cursor.uint16(value)
    let saturation = try cursor.uint16(value)
    let previousSaturation = try cursor.uint16(value)
    let haemoglobin = try cursor.uint16(value)
    _ = try cursor.uint8(value)
    try cursor.finish(value)
    guard saturation <= 1000 else { throw DecodeError(.outOfRange, at: 2) }
    guard previousSaturation <= 1000 else { throw DecodeError(.outOfRange, at: 4) }
    guard haemoglobin <= 4000 else { throw DecodeError(.outOfRange, at: 6) }
    batch.sample(Self.muscleOxygen)
    batch.set([
      (Field("smo2_pct"), Double(saturation) / 10), (Field("thb_g_per_dl"), Double(haemoglobin) / 100),
      (Field("smo2_previous_pct"), Double(previousSaturation) / 10), (Field("message_count"), Double(messages)),
    ])
  }
}
