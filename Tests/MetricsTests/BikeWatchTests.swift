// Recognizing the current bike from the sensors that are awake.

import SensorKit
import Testing
import Time
import Vocabulary

@testable import Metrics

private func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(seconds: 7000 + seconds) }

struct BikeWatchTests {
  private static let gap = 3 * 3600.0
  /// Sensors 0 and 1 belong to bike 0, 2 and 3 to bike 1, 4 to both and 5 to neither.
  private static let owners = [[0], [0], [1], [1], [0, 1], []]

  private func watch(_ current: Int? = nil) -> BikeWatch {
    var watch = BikeWatch()
    watch.set(bikes: 2, owners: Self.owners, current: current)
    return watch
  }

  /// Records a packet of each sensor every second; returns the changes of the current bike.
  private func record(
    _ sensors: [Int], _ watch: inout BikeWatch, from start: Int, to end: Int
  ) -> [(second: Int, bike: Int?)] {
    var changes: [(second: Int, bike: Int?)] = []
    for second in start..<end {
      for sensor in sensors where watch.record(sensor, at: time(Double(second)), forgottenAfter: Self.gap) {
        changes.append((second, watch.current))
      }
    }
    return changes
  }

  @Test(
    "the current bike is the one with most of its own sensors awake",
    arguments: [([0], 0), ([2], 1), ([0, 4], 0), ([2, 3, 4, 5], 1), ([0, 1, 2], 0)])
  func mostOwnSensors(sensors: [Int], bike: Int) {
    var watch = watch()
    let changes = record(sensors, &watch, from: 0, to: 60)
    #expect(changes.map(\.bike) == [bike] && changes.map(\.second) == [5])
  }

  @Test("shared sensors and ties identify no bike", arguments: [[4], [5], [4, 5], [0, 2], [0, 1, 2, 3, 4]])
  func sharedSensorsAndTies(sensors: [Int]) {
    var watch = watch()
    let changes = record(sensors, &watch, from: 0, to: 600)
    #expect(changes.isEmpty && watch.current == nil)
  }

  @Test("a dropout does not change the bike")
  func dropout() {
    var watch = watch()
    _ = record([0, 1, 2], &watch, from: 0, to: 20)
    for start in stride(from: 20, to: 2000, by: 40) {
      watch.lost(0)
      watch.lost(1)
      #expect(record([2], &watch, from: start, to: start + 4).isEmpty, "the other is awake, and alone for 4 s")
      #expect(record([0, 1, 2], &watch, from: start + 4, to: start + 40).isEmpty)
    }
    #expect(watch.current == 0)
  }

  @Test("of two awake bikes, the one with more sensors is current after a minute")
  func twoAwakeBikes() {
    var watch = watch()
    _ = record([0], &watch, from: 0, to: 20)
    let changes = record([0, 2, 3], &watch, from: 20, to: 100)
    #expect(changes.map(\.second) == [80] && watch.current == 1)
  }

  @Test("a change of bike is detected soon after the other one falls asleep")
  func changeOfBike() {
    var watch = watch()
    _ = record([0, 1], &watch, from: 0, to: 20)
    watch.lost(0)
    watch.lost(1)
    #expect(record([4], &watch, from: 100, to: 130).isEmpty && watch.current == 0)
    let changes = record([2], &watch, from: 130, to: 150)
    #expect(changes.map(\.second) == [135])
  }

  @Test("a bike whose sensors were silent for long is unknown")
  func silentBike() {
    var watch = watch()
    _ = record([0], &watch, from: 0, to: 20)
    watch.lost(0)
    #expect(watch.current(at: time(19 + Self.gap), forgottenAfter: Self.gap) == 0)
    #expect(watch.current(at: time(20.5 + Self.gap), forgottenAfter: Self.gap) == nil)
    #expect(watch.current == nil)
    // The watch was not asked in between, so the bike is published again.
    var other = self.watch()
    _ = record([0], &other, from: 0, to: 20)
    other.lost(0)
    #expect(record([0], &other, from: 20_000, to: 20_010).map(\.bike) == [0])
  }

  @Test("a changed list of bikes applies at once")
  func changedBikes() {
    var watch = watch()
    _ = record([0, 1], &watch, from: 0, to: 20)
    // The other bike now has the same sensors.
    watch.set(bikes: 2, owners: [[0, 1], [0, 1], [1], [1], [0, 1], []], current: 0)
    #expect(record([0, 1, 2], &watch, from: 20, to: 40).map(\.bike) == [1])
    watch.set(bikes: 0, owners: Self.owners.map { _ in [] }, current: nil)
    #expect(record([0, 1, 2], &watch, from: 40, to: 80).isEmpty && watch.current == nil)
  }

  @Test("a heart rate strap does not identify a bike")
  func heartRateStrap() {
    for kind in [SampleKind.heartRate, .battery, SampleKind("hrv"), SampleKind("environment")] {
      #expect(!BikeWatch.isProof(kind))
    }
    for kind in [SampleKind.speed, .cadence, .power, .radar, .tirePressure, SampleKind("trainer")] {
      #expect(BikeWatch.isProof(kind))
    }
  }
}

struct BikeDeadlineTests {
  @Test("the watch knows when a silent bike becomes unknown")
  func timeOfForgetting() throws {
    var watch = BikeWatch()
    watch.set(bikes: 1, owners: [[0]], current: nil)
    for second in 0...6 { _ = watch.record(0, at: time(Double(second)), forgottenAfter: 60) }
    #expect(watch.current == 0 && watch.forgetting(after: 60) == nil, "it is awake")
    watch.lost(0)
    let deadline = try #require(watch.forgetting(after: 60))
    let before = watch.current(at: time(66), forgottenAfter: 60)
    let after = watch.current(at: deadline, forgottenAfter: 60)
    #expect(before == 0 && after == nil && deadline.seconds(since: time(66)) < 0.01)
    #expect(watch.forgetting(after: 60) == nil)
  }
}

struct RideBikeTests {
  /// What is published about the bike while a strap and a wheel each send once per second.
  private func said(by metrics: inout RideMetrics, _ seconds: Range<Int>) -> (samples: Int, events: [String]) {
    var (samples, events) = (0, [String]())
    let (strap, wheel) = (metrics.register(.init(id: "strap")), metrics.register(.init(id: "wheel")))
    for second in seconds {
      var batch = Batch()
      batch.sample(.heartRate)
      batch.set(.bpm, 120)
      batch.sample(.speed)
      batch.set(.speedMps, 8)
      var out = Batch()
      for (index, source) in zip(batch.entryIndices, [strap, wheel]) {
        metrics.add(batch.entry(index), of: batch, from: source, at: time(Double(second)), into: &out)
      }
      metrics.tick(at: time(Double(second)), into: &out)
      for index in out.entryIndices {
        let entry = out.entry(index)
        switch entry.kind {
        case .sample(.bike): samples += 1
        case .event(Word.bikeChanged): events.append(out.text(Field("name"), of: entry))
        default: break
        }
      }
    }
    return (samples, events)
  }

  @Test("the bike is published at once and then once per second")
  func bikePublished() {
    var (road, gravel) = (Bike(name: "Road"), Bike(name: "Gravel"))
    (road.sensors, gravel.sensors) = (["wheel", "strap"], ["other", "strap"])
    var metrics = RideMetrics()
    metrics.apply([gravel, road], at: time(0))
    let (samples, events) = said(by: &metrics, 0..<15)
    #expect(events == ["Road"] && samples == 11, "at once, and with each of ten ticks")
    #expect(metrics.currentBike(at: time(15)) == 1)
    // A renamed bike is published again.
    road.name = "Race"
    metrics.apply([road, gravel], at: time(15))
    #expect(metrics.currentBike(at: time(15)) == nil)
    #expect(said(by: &metrics, 15..<30).events == ["Race"])
    metrics.apply([], at: time(30))
    #expect(said(by: &metrics, 30..<45) == (0, []))
  }
}

extension Batch {
  fileprivate func text(_ wanted: Field, of entry: Entry) -> String {
    for index in entry.fields where field(index).field == wanted {
      if case .text(let range) = field(index).value { return String(decoding: text(range), as: UTF8.self) }
    }
    return ""
  }
}
