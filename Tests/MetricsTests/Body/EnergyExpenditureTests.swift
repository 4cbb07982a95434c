// Energy from power, from heart rate and from both, compared with values computed by hand.

import Testing
import Time

@testable import Metrics

@Suite struct EnergyExpenditureTests {
  static func rider(_ sex: Rider.Sex = .male, weight: Double? = 75, age: Double? = 40) -> Rider {
    var rider = Rider()
    (rider.sex, rider.weightKg, rider.ageYears) = (sex, weight, age)
    return rider
  }

  private static func second(_ number: Int) -> MonotonicTime { MonotonicTime(seconds: 1000 + Double(number)) }

  /// By hand: (-55.0969 + 0.6309 * 150 + 0.1988 * 75 + 0.2017 * 40) / 4.184 = 62.5161 / 4.184, and
  /// (-20.4022 + 0.4472 * 150 - 0.1263 * 60 + 0.074 * 30) / 4.184 = 41.3198 / 4.184.
  @Test("Keytel's formula gives the values computed by hand")
  func keytelByHand() throws {
    let man = try #require(EnergyExpenditure.kilocaloriesPerMinute(bpm: 150, Self.rider()))
    #expect(abs(man - 14.9417) < 1e-4)
    let woman = try #require(
      EnergyExpenditure.kilocaloriesPerMinute(bpm: 150, Self.rider(.female, weight: 60, age: 30)))
    #expect(abs(woman - 9.8757) < 1e-4)
    #expect(EnergyExpenditure.kilocaloriesPerMinute(bpm: 30, Self.rider()) == 0)
  }

  @Test("without weight, age or sex the heart rate gives no energy")
  func unknownRider() {
    var noSex = Self.rider()
    noSex.sex = nil
    for rider in [Rider(), Self.rider(weight: nil), Self.rider(age: nil), noSex] {
      var energy = EnergyExpenditure(rider)
      for number in 0..<60 { energy.add(bpm: 150, at: Self.second(number)) }
      #expect(energy.kilocalories == nil)
    }
  }

  @Test("an hour at 200 W is 720 kcal")
  func hourOfPower() throws {
    var energy = EnergyExpenditure(Rider())
    energy.add(powerW: 200, at: Self.second(0))
    #expect(energy.kilocalories == nil)
    for number in 1...3600 { energy.add(powerW: 200, at: Self.second(number)) }
    #expect(abs(try #require(energy.kilocalories) - 720) < 1e-6)
  }

  @Test("an hour at 150 bpm gives Keytel's energy")
  func hourOfHeartRate() throws {
    var energy = EnergyExpenditure(Self.rider())
    for number in 0...3600 { energy.add(bpm: 150, at: Self.second(number)) }
    #expect(abs(try #require(energy.kilocalories) - 60 * 62.5161 / 4.184) < 1e-6)
  }

  /// Power counts while it is known, and the heart rate otherwise.
  @Test("power and heart rate of the same second count once")
  func powerAndHeartRate() throws {
    var energy = EnergyExpenditure(Self.rider())
    for number in 0...300 {
      energy.add(bpm: 150, at: Self.second(number))
      if !(101..<200).contains(number) { energy.add(powerW: 250, at: Self.second(number)) }
    }
    let perSecond = 62.5161 / 4.184 / 60
    // The heart rate counts from 100 s to 200 s, and power again from its second value on.
    let truth = 0.25 * 200 + perSecond * 100
    #expect(abs(try #require(energy.kilocalories) - truth) < 2 * perSecond)
  }

  @Test("time without power and heart rate is not counted")
  func silence() throws {
    var energy = EnergyExpenditure(Self.rider())
    for number in Array(0...10) + Array(100...110) {
      energy.add(bpm: 150, at: Self.second(number))
      energy.add(powerW: 250, at: Self.second(number))
    }
    #expect(abs(try #require(energy.kilocalories) - 0.25 * 20) < 1e-9)
  }

  @Test("a pause is not counted")
  func pause() throws {
    var energy = EnergyExpenditure(Rider())
    energy.add(powerW: 100, at: Self.second(0))
    energy.add(powerW: 100, at: Self.second(1))
    energy.interrupt()
    energy.add(powerW: 100, at: Self.second(3))
    energy.add(powerW: 100, at: Self.second(4))
    #expect(abs(try #require(energy.kilocalories) - 0.2) < 1e-9)
  }

  @Test("invalid values and past times change nothing")
  func invalidValues() throws {
    var energy = EnergyExpenditure(Self.rider())
    energy.add(powerW: 100, at: Self.second(10))
    for power in [Double.nan, .infinity, -1, 5000] { energy.add(powerW: power, at: Self.second(11)) }
    for bpm in [Double.nan, -Double.infinity, 0, 500] { energy.add(bpm: bpm, at: Self.second(11)) }
    energy.add(powerW: 4000, at: Self.second(9))
    #expect(energy.kilocalories == nil)
    energy.add(powerW: 100, at: Self.second(12))
    #expect(abs(try #require(energy.kilocalories) - 0.2) < 1e-9)
  }

  @Test("counting continues from the saved energy")
  func savedEnergy() throws {
    var energy = EnergyExpenditure(Rider(), saved: 500)
    #expect(energy.kilocalories == 500)
    energy.add(powerW: 100, at: Self.second(0))
    energy.add(powerW: 100, at: Self.second(1))
    #expect(abs(try #require(energy.kilocalories) - 500.1) < 1e-9)
    for damaged in [Double.nan, .infinity, -1] {
      #expect(EnergyExpenditure(Rider(), saved: damaged).kilocalories == nil)
    }
  }

  @Test("another rider's data applies from then on")
  func anotherRider() throws {
    var energy = EnergyExpenditure(Rider())
    for number in 0...10 { energy.add(bpm: 150, at: Self.second(number)) }
    energy.change(Self.rider())
    for number in 11...71 { energy.add(bpm: 150, at: Self.second(number)) }
    #expect(abs(try #require(energy.kilocalories) - 62.5161 / 4.184) < 1e-9)
  }
}
