// Events of a wheel sensor that counts wrongly, and of a wrong wheel size.

import SensorKit
import Testing
import Vocabulary

@testable import Metrics

struct WheelEventTests {
  /// The true circumference is 2.1 m.
  @Test(
    "each fault of a wheel sensor is reported",
    arguments: [
      (2.1, WheelSensor(missesEvery: 15), "wheel_misses_turns", "missed_pct", 100.0 / 15, 1.0),
      (2.4, WheelSensor(), "wheel_disagrees", "circumference_mm", 2100, 10),
      (2.1, WheelSensor(hasTwoMagnets: true), "wheel_counts_double", nil, 0, 0),
      (2.1, WheelSensor(missesEvery: 2), "wheel_counts_half", nil, 0, 0),
    ] as [(Double, WheelSensor, String, String?, Double, Double)])
  func faults(
    said: Double, wheel: WheelSensor, name: String, field: String?, number: Double, tolerance: Double
  ) throws {
    let told = ride(said: said, wheel)
    let words = try #require(told.first).split(separator: " ")
    #expect(words.first == name[...] && words.last == "sensor=wheel", "\(told)")
    guard let field else { return }
    let parts = words[1].split(separator: "=")
    #expect(parts[0] == field[...])
    let value = try #require(Double(parts[1]))
    #expect(abs(value - number) <= tolerance, "\(value)")
  }

  private func ride(said: Double, _ wheel: WheelSensor) -> [String] {
    var road = RoadSimulator([(.open, 1_000...1_000)], wheel: wheel, seed: 1)
    var metrics = RideMetrics()
    let source = metrics.register(RideSensor(id: "wheel", circumferenceM: said))
    var packet = Batch()
    var out = Batch()
    var told: [String] = []
    while road.metres < 8_000 {
      road.advance { reception in
        out.removeAll()
        switch reception {
        case .wheel(let turns, let rate, let time):
          packet.removeAll()
          packet.sample(.speed)
          packet.set(.wheelRevs, turns)
          if let rate, let size = metrics.circumferenceM(of: source) { packet.set(.speedMps, rate * size) }
          metrics.add(packet.entry(0), of: packet, from: source, at: time, into: &out)
        case .fix(let fix):
          metrics.add(fix, into: &out)
        }
        told += describedEvents(of: out)
      }
    }
    return told
  }
}
