// Heights, grades and ascents on synthetic hills whose values are known.

import Foundation
import Testing
import Time

@testable import Metrics

struct ElevationTests {
  /// Each hill rises and falls by twice the amplitude within one wavelength.
  struct Hills: CustomTestStringConvertible {
    var amplitude: Double
    var wavelength: Double
    var hours = 1.0
    var speed = 6.0
    var testDescription: String { "\(2 * amplitude) m in \(wavelength / 2) m, \(hours) h" }

    func height(_ metres: Double) -> Double { 400 + amplitude * (1 - cos(2 * .pi * metres / wavelength)) }
    func grade(_ metres: Double) -> Double {
      100 * amplitude * 2 * .pi / wavelength * sin(2 * .pi * metres / wavelength)
    }
    /// From the start to this distance.
    func ascent(_ metres: Double) -> Double {
      let (whole, rest) = ((metres / wavelength).rounded(.down), metres.truncatingRemainder(dividingBy: wavelength))
      return whole * 2 * amplitude + (rest < wavelength / 2 ? height(rest) - 400 : 2 * amplitude)
    }
  }

  struct Outcome {
    var ascent = 0.0, descent = 0.0, truth = 0.0
    var elevationErrors: [Double] = []
    var gradeErrors: [Double] = []
    var gradeIsKnown = 0.0
  }

  static func ride(
    _ hills: Hills, barometer: Bool, receiver: Bool, driftPaPerHour: Double = 0, seed: UInt64
  ) -> Outcome {
    var random = RoadRandom(seed)
    var (elevation, outcome) = (Elevation(), Outcome())
    var (slow, seconds, metres) = (Drift(memory: 180), 0.0, 0.0)
    let delay = 45.0
    while seconds < hills.hours * 3_600 {
      // The bike stands until the receiver has a position.
      if seconds >= delay { metres += hills.speed }
      let (truth, now) = (hills.height(metres), MonotonicTime(seconds: 100 + seconds))
      if barometer {
        let pressure = 101_325 * pow(1 - truth / 44_330.77, 1 / 0.190_263_2) + driftPaPerHour * seconds / 3_600
        elevation.add(pressurePa: ((pressure + random.normal(2)) * 10).rounded() / 10, at: now)
      }
      if receiver {
        var fix = Fix(time: now, mode: .full)
        (fix.latitudeDeg, fix.longitudeDeg, fix.accuracyM, fix.satellites) = (47, 8, 10, 10)
        fix.altitudeM = truth + slow.step(1, 4, &random) + random.normal(0.5)
        elevation.add(fix)
      }
      elevation.add(distanceM: metres, at: now)
      if seconds > delay + 60 {
        if let height = elevation.elevationM(at: now) { outcome.elevationErrors.append(abs(height - truth)) }
        if let grade = elevation.gradePct(at: now) {
          outcome.gradeIsKnown += 1
          // The published grade is that of the middle of the window.
          outcome.gradeErrors.append(abs(grade - hills.grade(metres - (barometer ? 45 : 170))))
        }
      }
      seconds += 1
    }
    (outcome.ascent, outcome.descent, outcome.truth) = (elevation.ascentM, elevation.descentM, hills.ascent(metres))
    return outcome
  }

  static func percentile(_ values: [Double], _ part: Double) -> Double {
    values.isEmpty ? .nan : values.sorted()[min(values.count - 1, Int(Double(values.count) * part))]
  }

  static let hills = [
    Hills(amplitude: 0, wavelength: 1_000, hours: 2), Hills(amplitude: 5, wavelength: 800),
    Hills(amplitude: 25, wavelength: 2_000), Hills(amplitude: 60, wavelength: 3_000, speed: 5),
    Hills(amplitude: 300, wavelength: 16_000, hours: 2, speed: 4),
  ]

  static func show(_ name: String, _ hills: Hills, _ outcomes: [Outcome]) {
    let ascents = outcomes.map(\.ascent).sorted()
    print(
      String(
        format:
          "%@ %@: truth %.0f m, ascent %.0f to %.0f m, elevation error 95 %% %.1f m, grade error median %.1f, 95 %% %.1f",
        name, hills.testDescription, outcomes[0].truth, ascents[0], ascents[ascents.count - 1],
        percentile(outcomes.flatMap(\.elevationErrors), 0.95), percentile(outcomes.flatMap(\.gradeErrors), 0.5),
        percentile(outcomes.flatMap(\.gradeErrors), 0.95)))
  }

  @Test("barometer and receiver together give height, ascent and grade", arguments: hills)
  func barometerAndReceiver(_ hills: Hills) {
    let outcomes = (1...6).map { Self.ride(hills, barometer: true, receiver: true, driftPaPerHour: 80, seed: $0) }
    Self.show("both", hills, outcomes)
    for outcome in outcomes {
      #expect(abs(outcome.ascent - outcome.truth) <= 5 + 0.015 * outcome.truth)
      #expect(Self.percentile(outcome.elevationErrors, 0.95) < 12)
      #expect(Self.percentile(outcome.gradeErrors, 0.95) < 0.8)
      #expect(outcome.gradeIsKnown > 3_000)
    }
  }

  @Test("a barometer alone gives ascent and grade, but no height", arguments: hills)
  func barometerAlone(_ hills: Hills) {
    let outcomes = (1...6).map { Self.ride(hills, barometer: true, receiver: false, driftPaPerHour: 80, seed: $0) }
    Self.show("barometer", hills, outcomes)
    for outcome in outcomes {
      #expect(abs(outcome.ascent - outcome.truth) <= 5 + 0.015 * outcome.truth)
      // Pressure gives a height only if the pressure at sea level is known.
      #expect(outcome.elevationErrors.isEmpty)
      #expect(Self.percentile(outcome.gradeErrors, 0.95) < 0.8)
    }
  }

  @Test("a receiver alone gives height, ascent and grade", arguments: hills)
  func receiverAlone(_ hills: Hills) {
    let outcomes = (1...6).map { Self.ride(hills, barometer: false, receiver: true, seed: $0) }
    Self.show("receiver", hills, outcomes)
    for outcome in outcomes {
      #expect(outcome.ascent <= 45 * hills.hours + 1.06 * outcome.truth)
      // Some hills that are hardly higher than the threshold are not counted.
      if hills.amplitude > 10 { #expect(outcome.ascent >= 0.94 * outcome.truth - 15) }
      #expect(Self.percentile(outcome.elevationErrors, 0.95) < 20)
      #expect(Self.percentile(outcome.gradeErrors, 0.95) < 4)
    }
  }
}

// MARK: Unknown values

extension ElevationTests {
  static func fix(_ altitude: Double?, at seconds: Double) -> Fix {
    var fix = Fix(time: MonotonicTime(seconds: seconds), mode: altitude == nil ? .flat : .full)
    (fix.latitudeDeg, fix.longitudeDeg, fix.accuracyM, fix.satellites) = (47, 8, 10, 10)
    fix.altitudeM = altitude
    return fix
  }

  @Test("height and grade are unknown before the first value")
  func unknownAtFirst() {
    let elevation = Elevation()
    let now = MonotonicTime(seconds: 10)
    #expect(elevation.elevationM(at: now) == nil)
    #expect(elevation.gradePct(at: now) == nil)
    #expect(elevation.ascentM == 0)
  }

  @Test("old heights and grades are unknown")
  func oldValues() throws {
    var elevation = Elevation()
    for second in 0..<200 {
      elevation.add(Self.fix(100 + Double(second) * 0.3, at: Double(second)))
      elevation.add(distanceM: Double(second) * 6, at: MonotonicTime(seconds: Double(second)))
    }
    #expect(abs(try #require(elevation.elevationM(at: MonotonicTime(seconds: 199))) - 159.7) < 12)
    #expect(abs(try #require(elevation.gradePct(at: MonotonicTime(seconds: 199))) - 5) < 0.3)
    // A grade needs movement, and a height needs a receiver.
    #expect(elevation.gradePct(at: MonotonicTime(seconds: 230)) == nil)
    #expect(elevation.elevationM(at: MonotonicTime(seconds: 230)) != nil)
    #expect(elevation.elevationM(at: MonotonicTime(seconds: 300)) == nil)
    // After a tunnel of 3 km the window of the grade starts again.
    for second in 400..<440 { elevation.add(Self.fix(300, at: Double(second))) }
    elevation.add(distanceM: 4_400, at: MonotonicTime(seconds: 440))
    #expect(elevation.gradePct(at: MonotonicTime(seconds: 440)) == nil)
  }

  @Test("a barometer that comes and goes makes no step")
  func intermittentBarometer() throws {
    var (elevation, heights) = (Elevation(), [Double]())
    for second in 0..<3_000 {
      let now = MonotonicTime(seconds: Double(second))
      // The barometer shows 70 m less than the receiver, because of the weather.
      if (second / 500) % 2 == 1 { elevation.add(barometricM: 330, at: now) }
      elevation.add(Self.fix(400, at: Double(second)))
      if let height = elevation.elevationM(at: now) { heights.append(height) }
    }
    #expect(heights.count > 2_900)
    #expect(heights.allSatisfy { abs($0 - 400) < 1 })
    #expect(elevation.ascentM == 0)
    #expect(elevation.descentM == 0)
  }

  @Test("ascent and descent continue after a restart")
  func savedAscent() {
    var elevation = Elevation(saved: Elevation.Saved(ascentM: 1_200, descentM: 800))
    for second in 0..<300 { elevation.add(Self.fix(500 + Double(second) * 0.5, at: Double(second))) }
    #expect(elevation.ascentM > 1_310)
    #expect(elevation.descentM == 800)
    let damaged = Elevation(saved: .init(ascentM: .nan, descentM: -4))
    #expect(damaged.ascentM == 0 && damaged.descentM == 0)
  }

  @Test("random input does not break the computation")
  func randomInput() {
    var random = RoadRandom(3)
    var elevation = Elevation()
    let odd = [Double.nan, .infinity, -.infinity, 0, -1, 1e300, -1e300, Double.leastNonzeroMagnitude]
    func number(_ usual: ClosedRange<Double>) -> Double {
      random.unit() < 0.2 ? odd[Int(random.unit() * 8)] : random.within(usual)
    }
    for _ in 0..<50_000 {
      let now = MonotonicTime(nanoseconds: Int64(random.within(-1e12...1e13)))
      elevation.add(pressurePa: number(90_000...101_000), at: now)
      elevation.add(barometricM: number(0...100), at: now)
      elevation.add(Self.fix(number(0...100), at: now.seconds))
      elevation.add(distanceM: number(0...1e6), at: now)
      if let grade = elevation.gradePct(at: now) { #expect(grade.isFinite) }
    }
    #expect(elevation.ascentM.isFinite && elevation.ascentM >= 0)
    #expect(elevation.descentM.isFinite && elevation.descentM >= 0)
  }

  /// From the tables of ISO 2533.
  @Test(
    "heights follow the standard atmosphere",
    arguments: [(1_013.25, 0.0), (898.746, 1_000), (794.952, 2_000), (701.085, 3_000), (1_074.77, -500)])
  func standardAtmosphere(_ hectopascals: Double, _ height: Double) throws {
    #expect(abs(try #require(Barometer.height(pascals: hectopascals * 100)) - height) < 0.5)
  }

  @Test("the ascent of a profile equals the value computed by hand")
  func profileByHand() {
    var climb = Climb()
    for height in [100.0, 101.5, 100.2, 105, 104, 110, 107, 109.5, 101, 102, 101, 120] {
      climb.add(height, threshold: 2)
    }
    // 100 to 110, 107 to 109.5 and 101 to 120 up; 110 to 107 and 109.5 to 101 down.
    #expect(abs(climb.ascentM - 31.5) < 1e-9)
    #expect(abs(climb.descentM - 11.5) < 1e-9)
  }
}
