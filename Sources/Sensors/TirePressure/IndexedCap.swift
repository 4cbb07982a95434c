// Caps named TPMS1_xxxxxx, with company 0x0100. That id belongs to TomTom, so further bytes
// identify the caps. Pressure and temperature are signed: below zero degrees, or unscrewed on a day
// of high air pressure, they are negative.

import SensorKit

enum IndexedCap {
  private static let company: UInt16 = 0x0100
  private static let maker: InlineArray<2, UInt8> = [0xea, 0xca]
  private static let indexMark: UInt8 = 0x80
  private static let pressures: ClosedRange<Int32> = -40_000...2_000_000
  private static let hundredthsOfDegree: ClosedRange<Int32> = -6_000...15_000

  static let adverts = [
    AdvertPattern(.manufacturer(company), namePrefix: "TPMS"),
    AdvertPattern(.manufacturer(company), service: BluetoothUUID(0xfbb0)),
  ]

  static func decode(_ value: Span<UInt8>, into batch: inout Batch) throws(DecodeError) {
    var cursor = ByteCursor()
    let mark = try cursor.uint8(value)
    let makerStart = try cursor.skip(maker.count, in: value)
    let idStart = try cursor.skip(3, in: value)
    let pascals = try cursor.int32(value)
    let hundredths = try cursor.int32(value)
    let battery = try cursor.uint8(value)
    let alarm = try cursor.uint8(value)
    try cursor.finish(value)

    guard mark & 0xf8 == indexMark else { throw DecodeError(.notThisProtocol, at: 0) }
    for index in maker.indices where value[makerStart + index] != maker[index] {
      throw DecodeError(.notThisProtocol, at: makerStart + index)
    }
    guard pressures.contains(pascals) else { throw DecodeError(.outOfRange, at: 6) }
    guard hundredthsOfDegree.contains(hundredths) else { throw DecodeError(.outOfRange, at: 10) }
    guard battery <= 100 else { throw DecodeError(.outOfRange, at: 14) }

    batch.sample(.tirePressure)
    batch.set(Field("pressure_gauge_pa"), pascals)
    batch.set(Field("temperature_c"), Double(hundredths) / 100)
    batch.set(.batteryPct, battery)
    batch.set(Field("alarm"), alarm != 0)
    batch.set(Field("wheel_index"), mark - indexMark + 1)
    batch.set(Field("sensor_id"), hex: value.extracting(idStart..<idStart + 3))
  }
}
