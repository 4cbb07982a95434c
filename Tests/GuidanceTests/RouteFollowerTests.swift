// Riders on routes.

import Earth
import Testing
import Time

@testable import Guidance

@Suite struct RouteFollowerTests {
  private static let straight = [Spot(0, 0), Spot(3000, 0)]

  @Test("a ride along the route counts the distance and ends at the end")
  func along() throws {
    var ride = TestRide(try #require(route(Self.straight)))
    ride.ride([Spot(0, 2), Spot(1500, 2)])
    #expect(ride.progress.state == .onRoute)
    #expect(abs(ride.progress.distanceM - 1500) < 10)
    #expect(abs(ride.progress.distanceToGoM - 1500) < 10)
    #expect(abs(ride.progress.crossTrackM - 2) < 0.2)
    ride.ride([Spot(1506, 2), Spot(3000, 2)])
    #expect(ride.changes == [.approaching, .onRoute, .finished])
    #expect(ride.progress.distanceToGoM == 0)
  }

  @Test("leaving the route is reported within 5 s, and so is coming back")
  func leaving() throws {
    var ride = TestRide(try #require(route(Self.straight)))
    ride.ride([Spot(0, 0), Spot(1000, 0), Spot(1000, 29)])
    #expect(ride.progress.state == .onRoute)
    ride.ride([Spot(1000, 35), Spot(1000, 53)])
    #expect(ride.progress.state == .offRoute)
    ride.ride([Spot(1000, 59), Spot(1000, 200), Spot(1500, 200), Spot(1500, 6), Spot(1530, 0)])
    #expect(ride.progress.state == .onRoute)
    #expect(abs(ride.progress.distanceM - 1530) < 15)
  }

  @Test("a receiver that is less exact gets more than 30 m")
  func accuracy() throws {
    for (accuracy, state) in [(10.0, RouteProgress.State.offRoute), (25, .onRoute)] {
      var ride = TestRide(try #require(route(Self.straight)))
      ride.ride([Spot(0, 0), Spot(600, 0)], accuracyM: accuracy)
      ride.ride([Spot(606, 3), Spot(650, 40), Spot(700, 40)], accuracyM: accuracy)
      #expect(ride.progress.state == state, "\(accuracy) m")
    }
  }

  @Test("riding backwards is reported, and the distance stays")
  func reversed() throws {
    var ride = TestRide(try #require(route(Self.straight)))
    ride.ride([Spot(0, 0), Spot(1500, 0)])
    ride.ride([Spot(1494, 0), Spot(1200, 0)])
    #expect(ride.progress.state == .reversed)
    #expect(abs(ride.progress.distanceM - 1500) < 40)
    ride.ride([Spot(1206, 0), Spot(1400, 0)])
    #expect(ride.progress.state == .onRoute)
    #expect(abs(ride.progress.distanceM - 1400) < 15)
  }

  @Test("at the crossing of a figure of eight the rider stays on the way that they came")
  func figureOfEight() throws {
    let corners = [
      Spot(0, 0), Spot(500, 500), Spot(500, 800), Spot(0, 800), Spot(0, 500), Spot(500, 0), Spot(500, -300),
      Spot(0, -300),
    ]
    var ride = TestRide(try #require(route(corners)))
    var distance = 0.0
    for spot in way(corners, every: 5) {
      ride.fix(spot)
      if ride.progress.state == .onRoute { #expect(abs(ride.progress.distanceM - distance) < 30) }
      distance += 5
    }
    #expect(ride.changes == [.approaching, .onRoute, .finished])
  }

  @Test("on the way out and back, the distance decides which it is")
  func outAndBack() throws {
    let line = try #require(route([Spot(0, 0), Spot(2000, 0), Spot(0, 0.5)]))
    var ride = TestRide(line)
    ride.ride([Spot(0, 0), Spot(1000, 0)])
    #expect(abs(ride.progress.distanceM - 1000) < 10)
    ride.ride([Spot(1006, 0), Spot(2000, 0), Spot(1000, 0)])
    #expect(abs(ride.progress.distanceM - 3000) < 20)
    #expect(ride.changes == [.approaching, .onRoute])
    // Turning early is the way back, too.
    var early = TestRide(line)
    early.ride([Spot(0, 0), Spot(1500, 0), Spot(1000, 0)])
    #expect(early.progress.state == .onRoute)
    #expect(abs(early.progress.distanceM - 3000) < 20)
  }

  @Test("a tunnel changes nothing, and neither does a jump of the receiver")
  func tunnelAndJump() throws {
    var ride = TestRide(try #require(route(Self.straight)))
    ride.ride([Spot(0, 0), Spot(600, 0)])
    ride.wait(120)
    ride.ride([Spot(1400, 0), Spot(1700, 0)])
    #expect(ride.changes == [.approaching, .onRoute])
    #expect(abs(ride.progress.distanceM - 1700) < 10)
    for second in 1...6 { ride.fix(Spot(1700 + 6 * Double(second), 90)) }
    ride.ride([Spot(1742, 0), Spot(2000, 0)])
    #expect(ride.changes == [.approaching, .onRoute])
    #expect(abs(ride.progress.distanceM - 2000) < 10)
  }

  @Test("a route can be joined in its middle")
  func middle() throws {
    var ride = TestRide(try #require(route(Self.straight)))
    ride.ride([Spot(1200, 500), Spot(1200, 40)])
    #expect(ride.changes == [.approaching])
    #expect(abs(ride.progress.crossTrackM - 40) < 6)
    ride.ride([Spot(1206, 0), Spot(1300, 0)])
    #expect(ride.progress.state == .onRoute)
    #expect(abs(ride.progress.distanceM - 1300) < 10)
  }

  @Test("riding on after the end of a loop begins the next lap")
  func laps() throws {
    let loop = [Spot(0, 0), Spot(600, 0), Spot(600, 600), Spot(0, 600), Spot(0, 0)]
    var ride = TestRide(try #require(route(loop)))
    ride.ride(loop)
    #expect(ride.progress.state == .finished)
    ride.ride([Spot(6, 0), Spot(300, 0)])
    #expect(ride.progress.state == .onRoute)
    #expect(ride.progress.lap == 2)
    #expect(abs(ride.progress.distanceM - 300) < 10)
  }

  @Test("a ride that starts just before the end of a loop has not finished it")
  func beforeTheEnd() throws {
    let loop = [Spot(0, 0), Spot(600, 0), Spot(600, 600), Spot(0, 600), Spot(0, 0)]
    var ride = TestRide(try #require(route(loop)))
    ride.ride([Spot(0, 60), Spot(0, 0), Spot(300, 0)])
    #expect(ride.changes == [.approaching, .onRoute])
    #expect(ride.progress.lap == 1)
    #expect(abs(ride.progress.distanceM - 300) < 10)
  }

  @Test("a restart resumes at the saved place and pass")
  func resuming() throws {
    let line = try #require(route([Spot(0, 0), Spot(2000, 0), Spot(0, 0.5)]))
    var ride = TestRide(line)
    ride.ride([Spot(0, 0), Spot(2000, 0), Spot(1500, 0)])
    var resumed = TestRide(line, resuming: ride.follower.saved)
    #expect(resumed.progress.state == .onRoute)
    #expect(resumed.progress.distanceM == ride.progress.distanceM)
    resumed.ride([Spot(1494, 0), Spot(1200, 0)])
    #expect(resumed.changes == [.onRoute])
    #expect(abs(resumed.progress.distanceM - 2800) < 20)
  }

  @Test("distances as a file counts are converted to those along the line")
  func conversion() throws {
    let points = [0.0, 1000, 2000].compactMap { metres in
      Spot(metres, 0).position.map { Route.Point($0, distanceM: metres * 1.1) }
    }
    var cues = [1650.0, 550, 5000]
    let route = try #require(Route(points, converting: &cues))
    #expect(abs(cues[0] - 1500) < 3)
    #expect(abs(cues[1] - 500) < 1)
    #expect(abs(cues[2] - route.lengthM) < 0.1)
  }

  @Test("the index finds the nearest piece, as a look at all of them does")
  func index() throws {
    let corners = (0..<40).map { Spot(Double($0 * 997 % 4000), Double($0 * 613 % 3000)) }
    let line = try #require(route(corners, every: 15))
    for step in 0..<200 {
      let spot = Spot(Double(step * 7919 % 9000) - 2000, Double(step * 6007 % 8000) - 2000)
      let plane = try #require(spot.position.flatMap { LocalPlane(at: $0) })
      let all = (0..<line.count - 1).map { line.nearest(on: $0, around: plane).offset }.min()
      #expect(line.nearest(around: plane).offset == all)
    }
  }

  @Test("a line across the date line is followed")
  func dateLine() throws {
    let longitudes = stride(from: 179.99, to: 180.01, by: 0.0005).map { $0 > 180 ? $0 - 360 : $0 }
    let places = longitudes.compactMap { Coordinate(latitude: 10, longitude: $0) }
    let line = try #require(Route(places.map { Route.Point($0) }))
    var follower = RouteFollower(line)
    for (second, place) in places.dropLast().enumerated() {
      follower.add(PositionFix(place, at: MonotonicTime(seconds: Double(10 * second)), accuracyM: 5))
    }
    #expect(follower.progress.state == .onRoute)
    #expect(follower.progress.distanceToGoM < 120)
  }

  @Test("a route needs a line")
  func noLine() throws {
    let place = try #require(Spot(0, 0).position)
    #expect(Route([Route.Point]()) == nil)
    #expect(Route([Route.Point(place), Route.Point(place)]) == nil)
  }
}
