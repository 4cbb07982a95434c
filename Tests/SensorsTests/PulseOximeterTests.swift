// How long an oximeter may be silent, which its vectors do not show.

import SensorKit
import Sensors
import Testing
import Vocabulary

@Suite struct PulseOximeterTests {
  /// 97 % and 60 bpm.
  private static let reading: [UInt8] = [0x00, 0x61, 0x00, 0x3c, 0x00]

  @Test("silence is unlimited until an oximeter measures continuously")
  func silence() {
    let oximeter = CounterSensorTests.Sensor(BluetoothUUID(0x1822))
    #expect(oximeter.host.silence == .unlimited, "it may be made for spot checks")
    let spotCheck = oximeter.receive(0x2a5e, Self.reading, at: 1)
    #expect(spotCheck.first?.contains(#""spo2_pct":97"#) == true, "\(spotCheck)")
    #expect(oximeter.host.silence == .unlimited)
    let continuous = oximeter.receive(0x2a5f, Self.reading, at: 2)
    #expect(continuous.first?.contains(#""spo2_pct":97"#) == true, "\(continuous)")
    #expect(oximeter.host.silence == Silence(staleAfter: .seconds(5), reconnectAfter: .seconds(15)))
  }
}
