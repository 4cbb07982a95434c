// Caps named BR, for the SYTPMS application. They have no company id. The first two of their seven
// bytes, status and battery, are in its place and keep changing, so only name and service identify
// them. Pressure is absolute. The two check bytes at the end are ignored, because the radio has its
// own check.

import SensorKit

enum NamelessCap {
  static let advert = AdvertPattern(.anyManufacturer, name: "BR", service: BluetoothUUID(0x27a5))

  private static let pascalsOfStep = 689.475_729_316_8  // a tenth of a pound per square inch
  private static let stepsOfAtmosphere = 145.0
  private static let tenthsOfVolt: ClosedRange<UInt8> = 15...40
  private static let lowestDegrees: Int8 = -50
  private static let highestSteps: UInt16 = 2000

  static func decode(_ value: Span<UInt8>, company: UInt16, into batch: inout Batch) throws(DecodeError) {
    let status = UInt8(truncatingIfNeeded: company)
    let battery = UInt8(truncatingIfNeeded: company >> 8)
    var cursor = ByteCursor()
    let degrees = try cursor.int8(value)
    let steps = try cursor.uint16(value).byteSwapped
    _ = try cursor.skip(2, in: value)
    try cursor.finish(value)
    guard tenthsOfVolt.contains(battery) else { throw DecodeError(.outOfRange, at: 0) }
    guard degrees >= lowestDegrees else { throw DecodeError(.outOfRange, at: 0) }
    guard steps <= highestSteps else { throw DecodeError(.outOfRange, at: 1) }

    batch.sample(.tirePressure)
    batch.set([
      (Field("pressure_gauge_pa"), (Double(steps) - stepsOfAtmosphere) * pascalsOfStep),
      (Field("pressure_absolute_pa"), Double(steps) * pascalsOfStep), (Field("temperature_c"), Double(degrees)),
      (Field("battery_v"), Double(battery) / 10), (Field("status_raw"), Double(status)),
    ])
  }
}
