// The values of a rider, and the errors for invalid or contradictory ones.

import JSON
import Testing
import Vocabulary

@testable import Metrics

@Suite struct RiderTests {
  @Test("every setting can be set, read and cleared", arguments: Setting.ofRider.map(\.key))
  func settings(_ key: String) throws {
    let setting = try #require(Setting.ofRider.first { $0.key == key })
    var rider = Rider()
    #expect(rider[setting] == nil)
    let (value, wrong): (JSONValue, [JSONValue])
    switch setting.form {
    case .word(let words): (value, wrong) = (.string(words[0]), [.string("other"), .number(1)])
    case .number(let range, _):
      value = .number(range.upperBound)
      wrong = [range.lowerBound - 1, range.upperBound + 1, .nan, .infinity].map(JSONValue.number) + ["heavy", true]
    case .risingNumbers(_, let range, _):
      value = [.number(range.lowerBound), .number(range.upperBound)]
      wrong = [[.number(range.lowerBound - 1), 100], .number(100), ["a", "b"]]
    default:
      Issue.record("no rider has such a setting: \(key)")
      return
    }
    let isSet = rider.set(setting, to: value)
    #expect(isSet)
    #expect(rider[setting] == value)
    for wrong in wrong {
      let isTaken = rider.set(setting, to: wrong)
      #expect(!isTaken)
      #expect(rider[setting] == value)
    }
    let isCleared = rider.set(setting, to: nil)
    #expect(isCleared)
    #expect(rider == Rider())
  }

  @Test(
    "zone floors must rise",
    arguments: [[100], [100, 100], [120, 110, 130], Array(repeating: 1, count: 11)] as [[Double]])
  func zonesRise(_ floors: [Double]) {
    var rider = Rider()
    let isTaken = rider.set(.zoneFloors, to: .array(floors.map(JSONValue.number)))
    #expect(!isTaken)
    #expect(rider.zoneFloorsBpm.isEmpty)
  }

  @Test("the expected value is named with its unit")
  func expectations() {
    #expect(Setting.weight.expected == "a number from 20 to 300 kg (what the rider weighs)")
    #expect(Setting.zoneFloors.expected == "2 to 10 rising numbers, each 0 to 250 beats a minute")
    #expect(Setting.sex.expected == "female or male")
  }

  @Test(
    "contradictory values are reported",
    arguments: [
      ((60, 170, 190), nil), ((100, 90, nil), "resting_bpm is not below threshold_bpm"),
      ((nil, 190, 180), "threshold_bpm is above max_bpm"), ((110, nil, 110), "resting_bpm is not below max_bpm"),
    ] as [((resting: Double?, threshold: Double?, maximum: Double?), String?)])
  func contradictions(_ row: (bpm: (resting: Double?, threshold: Double?, maximum: Double?), sentence: String?)) {
    var rider = Rider()
    let given = [
      (Setting.restingHeartRate, row.bpm.resting), (.thresholdHeartRate, row.bpm.threshold),
      (.maximumHeartRate, row.bpm.maximum),
    ]
    for (setting, bpm) in given {
      let isTaken = rider.set(setting, to: bpm.map(JSONValue.number))
      #expect(isTaken)
    }
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
