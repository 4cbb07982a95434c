// Short and long forms of a UUID are equal.

import Testing
import Vocabulary

@Suite struct BluetoothUUIDTests {
  static let heartRate = BluetoothUUID(0x180d)

  @Test(
    "all forms of a UUID are equal",
    arguments: [
      "180d", "180D", "0000180d", "0000180d-0000-1000-8000-00805f9b34fb", "0000180D00001000800000805F9B34FB",
    ])
  func forms(_ text: String) {
    #expect(BluetoothUUID(text) == Self.heartRate)
  }

  @Test(
    "other text is not a UUID",
    arguments: ["", "180", "180d0", "180g", "0000180d-0000-1000-8000-00805f9b34fb0", "-", "18 0d"])
  func invalidText(_ text: String) {
    #expect(BluetoothUUID(text) == nil)
  }

  @Test("a UUID that has a short form is written in it")
  func shortForm() {
    #expect(Self.heartRate.description == "180d" && Self.heartRate.short == 0x180d)
    #expect(Self.heartRate.text == "0000180d-0000-1000-8000-00805f9b34fb")
    #expect(BluetoothUUID(0x003f).description == "003f")
  }

  @Test("any other UUID is written in full")
  func longForm() {
    let text = "6a4e3203-667b-11e3-949a-0800200c9a66"
    #expect(BluetoothUUID(text)?.description == text && BluetoothUUID(text)?.short == nil)
    #expect(BluetoothUUID(0x1234_5678).description == "12345678-0000-1000-8000-00805f9b34fb")
  }
}
