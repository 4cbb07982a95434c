// Rides in steps of a second, with the training numbers that numpy computes for them. Made by
// Tests/Metrics/reference/power.py.

import Foundation
import Testing
import Vocabulary

@testable import Metrics

struct TrainingReference: Decodable, CustomTestStringConvertible {
  let name: String
  /// Watts in each second; nil while the pedals are silent.
  let power: [Double?]
  let bpm: [Double]
  /// Ranges of seconds in which the wheel stands, and in which the rider has paused.
  let stops: [[Int]]
  let pauses: [[Int]]
  /// Seconds at which a lap begins, and at which the daemon restarts.
  let laps: [Int]
  let restarts: [Int]
  let expected: Expected

  struct Expected: Decodable {
    let powerAvgW: Double
    let normalizedPowerW: Double
    let variabilityIndex: Double
    let workJ: Double
    let intensityFactor: Double
    let trainingStressScore: Double
    let efficiencyFactorWPerBpm: Double
    let decouplingPct: Double?
    let heartRateLoad: Double
    let wPrimeBalanceJ: Double
    let powerAvgWPerKg: Double
    let normalizedPowerWPerKg: Double
    let zoneTimesS: [Double]
    /// The best power of each duration, by its field of `training`.
    let best: [String: Double?]
    let lap: Lap
  }

  struct Lap: Decodable {
    let powerAvgW: Double
    let normalizedPowerW: Double
    let workJ: Double
  }

  var testDescription: String { name }
  var isConstant: Bool { name.contains("constant") || name.contains("long stops") || name.contains("short blocks") }

  /// The rider in power.py.
  static var rider: Rider {
    var rider = Rider()
    (rider.thresholdPowerW, rider.wPrimeJ, rider.weightKg) = (240, 18_000, 70)
    (rider.restingBpm, rider.maxBpm, rider.sex) = (50, 190, .male)
    return rider
  }

  static let all: [TrainingReference] = {
    struct File: Decodable { let rows: [TrainingReference] }
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Metrics/reference/power.json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let data = try? Data(contentsOf: file), let read = try? decoder.decode(File.self, from: data) else {
      return []
    }
    return read.rows
  }()

  /// The ride, with a wheel, pedals and a strap that each send once per second.
  func ridden(by rider: Rider = Self.rider) -> TestRide {
    var ride = TestRide(rider: rider)
    for second in power.indices {
      if restarts.contains(second) {
        let (saved, now) = (ride.metrics.saved, ride.now)
        ride = TestRide(rider: rider, saved: saved, now: now)
      }
      if laps.contains(second) { ride.metrics.beginLap(at: ride.now) }
      if pauses.contains(where: { $0[0] == second }) { ride.metrics.pause(at: ride.now) }
      if pauses.contains(where: { $0[1] == second }) { ride.metrics.resume(at: ride.now) }
      let stands = stops.contains { $0[0] <= second && second < $0[1] }
      ride.say(speed: stands ? 0 : 8, over: 1, from: ride.wheel)
      ride.say(.heartRate, [(.bpm, bpm[second])], from: ride.strap)
      if let watts = power[second] {
        ride.say(.power, [(.powerW, watts)], from: ride.pedals)
        ride.say(.cadence, [(.cadenceRpm, watts > 0 ? 85 : 0)], from: ride.pedals)
      }
      ride.pass(1)
    }
    return ride
  }
}
