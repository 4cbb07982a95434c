// Caps by WODHMIEY (ITPMS), with company 0x00AC: experimental. The meaning of bytes 3 to 5 and 8 is
// unknown. The last bytes are the cap's address in reverse, which must match the sender's.

import SensorKit

enum AddressedCap {
  static let company: UInt16 = 0x00ac
  static let advert = AdvertPattern(.manufacturer(company))

  static func decode(
    _ value: Span<UInt8>, from sender: Sender, into batch: inout Batch
  ) throws(DecodeError) {
    var cursor = ByteCursor()
    let volts = (Double(try cursor.uint8(value)) + 122) / 100
    let lowStep = try cursor.uint8(value)
    let degrees = Int(try cursor.uint8(value)) - 55
    _ = try cursor.skip(3, in: value)
    let highStep = try cursor.uint8(value)
    let hundredthsOfBar = try cursor.uint8(value)
    _ = try cursor.skip(1, in: value)
    let addressStart = try cursor.skip(6, in: value)
    try cursor.finish(value)
    let address = addressText(value.extracting(addressStart..<addressStart + 6))
    guard isAddress(address, of: sender) else { throw DecodeError(.notThisProtocol, at: addressStart) }

    batch.sample(.tirePressure)
    batch.set(Field("temperature_c"), degrees)
    batch.set(Field("battery_v"), volts)
    batch.set(Field("pressure_gauge_pa_variant_a"), (Double(hundredthsOfBar) - 2) / 103 * 100_000)
    batch.set(Field("pressure_pa_variant_b"), Double(UInt16(highStep) << 8 | UInt16(lowStep)) * 3_144)
    batch.set(Field("sensor_address"), text: address.span)
  }

  /// Whether the text is the sender's address, ignoring case. Matches if the sender has no address.
  private static func isAddress(_ text: InlineArray<17, UInt8>, of sender: Sender) -> Bool {
    var index = 0
    for byte in sender.address.utf8 {
      guard index < text.count, byte == text[index] || byte | 0x20 == text[index] else { return false }
      index += 1
    }
    return index == 0 || index == text.count
  }
}
