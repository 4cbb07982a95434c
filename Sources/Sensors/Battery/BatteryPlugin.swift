// Battery Service, 0x180F: the charge of any sensor that has it. BlueZ claims the service and
// offers its value as a property, which arrives here as a read of the characteristic. The charge
// may not change for an hour, so silence is normal.

public import SensorKit

public struct BatteryPlugin: SensorPlugin {
  private static let service = BluetoothUUID(0x180f)
  private static let level = BluetoothUUID(0x2a19)

  public static let info = SensorInfo(
    id: "battery", title: "Battery", services: [service],
    characteristics: [.readAndSubscribed(level, of: service)],
    kinds: [.battery], silence: .unlimited, isCompanion: true)

  public init(settings: SensorSettings) {}

  @inline(__always)
  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    let percent = try cursor.uint8(value)
    try cursor.finish(value)
    guard percent <= 100 else { throw DecodeError(.outOfRange, at: 0) }
    batch.sample(.battery)
    batch.set(.batteryPct, percent)
  }
}
