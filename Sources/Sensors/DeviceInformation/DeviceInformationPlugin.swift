// Device Information Service, 0x180A: manufacturer, model and versions. It is read once after
// connecting. Every part is optional, and all of it becomes facts.

public import SensorKit

public struct DeviceInformationPlugin: SensorPlugin {
  private static let service = BluetoothUUID(0x180a)
  private static let systemID = BluetoothUUID(0x2a23)
  private static let pnpID = BluetoothUUID(0x2a50)

  private static let texts: [(characteristic: BluetoothUUID, field: Field)] = [
    (BluetoothUUID(0x2a29), .manufacturer),
    (BluetoothUUID(0x2a24), .model),
    (BluetoothUUID(0x2a25), Field("serial")),
    (BluetoothUUID(0x2a26), Field("firmware")),
    (BluetoothUUID(0x2a27), Field("hardware")),
    (BluetoothUUID(0x2a28), Field("software")),
  ]

  public static let info = SensorInfo(
    id: "device_information", title: "Device information", services: [service],
    characteristics: (texts.map(\.characteristic) + [systemID, pnpID]).map { .read($0, of: service) },
    kinds: [], silence: .unlimited, isCompanion: true)

  public init(settings: SensorSettings) {}

  public mutating func decode(
    _ value: Span<UInt8>, from source: PacketSource, at time: MonotonicTime, into batch: inout Batch
  ) throws(DecodeError) {
    switch source.characteristic {
    case Self.systemID: try decodeSystemID(value, into: &batch)
    case Self.pnpID: try decodePnPID(value, into: &batch)
    case let characteristic:
      for text in Self.texts where text.characteristic == characteristic {
        try decodeText(value, as: text.field, into: &batch)
      }
    }
  }

  /// Some makers pad with NUL bytes. An empty text is omitted.
  private func decodeText(_ value: Span<UInt8>, as field: Field, into batch: inout Batch) throws(DecodeError) {
    var length = value.count
    while length > 0, value[length - 1] == 0 { length -= 1 }
    let text = value.extracting(0..<length)
    do { _ = try UTF8Span(validating: text) } catch {
      throw DecodeError(.badEncoding, at: error.byteOffsets.lowerBound)
    }
    if length > 0 { batch.fact(field, text: text) }
  }

  private func decodeSystemID(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let manufacturer = UInt64(try cursor.uint32(value)) | UInt64(try cursor.uint8(value)) << 32
    let organization = try cursor.uint24(value)
    try cursor.finish(value)
    batch.fact(Field("manufacturer_id"), Double(manufacturer))
    batch.fact(Field("organizationally_unique_id"), Double(organization))
  }

  private func decodePnPID(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let source = try cursor.uint8(value)
    let vendor = try cursor.uint16(value)
    let product = try cursor.uint16(value)
    let version = try cursor.uint16(value)
    try cursor.finish(value)
    guard 1...2 ~= source else { throw DecodeError(.reservedValue, at: 0) }
    batch.fact(Field("vendor_source"), source == 1 ? "bluetooth_sig" : "usb_if")
    batch.fact(Field("vendor_id"), Double(vendor))
    batch.fact(Field("product_id"), Double(product))
    batch.fact(Field("product_version"), Double(version))
  }
}
