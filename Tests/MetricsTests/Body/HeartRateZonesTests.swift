// Heart rate zones, and the time in each.

import Testing
import Time

@testable import Metrics

@Suite struct HeartRateZonesTests {
  static func zones(_ change: (inout Rider) -> Void) -> HeartRateZones? {
    var rider = Rider()
    change(&rider)
    return HeartRateZones(rider)
  }

  @Test("zones come from the rider's own bounds, else the threshold, else the maximum")
  func bounds() throws {
    #expect(Self.zones { _ in } == nil)
    let maximum = try #require(Self.zones { $0.maxBpm = 200 })
    #expect(maximum.floors == [100, 120, 140, 160, 180])
    let threshold = try #require(Self.zones { ($0.maxBpm, $0.thresholdBpm) = (200, 100) })
    #expect(threshold.floors == [0, 81, 90, 94, 100])
    let own = try #require(Self.zones { ($0.thresholdBpm, $0.zoneFloorsBpm) = (170, [110, 150]) })
    #expect(own.floors == [110, 150])
  }

  @Test(
    "a rate belongs to the highest zone whose floor it reaches",
    arguments: [
      (40, 0), (99.9, 0), (100, 1), (119.9, 1), (120, 2), (140, 3), (160, 4), (180, 5), (230, 5), (0, nil), (251, nil),
      (.nan, nil), (-Double.infinity, nil),
    ] as [(Double, Int?)])
  func zoneOfRate(_ row: (bpm: Double, zone: Int?)) throws {
    let zones = try #require(Self.zones { $0.maxBpm = 200 })
    #expect(zones.zone(of: row.bpm) == row.zone)
  }

  private static func second(_ number: Double) -> MonotonicTime { MonotonicTime(seconds: 1000 + number) }

  private func times(_ values: [(Double, Double)], sourceLocation: SourceLocation = #_sourceLocation) throws
    -> TimeInZones
  {
    var times = TimeInZones(try #require(Self.zones { $0.maxBpm = 200 }, sourceLocation: sourceLocation))
    for (second, bpm) in values { times.add(bpm: bpm, at: Self.second(second)) }
    return times
  }

  @Test("a value holds until the next one")
  func heldValue() throws {
    let times = try times([(0, 90), (1, 110), (3, 130), (3.5, 185), (5.5, 90)])
    #expect(times.saved.seconds == [1, 2, 0.5, 0, 0, 2])
    #expect(times.seconds(in: 0) == 1)
    #expect(times.seconds(in: 5) == 2)
    #expect(times.zone == 0)
  }

  @Test("a silence counts in no zone")
  func silence() throws {
    let times = try times([(0, 110), (5, 110), (10.1, 110), (11, 110)])
    #expect(abs(times.seconds(in: 1) - 5.9) < 1e-9)
  }

  @Test("invalid rates and past times change nothing")
  func invalidRates() throws {
    let clean = try times([(0, 110), (1, 130), (2, 130)])
    #expect(try times([(0, 110), (0.5, .nan), (0.6, 0), (1, 130), (0.2, 180), (1.2, 1e9), (2, 130)]) == clean)
  }

  @Test("a pause counts in no zone")
  func pause() throws {
    var times = try times([(0, 110), (1, 110)])
    times.interrupt()
    #expect(times.zone == nil)
    times.add(bpm: 110, at: Self.second(3))
    times.add(bpm: 110, at: Self.second(4))
    #expect(times.seconds(in: 1) == 2)
  }

  @Test("saved times continue only in the same zones")
  func savedTimes() throws {
    let saved = try times([(0, 110), (1, 110)]).saved
    let zones = try #require(Self.zones { $0.maxBpm = 200 })
    #expect(TimeInZones(zones, saved: saved).seconds(in: 1) == 1)
    let others = try #require(Self.zones { $0.maxBpm = 190 })
    #expect(TimeInZones(others, saved: saved).seconds(in: 1) == 0)
    var damaged = saved
    damaged.seconds[1] = .nan
    #expect(TimeInZones(zones, saved: damaged).seconds(in: 1) == 0)
    damaged.seconds = [1]
    #expect(TimeInZones(zones, saved: damaged).seconds(in: 1) == 0)
  }

  /// One value per second for a day.
  @Test("the times of a day add up")
  func day() throws {
    let times = try times((0...86_400).map { (Double($0), 60 + Double($0 % 140)) })
    #expect(abs(times.saved.seconds.reduce(0, +) - 86_400) < 1e-6)
  }
}
