// Beginnings and ends of rides, their ids, and what they publish about pause, lap and sport.

import Testing
import Time
import Vocabulary

@testable import Metrics

extension TestRide {
  fileprivate mutating func roll(_ seconds: Int, at speed: Double = 8, from source: RideMetrics.Source? = nil) {
    for _ in 0..<seconds {
      say(speed: speed, over: 1, from: source ?? wheel)
      pass(1)
    }
  }

  fileprivate mutating func end() -> Bool {
    let time = now
    return metrics.endRide(at: time)
  }

  fileprivate var id: String? { words["ride"]?["ride_id"] }
}

@Suite struct RideEdgeTests {
  @Test("each ride has an id and a beginning of its own, which outlive a restart")
  func idsAreKept() {
    var ride = TestRide(ids: ["a", "b"])
    ride.roll(3)
    let begun = ride.metrics.undated
    #expect(begun == MonotonicTime(seconds: 10_000))
    ride.metrics.date("2026-11-21T09:15:02.417Z")
    ride.roll(2)
    let isDated = ride.metrics.undated == nil
    #expect(isDated && ride.id == "a" && ride.words["ride"]?["started"] == "2026-11-21T09:15:02.417Z")
    var resumed = TestRide(saved: ride.metrics.saved, lastMoved: ride.metrics.lastMoved, ids: ["b", "c"])
    resumed.roll(5)
    #expect(resumed.id == "a")
    let time = resumed.now
    resumed.metrics.beginRide(at: time)
    resumed.roll(5)
    #expect(resumed.id == "b")
  }

  @Test("a ride that begins after the gap gets another id")
  func idAfterTheGap() {
    var ride = TestRide(ids: ["a", "b", "c"])
    ride.roll(5)
    ride.pass(4 * 3600)
    ride.roll(5)
    #expect(ride.id == "b")
  }

  @Test("a ride that an earlier release saved gets an id, and no beginning")
  func savedWithoutAnID() {
    var ride = TestRide(lastMoved: MonotonicTime(seconds: 9_990), ids: ["a", "b"])
    ride.roll(5)
    #expect(ride.id == "a" && ride.words["ride"]?["started"] == nil)
  }

  @Test("nothing counts after a ride was ended, until the bike moves after a standstill")
  func ended() {
    var ride = TestRide(ids: ["a", "b", "c"])
    ride.roll(60)
    let distance = ride.value("ride", "distance_m")
    let (first, second) = (ride.end(), ride.end())
    #expect(first && !second, "the second time there is no ride to end")
    ride.roll(60)
    #expect(ride.value("ride", "distance_m") == distance && ride.id == "a", "it still rolls")
    ride.roll(20, at: 0)
    #expect(ride.value("ride", "distance_m") == distance && ride.id == "a", "it stands")
    ride.roll(10)
    #expect(ride.id == "b")
    #expect((ride.value("ride", "distance_m") ?? 999) < 90, "another ride counts from 0")
  }

  @Test("a ride that was ended stays so over a restart, and at a standstill the first movement begins another")
  func endedAndRestarted() {
    var ride = TestRide(ids: ["a", "b"])
    ride.roll(30)
    let hasEnded = ride.end()
    #expect(hasEnded)
    var later = TestRide(saved: ride.metrics.saved, lastMoved: ride.metrics.lastMoved, ids: ["b", "c"])
    later.pass(5)
    #expect(later.id == nil, "no ride is reported")
    later.roll(5)
    #expect(later.id == "b")
  }

  @Test("ride new begins a ride at once, also after an end while the bike rolls")
  func newAfterEnd() {
    var ride = TestRide(ids: ["a", "b", "c"])
    ride.roll(30)
    let hasEnded = ride.end()
    #expect(hasEnded)
    ride.roll(3)
    let time = ride.now
    ride.metrics.beginRide(at: time)
    ride.roll(10)
    #expect(ride.id == "b")
    #expect(abs((ride.value("ride", "distance_m") ?? 0) - 80) < 17)
  }

  @Test("the ride states why it is paused, and since when")
  func pauses() {
    var ride = TestRide(ids: ["a", "b", "c"])
    ride.roll(30)
    #expect(ride.words["ride"]?["pause"] == nil && ride.value("ride", "paused_since_t") == nil)
    ride.roll(10, at: 0)
    #expect(ride.words["ride"]?["pause"] == "standing")
    #expect(abs((ride.value("ride", "paused_since_t") ?? 0) - 10_030) <= 1.5)
    let time = ride.now
    ride.metrics.pause(at: time)
    ride.pass(5)
    #expect(ride.words["ride"]?["pause"] == "by_hand")
    #expect(ride.value("ride", "paused_since_t") == time.seconds)
  }

  @Test("the ride publishes time, distance and moving time of its lap")
  func lapOfTheRide() {
    var ride = TestRide(ids: ["a", "b", "c"])
    ride.roll(60)
    let time = ride.now
    ride.metrics.beginLap(at: time)
    ride.roll(30)
    #expect(abs((ride.value("ride", "lap_distance_m") ?? 0) - 240) <= 9)
    #expect(abs((ride.value("ride", "lap_time_s") ?? 0) - 30) <= 1)
    #expect(abs((ride.value("ride", "lap_moving_time_s") ?? 0) - 30) <= 1)
    #expect((ride.value("ride", "distance_m") ?? 0) > 700)
  }

  @Test("the sport is the rider's choice, and otherwise follows from the speed sensor")
  func sports() {
    var ride = TestRide(ids: ["a", "b", "c"])
    ride.roll(5)
    #expect(ride.words["ride"]?["sport"] == "cycling")

    var run = TestRide(ids: ["a", "b", "c"])
    let pod = run.metrics.register(RideSensor(id: "pod"))
    for _ in 0..<30 {
      run.say(.cadence, [(.cadencePerMin, 170)], from: pod)
      run.say(speed: 3, over: 1, from: pod)
      run.pass(1)
    }
    #expect(run.words["ride"]?["sport"] == "running")

    var row = TestRide(ids: ["a", "b", "c"])
    let machine = row.metrics.register(RideSensor(id: "machine"))
    for _ in 0..<30 {
      row.say(SampleKind("rowing"), [(Field("stroke_rate_spm"), 24)], from: machine)
      row.say(speed: 4, over: 1, from: machine)
      row.pass(1)
    }
    #expect(row.words["ride"]?["sport"] == "rowing")

    let time = row.now
    row.metrics.beginRide(at: time, sport: .walking)
    row.pass(2)
    #expect(row.words["ride"]?["sport"] == "walking")
    let saved = RideMetrics(saved: row.metrics.saved).saved
    #expect(saved.sport == .walking)
  }
}
