// Michelin's TMS sensors, with company 0x0828: a product byte, a frame type, temperature, voltage
// and an absolute pressure, whose position depends on the type. The tire (bytes 6 to 8, on which
// sources disagree), the state and the frame counter are not published.

import SensorKit

enum MichelinCap {
  static let company: UInt16 = 0x0828
  static let advert = AdvertPattern(.manufacturer(company))

  private static let product: UInt8 = 0x01
  private static let pascalsOfMillibar = 100.0
  private static let pascalsOfAtmosphere = 100_000.0

  /// The length of a frame, and the position of its pressure, if any.
  private struct Layout {
    let length: Int
    let pressure: Int?
    /// The end of the frame is undocumented.
    var isOpen = false

    init?(type: UInt8) {
      switch type {
      case 3, 4: (length, pressure) = (14, 4)
      case 0x0c: (length, pressure) = (17, 4)
      case 5: (length, pressure, isOpen) = (14, 12, true)
      case 2, 6: (length, pressure) = (12, nil)
      default: return nil
      }
    }
  }

  static func decode(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    guard try cursor.uint8(value) == product else { throw DecodeError(.notThisProtocol, at: 0) }
    guard let layout = Layout(type: try cursor.uint8(value)) else { throw DecodeError(.unknownFrame, at: 1) }
    let degrees = Int(try cursor.uint8(value)) - 60
    let volts = (Double(try cursor.uint8(value)) + 100) / 100
    var millibars: UInt16?
    if let place = layout.pressure {
      _ = try cursor.skip(place - cursor.offset, in: value)
      millibars = try cursor.uint16(value)
    }
    _ = try cursor.skip(layout.length - cursor.offset, in: value)
    if !layout.isOpen { try cursor.finish(value) }

    batch.sample(.tirePressure)
    if let millibars {
      let pascals = Double(millibars) * pascalsOfMillibar
      batch.set(Field("pressure_gauge_pa"), pascals - pascalsOfAtmosphere)
      batch.set(Field("pressure_absolute_pa"), pascals)
    }
    batch.set(Field("temperature_c"), degrees)
    batch.set(Field("battery_v"), volts)
  }
}
