// The parts of a ride, each alone.

import Testing
import Time
import Vocabulary

@testable import Metrics

@Suite struct RidePartTests {
  private let start = MonotonicTime(seconds: 100)

  @Test("a lap that ends late makes the next one shorter")
  func lapExcess() {
    var laps = RideLaps()
    #expect(laps.excess(at: 999, length: 1000) == nil)
    #expect(laps.excess(at: 1010, length: 1000) == 10)
    laps.finish(FinishedLap(number: 1), next: SavedRide.LapStart(rideTime: 120), lead: 10)
    #expect(laps.number == 2 && laps.start?.rideTime == 120)
    #expect(laps.excess(at: 989, length: 1000) == nil)
    #expect(laps.excess(at: 990, length: 1000) == 0)
  }

  @Test("the first laps are dropped, and the saved ones continue")
  func savedLaps() {
    var laps = RideLaps()
    for number in 1...60 {
      laps.finish(FinishedLap(number: number), next: SavedRide.LapStart(), lead: 0)
    }
    var saved = SavedRide()
    laps.save(in: &saved)
    #expect(saved.lap == 61 && saved.finishedLaps.map(\.number) == Array(11...60))
    #expect(RideLaps(saved).finished == laps.finished)
  }

  @Test("metres before the start count once the ride moves, but not those of a bike that was pushed")
  func unsureWay() {
    var way = RideWay()
    let (walking, riding) = (SpeedReading(speed: 1), SpeedReading(speed: 4))
    #expect(way.settle(3, walking, .waiting) == nil)
    #expect(way.settle(5, riding, .moving) == 8)
    #expect(way.settle(3, walking, .waiting) == nil)
    #expect(way.settle(0, SpeedReading(speed: 0), .waiting) == nil)
    #expect(way.settle(5, riding, .moving) == 5)
  }

  @Test("two pedals have one power, and half a pair has none")
  func pedals() {
    var pedals = PedalNumbers()
    for (source, role) in [SensorRole.left, .right].enumerated() {
      var sensor = RideSensor(id: "pedal-\(source)")
      sensor.role = role
      pedals.register(sensor, as: source)
    }
    pedals.pair([[0], [0]])
    let reading = PowerReading(watts: 100)
    guard case .unknown = pedals.add(reading, from: 0, at: start) else { Issue.record("wrong sum"); return }
    guard case .later = pedals.add(reading, from: 1, at: start) else { Issue.record("wrong sum"); return }
    guard case .known(let sum) = pedals.add(reading, from: 0, at: start) else { Issue.record("wrong sum"); return }
    #expect(sum.watts == 200 && sum.balance == 50)
    #expect(pedals.lose(1) == 0)
    guard case .unknown = pedals.add(reading, from: 0, at: start) else { Issue.record("wrong sum"); return }
  }

  @Test("a pause by hand goes on in the next ride, until the bike moves after a long break")
  func pauseAcrossRides() {
    var clock = RideClock()
    clock.pause(at: start)
    clock.beginRide()
    #expect(clock.phase == .paused && clock.pausedSince == start)
    var edges = RideEdges(nil, isClosed: false, lastMoved: nil, nextID: "first")
    #expect(edges.move(at: start, longestBreak: 3600) == .goesOn)
    #expect(edges.identity?.id == Array("first".utf8) && edges.needsID)
    #expect(edges.move(at: start + .seconds(3600), longestBreak: 3600) == .goesOn)
    #expect(edges.move(at: start + .seconds(7300), longestBreak: 3600) == .beginsAfterBreak)
  }
}
