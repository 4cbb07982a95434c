// Measuring a wheel: what is saved, what the user's size changes, and invalid input.
// WheelStudyTests has the accuracy.

import Testing
import Time

@testable import Metrics

struct WheelSizeTests {
  /// The size and the events after a ride on open road.
  static func measured(
    _ size: WheelSize, kilometres: Double = 8, wheel: WheelSensor = WheelSensor(), seed: UInt64 = 1,
    later: Duration = .zero
  ) -> (size: WheelSize, events: [WheelEvent]) {
    var road = RoadSimulator([(.open, 1_000...1_000)], wheel: wheel, seed: seed)
    var (size, events) = (size, [WheelEvent]())
    while road.metres < kilometres * 1_000 {
      road.advance { reception in
        switch reception {
        case .wheel(let turns, let rate, let time): size.add(turns: turns, rate: rate, at: time + later)
        case .fix(var fix):
          fix.time = fix.time + later
          if let event = size.add(fix) { events.append(event) }
        }
      }
    }
    return (size, events)
  }

  @Test("a wheel of unknown size is measured")
  func unknownSize() throws {
    let (size, events) = Self.measured(WheelSize(circumferenceM: nil))
    guard case .measured(let circumference) = try #require(events.first) else {
      return #expect(Bool(false), "\(events)")
    }
    #expect(abs(circumference / 2.1 - 1) < 0.004)
    #expect(abs(try #require(size.circumferenceM) / 2.1 - 1) < 0.003)
    #expect(try #require(size.confidence) > 0.8)
    #expect(size.isMeasured)
  }

  /// After 25 km.
  @Test("a size that was right from the start is confirmed", arguments: [2.1, 1.9, 2.3], [1, 2] as [UInt64])
  func confirmed(_ truth: Double, seed: UInt64) throws {
    let (size, events) = Self.measured(
      WheelSize(circumferenceM: truth), kilometres: 25, wheel: WheelSensor(truth: truth), seed: seed)
    let measurement = try #require(size.measurement)
    #expect(measurement.agrees == true && events.isEmpty)
    #expect(abs(measurement.circumferenceM / truth - 1) < 0.003 && measurement.confidence > 0.9)
    // It stays confirmed after a restart, without further riding.
    #expect(WheelSize(saved: size.saved, circumferenceM: truth).measurement?.agrees == true)
  }

  @Test("a size that is 1 % wrong does not agree")
  func contradicted() throws {
    let measurement = try #require(Self.measured(WheelSize(circumferenceM: 2.121)).size.measurement)
    #expect(abs(measurement.circumferenceM / 2.1 - 1) < 0.004 && measurement.agrees == false)
    #expect(Self.measured(WheelSize(circumferenceM: nil)).size.measurement?.agrees == nil)
  }

  @Test("a wheel of unknown size that counts double stays unknown")
  func unknownSizeDoubleCount() {
    let (size, events) = Self.measured(WheelSize(circumferenceM: nil), wheel: WheelSensor(hasTwoMagnets: true))
    #expect(events == [.countsDouble])
    #expect(size.circumferenceM == nil)
  }

  @Test("a measurement is saved")
  func savedMeasurement() throws {
    let (size, _) = Self.measured(WheelSize(circumferenceM: 2.142))
    let again = WheelSize(saved: size.saved, circumferenceM: 2.142)
    #expect(again.circumferenceM == size.circumferenceM)
    #expect(again.isMeasured)
    #expect(try #require(again.confidence) > 0.8)
    #expect(Self.measured(again, seed: 2).events.isEmpty)
  }

  @Test("a measurement survives many restarts")
  func manyRestarts() throws {
    var (size, _) = Self.measured(WheelSize(circumferenceM: 2.142))
    let measured = size.circumferenceM
    for _ in 1...200 { size = WheelSize(saved: size.saved, circumferenceM: 2.142) }
    #expect(size.circumferenceM == measured && size.isMeasured)
    #expect(try #require(size.saved.stretches.map(\.weight).min()) >= 0.1)
    #expect(try #require(size.confidence) > 0.5)
  }

  @Test("a size that the user set later applies")
  func laterSize() throws {
    let (size, _) = Self.measured(WheelSize(circumferenceM: 2.142))
    // With another wheel, the measurement of the old one is discarded.
    let other = WheelSize(saved: size.saved, circumferenceM: 2.3)
    #expect(other.circumferenceM == 2.3)
    #expect(other.saved.stretches.isEmpty)
    // The same wheel with a new, wrong size: it applies until the next stretch contradicts it.
    var same = size
    same.settingsChanged(circumferenceM: 2.13)
    #expect(same.circumferenceM == 2.13)
    #expect(!same.isMeasured)
    #expect(
      abs(try #require(Self.measured(same, seed: 3, later: .seconds(20_000)).size.circumferenceM) / 2.1 - 1) < 0.003)
  }

  /// The user's size was 2 % wrong, or right.
  @Test("clearing the user's size leaves the measured one", arguments: [2.142, 2.1])
  func clearedAfterMeasurement(_ said: Double) throws {
    let (measured, _) = Self.measured(WheelSize(circumferenceM: said))
    var now = measured
    now.settingsChanged(circumferenceM: nil)
    let later = WheelSize(saved: measured.saved, circumferenceM: nil)
    for size in [now, later] {
      #expect(size.isMeasured)
      #expect(abs(try #require(size.circumferenceM) / 2.1 - 1) < 0.003)
      #expect(size.saved.stretches.count == measured.saved.stretches.count)
    }
    if measured.isMeasured { #expect(now.circumferenceM == measured.circumferenceM) }
  }

  @Test("clearing the user's size before a measurement leaves none")
  func clearedBeforeMeasurement() throws {
    var (size, _) = Self.measured(WheelSize(circumferenceM: 2.142), kilometres: 0.8)
    #expect(!size.saved.stretches.isEmpty)
    size.settingsChanged(circumferenceM: nil)
    #expect(size.circumferenceM == nil && !size.isMeasured)
    // The stretches so far still count for the next measurement.
    #expect(!size.saved.stretches.isEmpty)
    let (after, events) = Self.measured(size, seed: 5, later: .seconds(20_000))
    guard case .measured = try #require(events.first) else { return #expect(Bool(false), "\(events)") }
    #expect(abs(try #require(after.circumferenceM) / 2.1 - 1) < 0.003)
  }

  @Test("a repaired sensor agrees with the receiver again")
  func repairedSensor() {
    let broken = Self.measured(WheelSize(circumferenceM: 2.1), wheel: WheelSensor(hasTwoMagnets: true))
    #expect(broken.events == [.countsDouble])
    // The counter restarts with the new ride.
    let (_, events) = Self.measured(broken.size, kilometres: 4, seed: 4, later: .seconds(20_000))
    #expect(events == [.agreesAgain])
  }

  @Test("an impossible size is ignored")
  func impossibleSize() {
    for size in [0, -2.1, 0.5, 9, Double.nan, .infinity] {
      #expect(WheelSize(circumferenceM: size).circumferenceM == nil, "\(size)")
    }
  }

  @Test("random input does not break the computation")
  func randomInput() throws {
    var random = RoadRandom(7)
    var size = WheelSize(circumferenceM: 2.1)
    let odd = [Double.nan, .infinity, -.infinity, 0, -1, 1e300, -1e300, Double.leastNonzeroMagnitude]
    func number(_ usual: ClosedRange<Double>) -> Double {
      random.unit() < 0.1 ? odd[Int(random.unit() * 8)] : random.within(usual)
    }
    for _ in 0..<50_000 {
      let time = MonotonicTime(nanoseconds: Int64(random.within(-1e12...1e13)))
      size.add(turns: number(0...1e6), rate: random.unit() < 0.3 ? nil : number(0...20), at: time)
      var fix = Fix(time: time, mode: .full)
      (fix.latitudeDeg, fix.longitudeDeg) = (number(-90...90), number(-180...180))
      (fix.speedMps, fix.courseDeg, fix.altitudeM) = (number(3...12), number(0...360), number(0...3_000))
      (fix.accuracyM, fix.satellites, fix.epoch) = (number(1...20), 9, number(1e9...1.1e9))
      _ = size.add(fix)
    }
    let circumference = try #require(size.circumferenceM)
    #expect(circumference == 2.1)
  }
}
