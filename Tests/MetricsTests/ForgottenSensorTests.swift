// Sensors that are paired and forgotten again leave nothing behind in the ride.

import SensorKit
import Testing
import Time
import Vocabulary

@testable import Metrics

@Suite struct ForgottenSensorTests {
  @Test("3,000 sensors that are entered and forgotten take one place")
  func reusedPlace() {
    var metrics = RideMetrics()
    let kept = metrics.register(RideSensor(id: "kept"))
    for number in 0..<3000 {
      let source = metrics.register(RideSensor(id: "sensor-\(number)"))
      #expect(source != kept)
      metrics.leave(source)
    }
    #expect(metrics.sensors.ids.count == 2)
    #expect(metrics.heartRates.candidates.count == 2)
    #expect(metrics.register(RideSensor(id: "kept")) == kept)
  }

  @Test("a sensor in a reused place is published at once, under its own id")
  func emptyPlace() throws {
    var metrics = RideMetrics()
    let first = metrics.register(RideSensor(id: "first"))
    #expect(tellRate(100, of: first, at: 1, &metrics) == "first")
    #expect(tellRate(101, of: first, at: 1.1, &metrics) == nil, "once a second")
    metrics.leave(first)
    let second = metrics.register(RideSensor(id: "second"))
    #expect(second == first)
    #expect(tellRate(90, of: second, at: 1.2, &metrics) == "second")
  }

  /// The source of the ride's heart rate, if there is one.
  private func tellRate(
    _ bpm: Double, of source: RideMetrics.Source, at seconds: Double, _ metrics: inout RideMetrics
  ) -> String? {
    var batch = Batch()
    batch.sample(.heartRate)
    batch.set(.bpm, bpm)
    var out = Batch()
    let time = MonotonicTime(seconds: seconds)
    for index in batch.entryIndices { metrics.add(batch.entry(index), of: batch, from: source, at: time, into: &out) }
    for index in out.entryIndices {
      let entry = out.entry(index)
      guard case .sample(let kind) = entry.kind, kind == .heartRate else { continue }
      for field in entry.fields {
        if case .text(let range) = out.field(field).value { return String(decoding: out.text(range), as: UTF8.self) }
      }
    }
    return nil
  }
}
