// Rides of known length on which the receiver stops sending, or a wheel sensor stops counting.

import Foundation
import Testing
import Vocabulary

@testable import Metrics

/// A bike on a road to the north, with a receiver and, if the test needs one, a wheel.
struct ReceiverRide: ~Copyable {
  var ride: TestRide
  private var random: RoadRandom
  var metres = 0.0
  var altitude = 400.0
  /// Errors of the receiver's speed and position.
  var speedError = 0.0
  var placeError = 0.0
  var hasBarometer = false
  private let sky: RideMetrics.Source
  private var noise = Drift(memory: 120)

  init(seed: UInt64, saved: SavedRide = SavedRide()) {
    ride = TestRide(saved: saved)
    random = RoadRandom(seed)
    sky = ride.metrics.register(RideSensor(id: "sky"))
  }

  enum Wheel { case none, turns, stands }

  mutating func go(
    _ seconds: Double, speed: Double, fixes: Bool = true, wheel: Wheel = .none, rise: Double = 0, pedals: Double? = nil
  ) {
    for _ in 0..<Int(seconds) {
      metres += speed
      altitude += rise
      switch wheel {
      case .none: break
      case .turns: ride.say(speed: speed, over: 1, from: ride.wheel)
      case .stands: ride.say(speed: 0, over: 1, from: ride.wheel)
      }
      if let pedals { ride.say(.cadence, [(.cadenceRpm, pedals)], from: ride.pedals) }
      if hasBarometer {
        let pressure = 101_325 * pow(1 - altitude / 44_330.77, 1 / 0.190_263_2) + random.normal(2)
        ride.say(SampleKind("environment"), [(Field("pressure_pa"), pressure)], from: sky)
      }
      if fixes { ride.say(fix(speed)) }
      ride.pass(1)
    }
  }

  private mutating func fix(_ speed: Double) -> Fix {
    var fix = Fix(time: ride.now, mode: .full)
    let off = noise.step(1, 2, &random) + random.normal(0.3) + placeError
    (fix.latitudeDeg, fix.longitudeDeg) = (47 + (metres + off) / 111_180, 8)
    (fix.altitudeM, fix.accuracyM, fix.satellites) = (altitude, 10, 10)
    fix.speedMps = max(0, speed + random.normal(0.1) + speedError)
    return fix
  }

  var distance: Double { ride.metrics.ride.totals.distance.ride }
  var joined: Double { ride.eventSums["gps_gap_joined"]?["distance_m"] ?? 0 }
  var ascent: Double { ride.metrics.ride.elevation.ascentM }
  var movingTime: Double { ride.metrics.ride.clock.movingTime }
  var isMoving: Bool { ride.metrics.isMoving }
  func events(_ name: String) -> Int { ride.events.count { $0 == name } }
}

struct ReceiverGapTests {
  @Test("a tunnel is joined, and an event reports its length", arguments: [10.0, 20, 60, 180, 600])
  func tunnel(seconds: Double) {
    for (before, inside) in [(8.0, 8.0), (5, 7), (10, 6)] {
      var bike = ReceiverRide(seed: 81_000)
      bike.go(300, speed: before)
      bike.go(seconds, speed: inside, fixes: false)
      bike.go(300, speed: before)
      print("tunnel \(seconds) s \(before) \(inside): \(bike.distance) of \(bike.metres), joined \(bike.joined)")
      #expect(abs(bike.distance - bike.metres) <= 12 + 0.005 * bike.metres)
      #expect(bike.events("gps_gap_joined") == 1)
      #expect(abs(bike.joined - inside * seconds) <= 0.1 * inside * seconds + 12)
      #expect(abs(bike.movingTime - 600 - seconds) <= 0.5 * seconds + 10)
    }
  }

  @Test("bridges cost no distance", arguments: [(12.0, 60.0), (7, 30), (20, 45), (4, 20), (12, 15)])
  func bridges(seconds: Double, interval: Double) {
    var bike = ReceiverRide(seed: 82_000)
    bike.go(60, speed: 8)
    for _ in 0..<30 {
      bike.go(seconds, speed: 8, fixes: false)
      bike.go(interval - seconds, speed: 8)
    }
    bike.go(60, speed: 8)
    print("bridges \(seconds)/\(interval): \(bike.distance) of \(bike.metres)")
    #expect(abs(bike.distance - bike.metres) <= 0.01 * bike.metres)
  }

  @Test("a train in a gap adds nothing", arguments: [(14.0, 300.0), (20, 300), (24, 600), (18, 60), (45, 900)])
  func train(speed: Double, seconds: Double) {
    for stop in [0.0, 60] {
      var bike = ReceiverRide(seed: 87_000)
      bike.go(400, speed: 7)
      bike.go(stop, speed: 0)
      bike.go(seconds, speed: speed, fixes: false)
      bike.go(stop, speed: 0)
      bike.go(400, speed: 7)
      print("train \(speed) \(seconds) \(stop): \(bike.distance) of 5600, joined \(bike.joined)")
      #expect(abs(bike.distance - 5_600) <= 30)
      #expect(bike.events("gps_gap_joined") == 0)
    }
  }

  @Test("a climb through gaps is counted", arguments: [true, false])
  func climb(hasBarometer: Bool) {
    for (seconds, interval) in [(12.0, 60.0), (50, 200), (7, 30)] + (hasBarometer ? [(300, 900)] : []) {
      var bike = ReceiverRide(seed: 86_000)
      bike.hasBarometer = hasBarometer
      bike.go(120, speed: 5)
      for _ in 0..<Int(3_600 / interval) {
        bike.go(interval - seconds, speed: 5, rise: 0.25)
        bike.go(seconds, speed: 5, fixes: false, rise: 0.25)
      }
      bike.go(120, speed: 5)
      let truth = bike.altitude - 400
      print("climb \(hasBarometer) \(seconds)/\(interval): \(bike.ascent) of \(truth)")
      #expect(abs(bike.ascent - truth) <= 0.03 * truth)
    }
  }

  @Test("a bad first fix after a gap adds no distance", arguments: [(150.0, 0.0), (-150, 0), (0, 25), (400, 15)])
  func badFirstFix(place: Double, speed: Double) {
    for seconds in [15.0, 60] {
      var bike = ReceiverRide(seed: 83_000)
      bike.go(300, speed: 8)
      bike.go(seconds, speed: 8, fixes: false)
      (bike.placeError, bike.speedError) = (place, speed)
      bike.go(1, speed: 8)
      (bike.placeError, bike.speedError) = (place / 2, 0)
      bike.go(2, speed: 8)
      (bike.placeError, bike.speedError) = (0, 0)
      bike.go(300, speed: 8)
      print("bad fix \(place) \(speed) \(seconds): \(bike.distance) of \(bike.metres)")
      #expect(abs(bike.distance - bike.metres) <= 40)
    }
  }

  @Test("a gap outside a ride is not joined")
  func implausible() {
    // In a train.
    var bike = ReceiverRide(seed: 84_000)
    bike.go(300, speed: 7)
    bike.go(10, speed: 0)
    let before = bike.distance
    bike.go(600, speed: 40, fixes: false)
    bike.go(100, speed: 7)
    #expect(abs(bike.distance - before - 700) <= 30)
    #expect(bike.joined == 0)
    // In a café.
    bike.go(2_000, speed: 0, fixes: false)
    bike.placeError = 25
    bike.go(100, speed: 7)
    #expect(bike.joined == 0)
  }

  @Test("nothing is joined over a pause by hand, nor over a restart in it", arguments: [true, false])
  func pause(restarts: Bool) {
    var bike = ReceiverRide(seed: 85_000)
    bike.go(300, speed: 8)
    let before = bike.distance
    bike.go(10, speed: 8, fixes: false)
    bike.ride.metrics.pause(at: bike.ride.now)
    bike.go(30, speed: 8, fixes: false)
    if restarts {
      let (metres, saved) = (bike.metres, bike.ride.metrics.saved)
      bike = ReceiverRide(seed: 85_001, saved: saved)
      bike.metres = metres
    }
    bike.go(30, speed: 8, fixes: false)
    bike.ride.metrics.resume(at: bike.ride.now)
    bike.go(100, speed: 8)
    #expect(abs(bike.distance - before - 800) <= 60)
    #expect(bike.joined == 0)
  }
}

struct StuckWheelTests {
  @Test("a magnet that slips is found, and the receiver counts until the wheel turns", arguments: [3.5, 8, 13])
  func slips(speed: Double) {
    for (stop, pedals) in [(0.0, nil), (0, 80), (40, nil), (40, 80)] as [(Double, Double?)] {
      var bike = ReceiverRide(seed: 91_000)
      bike.go(300, speed: speed, wheel: .turns, pedals: pedals)
      if stop > 0 { bike.go(stop, speed: 0, wheel: .turns, pedals: pedals.map { _ in 0 }) }
      bike.go(400, speed: speed, wheel: .stands, pedals: pedals)
      print("slip \(speed) \(stop) \(pedals ?? 0): \(bike.distance) of \(bike.metres)")
      #expect(bike.events("wheel_stuck") == 1)
      let isMoving = bike.isMoving
      #expect(isMoving)
      #expect(bike.ride.words["speed"]?["source"] == "gps")
      #expect(abs(bike.distance - bike.metres) <= 0.01 * bike.metres + 3 * speed)
      // One turn by hand is not enough.
      bike.ride.say(speed: 1, over: 1, from: bike.ride.wheel)
      #expect(bike.events("wheel_turns_again") == 0)
      bike.go(200, speed: speed, wheel: .turns, pedals: pedals)
      #expect(bike.events("wheel_turns_again") == 1 && bike.events("wheel_stuck") == 1)
      #expect(bike.ride.words["speed"]?["source"] == "wheel")
      #expect(abs(bike.distance - bike.metres) <= 0.01 * bike.metres + 3 * speed)
    }
  }

  @Test("a bike that stands or is carried has no stuck wheel")
  func stands() {
    for (speed, rise) in [(0.3, 0.0), (6, 1.6), (6, -1.6), (4, 0.7), (25, 0), (8, 5)] {
      var bike = ReceiverRide(seed: 92_000)
      bike.hasBarometer = rise != -1.6
      bike.go(300, speed: 8, wheel: .turns)
      bike.go(30, speed: 0, wheel: .turns)
      let before = bike.distance
      bike.go(600, speed: speed, wheel: .stands, rise: rise)
      #expect(bike.events("wheel_stuck") == 0, "\(speed), \(rise)")
      #expect(bike.distance == before, "\(speed), \(rise)")
      #expect(bike.ascent <= 3, "\(speed), \(rise)")
    }
  }
}
