// What the vectors of oximeters do not show: how long silence may last.

import SensorKit
import Sensors
import Testing

@Suite struct PulseOximeterTests {
  /// 97 % and 60 beats a minute.
  private static let reading: [UInt8] = [0x00, 0x61, 0x00, 0x3c, 0x00]

  @Test func onlyOneThatMeasuresAllTheTimeIsMissed() {
    let oximeter = CounterSensorTests.Sensor(BluetoothUUID(0x1822))
    #expect(oximeter.host.silence == .unlimited, "it may be one for spot checks")
    let spotCheck = oximeter.hear(0x2a5e, Self.reading, at: 1)
    #expect(spotCheck.first?.contains(#""spo2_pct":97"#) == true, "\(spotCheck)")
    #expect(oximeter.host.silence == .unlimited)
    let continuous = oximeter.hear(0x2a5f, Self.reading, at: 2)
    #expect(continuous.first?.contains(#""spo2_pct":97"#) == true, "\(continuous)")
    #expect(oximeter.host.silence == Silence(staleAfter: .seconds(5), reconnectAfter: .seconds(15)))
  }
}
