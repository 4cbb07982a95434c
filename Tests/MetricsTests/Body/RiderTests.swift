// The values of a rider, and the errors for invalid or contradictory ones.

import Testing

@testable import Metrics

@Suite struct RiderTests {
  @Test("every key can be set, read and cleared", arguments: RiderKey.allCases)
  func keys(_ key: RiderKey) throws {
    var rider = Rider()
    #expect(rider.numbers(key).isEmpty)
    guard let bounds = key.bounds else {
      #expect(rider.set(sex: "female") == nil)
      #expect(rider.sex == .female)
      #expect(rider.set(key, [1]) == "sex is female or male")
      #expect(rider.set(key, []) == nil)
      #expect(rider == Rider())
      return
    }
    let values = key == .zoneFloors ? [bounds.lowerBound, bounds.upperBound] : [bounds.upperBound]
    #expect(rider.set(key, values) == nil)
    #expect(rider.numbers(key) == values)
    for wrong in [bounds.lowerBound - 1, bounds.upperBound + 1, .nan, .infinity] {
      #expect(rider.set(key, [wrong]) == key.expectation)
      #expect(rider.numbers(key) == values)
    }
    #expect(rider.set(key, []) == nil)
    #expect(rider == Rider())
  }

  @Test("expectations are sentences that name the key")
  func expectations() {
    #expect(RiderKey.weight.expectation == "weight_kg is a number, 20 to 300 kg")
    #expect(
      RiderKey.zoneFloors.expectation == "zone_floors_bpm is 2 to 10 rising numbers, each 0 to 250 beats a minute")
    for key in RiderKey.allCases { #expect(key.expectation.hasPrefix(key.rawValue + " is ")) }
  }

  @Test(
    "zone floors must rise",
    arguments: [[100], [100, 100], [120, 110, 130], Array(repeating: 1, count: 11)] as [[Double]])
  func zonesRise(_ floors: [Double]) {
    var rider = Rider()
    #expect(rider.set(.zoneFloors, floors) == RiderKey.zoneFloors.expectation)
    #expect(rider.zoneFloorsBpm.isEmpty)
  }

  @Test("the sex is female or male")
  func sex() {
    var rider = Rider()
    #expect(rider.set(sex: "yes") == "sex is female or male")
    #expect(rider.sex == nil)
  }

  @Test(
    "contradictory values are reported",
    arguments: [
      ([(.resting, 60), (.threshold, 170), (.maximum, 190)], nil),
      ([(.resting, 100), (.threshold, 90)], "resting_bpm is not below threshold_bpm"),
      ([(.threshold, 190), (.maximum, 180)], "threshold_bpm is above max_bpm"),
      ([(.resting, 110), (.maximum, 110)], "resting_bpm is not below max_bpm"),
    ] as [([(RiderKey, Double)], String?)])
  func contradictions(_ row: (values: [(RiderKey, Double)], sentence: String?)) {
    var rider = Rider()
    for (key, value) in row.values { #expect(rider.set(key, [value]) == nil) }
    #expect(rider.contradiction == row.sentence)
  }

  @Test("zone floors must not be above the maximum")
  func zonesBelowMaximum() {
    var rider = Rider()
    rider.maxBpm = 180
    rider.zoneFloorsBpm = [100, 185]
    #expect(rider.contradiction == "the highest of zone_floors_bpm is above max_bpm")
  }
}
