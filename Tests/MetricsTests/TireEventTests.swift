// Events of a tire other than low pressure, and the number that each one carries.

import SensorKit
import Testing
import Time
import Vocabulary

@testable import Metrics

struct TireEventTests {
  /// The events for one reading per minute of a tire with a target of 300 kPa.
  private func told(_ readings: [(gauge: Double, celsius: Double)]) -> [String] {
    var metrics = RideMetrics()
    var sensor = RideSensor(id: "cap")
    sensor.tire.targetPressurePa = 300_000
    let cap = metrics.register(sensor)
    var out = Batch()
    for (minute, reading) in readings.enumerated() {
      var packet = Batch()
      packet.sample(.tirePressure)
      packet.set(Field("pressure_gauge_pa"), reading.gauge)
      packet.set(Field("temperature_c"), reading.celsius)
      metrics.add(
        packet.entry(0), of: packet, from: cap, at: MonotonicTime(seconds: Double(minute) * 60), into: &out)
    }
    return describedEvents(of: out)
  }

  @Test("excess pressure is reported")
  func excessPressure() {
    #expect(told([(300_000, 20), (340_000, 20)]) == ["tire_high pressure_gauge_pa=340000.0 sensor=cap"])
  }

  @Test("a hot tire is reported")
  func hotTire() {
    #expect(told([(300_000, 20), (320_000, 80)]) == ["tire_hot temperature_c=80.0 sensor=cap"])
  }

  /// At 20 °C, the temperature for which a leak is computed.
  @Test("a leak is reported before the tire is soft")
  func leak() {
    let readings = (0..<55).map { (gauge: 300_000 - 500 * Double($0), celsius: 20.0) }
    #expect(told(readings) == ["tire_leak pascal_per_hour=-30000.0 sensor=cap"])
  }
}
