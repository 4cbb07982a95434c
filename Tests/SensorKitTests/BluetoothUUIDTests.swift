// Short and long names of the same thing are equal; what is no UUID is none.

import SensorKit
import Testing

@Suite struct BluetoothUUIDTests {
  static let heartRate = BluetoothUUID(0x180d)

  @Test(arguments: [
    "180d", "180D", "0000180d", "0000180d-0000-1000-8000-00805f9b34fb", "0000180D00001000800000805F9B34FB",
  ])
  func everySpellingIsTheSame(_ text: String) {
    #expect(BluetoothUUID(text) == Self.heartRate)
  }

  @Test(arguments: ["", "180", "180d0", "180g", "0000180d-0000-1000-8000-00805f9b34fb0", "-", "18 0d"])
  func otherTextIsNone(_ text: String) {
    #expect(BluetoothUUID(text) == nil)
  }

  @Test func aShortOneIsWrittenShort() {
    #expect(Self.heartRate.description == "180d" && Self.heartRate.short == 0x180d)
    #expect(Self.heartRate.text == "0000180d-0000-1000-8000-00805f9b34fb")
    #expect(BluetoothUUID(0x003f).description == "003f")
  }

  @Test func aMakersOwnIsWrittenInFull() {
    let text = "6a4e3203-667b-11e3-949a-0800200c9a66"
    #expect(BluetoothUUID(text)?.description == text && BluetoothUUID(text)?.short == nil)
    #expect(BluetoothUUID(0x1234_5678).description == "12345678-0000-1000-8000-00805f9b34fb")
  }
}
