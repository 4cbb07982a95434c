// Ascent, descent and grade during pauses, and with outliers among the heights.

import Foundation
import Testing
import Vocabulary

@testable import Metrics

/// A ride whose wheel, barometer and receiver are correct, except for the errors that a test adds.
struct HillRide: ~Copyable {
  enum Heights: CaseIterable { case barometer, receiver, both }

  var ride: TestRide
  var random: RoadRandom
  let heights: Heights
  private let sky: RideMetrics.Source
  var metres = 0.0
  var height = 400.0
  /// Error of the barometric height that a change of the weather causes.
  var weather = 0.0
  /// Added to the heights that the sensors measure.
  var barometerError: Double?
  var receiverError: Double?
  var barometerInterval = 1.0
  var receiverNoise = 0.5
  private(set) var steepest = 0.0
  private var seconds = 0.0
  private var slow = Drift(memory: 180)
  private var nextBarometer = 0.0

  init(_ heights: Heights, seed: UInt64, saved: SavedRide = SavedRide()) {
    (self.heights, random) = (heights, RoadRandom(seed))
    ride = TestRide(saved: saved)
    sky = ride.metrics.register(RideSensor(id: "sky"))
  }

  /// Moves for `duration` seconds at the wheel's speed. `lift` is the speed at which the bike is
  /// carried up, in metres per second.
  mutating func go(_ duration: Double, speed: Double, grade: Double = 0, lift: Double = 0) {
    for _ in 0..<Int(duration) { step(speed, speed * grade + lift) }
  }

  mutating func step(_ speed: Double, _ rise: Double) {
    metres += speed
    height += rise
    seconds += 1
    ride.say(speed: speed, over: 1, from: ride.wheel)
    if heights != .receiver, seconds >= nextBarometer {
      nextBarometer = seconds + barometerInterval
      let shown = height + weather + (barometerError ?? 0)
      let pressure = 101_325 * pow(1 - shown / 44_330.77, 1 / 0.190_263_2) + random.normal(2)
      ride.say(SampleKind("environment"), [(Field("pressure_pa"), pressure)], from: sky)
    }
    if heights != .barometer {
      var fix = Fix(time: ride.now, mode: .full)
      (fix.latitudeDeg, fix.longitudeDeg, fix.accuracyM, fix.satellites) = (47 + metres / 111_200, 8, 10, 10)
      fix.altitudeM = height + slow.step(1, 3, &random) + random.normal(receiverNoise) + (receiverError ?? 0)
      fix.speedMps = speed
      ride.say(fix)
    }
    ride.pass(1)
    // There is a grade only while it is known.
    if let grade = ride.value("grade", "grade_pct") { steepest = max(steepest, abs(grade)) }
  }

  mutating func forgetSteepest() { steepest = 0 }
  var ascent: Double { ride.metrics.ride.elevation.ascentM }
  var descent: Double { ride.metrics.ride.elevation.descentM }
}

struct PausedAscentTests {
  /// The ascent that noise may add in a flat hour.
  static func slack(_ heights: HillRide.Heights) -> Double { heights == .receiver ? 20 : 5 }

  @Test("a cable car adds neither ascent nor descent nor grade", arguments: HillRide.Heights.allCases)
  func cableCar(_ heights: HillRide.Heights) {
    for (index, lift) in [(580.0, 1.6), (300, 0.5), (1_200, 5), (-700, 2.5), (90, 0.2)].enumerated() {
      var hill = HillRide(heights, seed: 71_000 + UInt64(index))
      hill.go(900, speed: 7)
      hill.go(40, speed: 0)
      let before = (hill.ascent, hill.descent)
      hill.forgetSteepest()
      hill.go(abs(lift.0) / lift.1, speed: 0, lift: lift.0 < 0 ? -lift.1 : lift.1)
      #expect((hill.ascent, hill.descent) == before, "\(heights), \(lift)")
      hill.go(900, speed: 7)
      print("cable car \(heights) \(lift): \(hill.ascent), \(hill.descent), grade \(hill.steepest)")
      #expect(hill.ascent + hill.descent <= 2 * Self.slack(heights), "\(heights), \(lift)")
      #expect(hill.steepest < (heights == .receiver ? 6 : 1.5), "\(heights), \(lift)")
    }
  }

  @Test("an hour in a café while the weather changes adds nothing", arguments: [80.0, -300, 600])
  func weather(_ pascalPerHour: Double) {
    for heights in [HillRide.Heights.barometer, .both] {
      for minutes in [10.0, 60] {
        var hill = HillRide(heights, seed: 72_000)
        hill.go(1_200, speed: 7)
        for _ in 0..<Int(minutes * 60) {
          hill.weather -= pascalPerHour / 12 / 3_600
          hill.step(0, 0)
        }
        hill.go(1_200, speed: 7)
        print("café \(heights) \(pascalPerHour) \(minutes): \(hill.ascent), \(hill.descent)")
        #expect(hill.ascent + hill.descent <= 5, "\(heights), \(minutes)")
      }
    }
  }

  @Test("a pause by hand adds nothing, also across a restart", arguments: HillRide.Heights.allCases)
  func byHand(_ heights: HillRide.Heights) {
    for restarts in [false, true] {
      var hill = HillRide(heights, seed: 73_000)
      hill.go(600, speed: 7)
      hill.ride.metrics.pause(at: hill.ride.now)
      // On the rack of a car, with the wheel turning now and then.
      hill.go(300, speed: 3, lift: 1)
      if restarts {
        let before = hill.ascent
        let (height, saved) = (hill.height, hill.ride.metrics.saved)
        hill = HillRide(heights, seed: 73_001, saved: saved)
        hill.height = height
        #expect(hill.ascent == before)
      }
      hill.go(300, speed: 3, lift: 1)
      hill.ride.metrics.resume(at: hill.ride.now)
      hill.go(900, speed: 7)
      print("by hand \(heights) \(restarts): \(hill.ascent), \(hill.descent)")
      #expect(hill.ascent + hill.descent <= Self.slack(heights), "\(heights), \(restarts)")
    }
  }

  @Test("stops do not change the ascent of a climb", arguments: HillRide.Heights.allCases)
  func stops(_ heights: HillRide.Heights) {
    for (grade, speed) in [(0.04, 5.0), (0.1, 3)] {
      var hill = HillRide(heights, seed: 74_000)
      hill.go(120, speed: 6)
      let floor = hill.height
      while hill.height < floor + 800 {
        hill.go(120, speed: speed, grade: grade)
        hill.go(30, speed: 0)
      }
      hill.go(60, speed: 6)
      let truth = hill.height - floor
      print("stops \(heights) \(grade): \(hill.ascent) of \(truth)")
      #expect(abs(hill.ascent - truth) <= 0.03 * truth, "\(heights), \(grade)")
    }
  }
}

struct HeightOutlierTests {
  @Test("outliers of the height on a flat road are not ascent", arguments: HillRide.Heights.allCases)
  func flat(_ heights: HillRide.Heights) {
    let throwing: [(size: Double, duration: Double, interval: Double)] = [
      (300, 3, 300), (300, 1, 60), (60, 8, 120), (25, 20, 400), (25, 90, 500), (-120, 3, 200), (15, 2, 50),
      (80, 40, 600),
    ]
    for (size, duration, interval) in throwing {
      var hill = HillRide(heights, seed: 75_000)
      hill.go(120, speed: 8)
      for second in 0..<2_400 {
        let isOff = Double(second).truncatingRemainder(dividingBy: interval) < duration
        hill.receiverError = isOff ? size : nil
        hill.barometerError = isOff && duration < 30 ? size : nil
        hill.step(8, 0)
      }
      print("thrown \(heights) \(size) \(duration)/\(interval): \(hill.ascent), \(hill.descent), \(hill.steepest)")
      #expect(hill.ascent + hill.descent <= (heights == .receiver ? 35 : 5), "\(heights), \(size) for \(duration)")
      #expect(hill.steepest < (heights == .receiver ? 6 : 1.5), "\(heights), \(size) for \(duration)")
    }
  }

  @Test("single wrong packets of a slow barometer are not ascent", arguments: [1.0, 2, 5, 10, 20])
  func packets(_ interval: Double) {
    for size in [60.0, -60, 15, 8] {
      var hill = HillRide(.barometer, seed: 76_000)
      hill.barometerInterval = interval
      hill.go(120, speed: 8)
      for second in 0..<1_800 {
        hill.barometerError = Double(second % 600) < interval ? size : nil
        hill.step(8, 0)
      }
      print("packets \(interval) \(size): \(hill.ascent)")
      #expect(hill.ascent <= 3, "\(size)")
    }
  }

  @Test("two wrong packets of a slow barometer are not ascent", arguments: [2.0, 5])
  func pairs(_ interval: Double) {
    for (size, grade) in [(5.0, 0.0), (-8, 0.06), (12, 0), (-33, 0.06), (80, 0)] {
      var hill = HillRide(.barometer, seed: 79_000)
      hill.barometerInterval = interval
      hill.go(300, speed: 5)
      for _ in 0..<10 {
        hill.go(60, speed: 5, grade: grade)
        hill.barometerError = size
        hill.go(2 * interval, speed: 5, grade: grade)
        hill.barometerError = nil
      }
      hill.go(100, speed: 5)
      print("pairs \(interval) \(size) \(grade): \(hill.ascent), \(hill.descent)")
      #expect(abs(hill.ascent - (hill.height - 400)) <= 4 && hill.descent <= 3, "\(size), \(grade)")
    }
  }

  @Test("a barometer that is off for 8 to 20 s does not change the height of a slope", arguments: [0.08, -0.08])
  func slope(_ grade: Double) {
    for heights in [HillRide.Heights.barometer, .both] {
      let throwing = [(25.0, 12.0, 90.0), (40, 20, 120), (-40, 20, 60), (-500, 20, 120), (300, 8, 45)]
      for (size, duration, interval) in throwing {
        var hill = HillRide(heights, seed: 80_000)
        hill.height = 1_500
        hill.go(200, speed: 6)
        hill.forgetSteepest()
        for _ in 0..<8 {
          hill.go(interval - duration, speed: grade > 0 ? 3.5 : 9, grade: grade)
          hill.barometerError = size
          hill.go(duration, speed: grade > 0 ? 3.5 : 9, grade: grade)
          hill.barometerError = nil
        }
        hill.go(100, speed: 6)
        let (rise, counted) = (hill.height - 1_500, hill.ascent - hill.descent)
        print("slope \(heights) \(grade) \(size) \(duration)/\(interval): \(counted) of \(rise), \(hill.steepest)")
        #expect(abs(counted - rise) <= 5 + 0.03 * abs(rise), "\(heights), \(size) for \(duration)")
        #expect(hill.steepest < 12, "\(heights), \(size) for \(duration)")
      }
    }
  }

  @Test("fast climbs and descents with a noisy receiver and slow barometers are counted")
  func fast() {
    let roads: [(speed: Double, grade: Double, noise: Double, interval: Double)] = [
      (4, 0.14, 3, 1), (7, 0.08, 5, 10), (18, -0.12, 3, 1), (20, -0.1, 0.5, 5), (12, -0.15, 3, 10), (2, 0.2, 5, 20),
    ]
    for heights in HillRide.Heights.allCases {
      for (speed, grade, noise, interval) in roads {
        var hill = HillRide(heights, seed: 78_000)
        hill.receiverNoise = noise
        hill.barometerInterval = interval
        hill.height = 1_500
        hill.go(120, speed: 7)
        hill.go((1_000 / speed / abs(grade)).rounded(), speed: speed, grade: grade)
        hill.go(120, speed: 7)
        let (rise, counted) = (hill.height - 1_500, hill.ascent - hill.descent)
        print("fast \(heights) \(speed) \(grade) \(noise) \(interval): \(hill.ascent), \(hill.descent)")
        #expect(abs(counted - rise) <= 30, "\(heights), \(speed), \(grade)")
      }
    }
  }

  @Test("a climb of 1,000 m is counted within 3 %", arguments: [0.03, 0.05, 0.08, 0.11, 0.15])
  func climb(_ grade: Double) {
    for heights in HillRide.Heights.allCases {
      for throwsHeights in [false, true] {
        var hill = HillRide(heights, seed: 77_000)
        hill.go(120, speed: 7)
        let speed = min(7, 0.3 / grade)
        for second in 0..<Int(1_000 / speed / grade) {
          let isOff = throwsHeights && second % 400 < 3
          hill.receiverError = isOff ? 250 : nil
          hill.barometerError = isOff ? -60 : nil
          hill.step(speed, speed * grade)
        }
        hill.receiverError = nil
        hill.barometerError = nil
        hill.go(120, speed: 7)
        print("climb \(heights) \(grade) \(throwsHeights): \(hill.ascent)")
        #expect(abs(hill.ascent - (hill.height - 400)) <= 30, "\(heights), thrown \(throwsHeights)")
      }
    }
  }
}
