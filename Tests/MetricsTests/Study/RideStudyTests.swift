// No fault on a ride makes one of its numbers wrong. RIDE_SEEDS sets the number of seeds.

import Foundation
import Testing

@testable import Metrics

struct RideStudyTests {
  /// Debug code is slow, so it uses fewer seeds and shorter rides.
  private static let seeds: [UInt64] = {
    let usual: UInt64 = isOptimised ? 2 : 1
    let count = ProcessInfo.processInfo.environment["RIDE_SEEDS"].flatMap(UInt64.init) ?? usual
    return (0..<count).map { 770_001 + 13 * $0 }
  }()

  private static var isOptimised: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }

  private static let scenes: [(name: String, scene: RideStudy.Scene)] = [
    ("nothing goes wrong", RideStudy.Scene(silences: nil)),
    ("sensors come and go", RideStudy.Scene()),
    ("without a receiver", RideStudy.Scene(hasReceiver: false)),
    ("two wheels, no receiver", RideStudy.Scene(hasReceiver: false, hasSpareWheel: true)),
    ("counters start again", RideStudy.Scene(restarts: 0.002)),
    ("nonsense is sent", RideStudy.Scene(nonsense: 0.1)),
    ("the computer sleeps", RideStudy.Scene(sleeps: 0.005)),
    ("pauses and laps by hand", RideStudy.Scene(pauses: 0.003, laps: 0.003)),
    ("laps of a kilometre", RideStudy.Scene(lapDistanceM: 1000)),
    ("the daemon restarts", RideStudy.Scene(silences: nil, restartsEvery: 1200)),
    (
      "everything",
      RideStudy.Scene(
        hasSpareWheel: true, restarts: 0.0005, nonsense: 0.05, sleeps: 0.001, pauses: 0.001, lapDistanceM: 5000)
    ),
  ]

  @Test("the numbers of a long ride match the truth", arguments: scenes.map(\.name))
  func study(_ name: String) throws {
    var scene = try #require(Self.scenes.first { $0.name == name }).scene
    if !Self.isOptimised { scene.hours = 1 }
    for seed in Self.seeds {
      var study = RideStudy(scene, seed: seed)
      study.ride()
      Self.check(study, "\(name), seed \(seed)")
      print(Self.row(study, name))
    }
  }

  @Test("the numbers of a day with every failure match the truth", .enabled(if: isOptimised, "takes minutes otherwise"))
  func dayOfFailures() {
    var study = RideStudy(
      RideStudy.Scene(
        hours: 24, silences: (60...3600, 1...600), hasSpareWheel: true, restarts: 0.0002, nonsense: 0.02,
        sleeps: 0.0001,
        lapDistanceM: 5000, restartsEvery: 7200), seed: 781_001)
    study.ride()
    Self.check(study, "a day")
    print(Self.row(study, "a day"))
  }

  private static func row(_ study: borrowing RideStudy, _ name: String) -> String {
    let (ride, truth) = (study.reader.ride, study.truth)
    func pair(_ said: String, _ true: Double) -> String {
      ride[said].map { String(format: "%.0f of %.0f (%+.2f %%)", $0, `true`, ($0 / `true` - 1) * 100) } ?? "-"
    }
    return [
      name, pair("distance_m", truth.metres), pair("distance_m", truth.watchedMetres),
      pair("moving_time_s", truth.moving), pair("work_j", truth.watchedJoules),
      String(format: "%.0f of %.0f", study.reader.zones.reduce(0, +), truth.heartSeconds),
      "\(truth.stops) stops", "\(study.reader.events)",
    ].joined(separator: " | ")
  }

  private static func checkLaps(
    _ study: borrowing RideStudy, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (truth, scene, ride) = (study.truth, study.scene, study.reader.ride)
    if scene.laps > 0 {
      let laps = study.lapDistances + study.metrics.ride.totals.distance.lap
      #expect(
        abs(laps - study.metrics.ride.totals.distance.ride) < 0.01,
        "\(what): \(laps) of \(study.metrics.ride.totals.distance.ride)", sourceLocation: sourceLocation)
      #expect(ride["lap"] == Double(study.lapsBegun + 1), "\(what)", sourceLocation: sourceLocation)
    }
    if let length = scene.lapDistanceM {
      #expect(
        abs((ride["lap"] ?? 0) - ((ride["distance_m"] ?? 0) / length).rounded(.down) - 1) <= 1 + truth.unwatched / 100,
        "\(what)",
        sourceLocation: sourceLocation)
    }
  }

  private static func check(
    _ study: borrowing RideStudy, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let (reader, truth, scene) = (study.reader, study.truth, study.scene)
    #expect(reader.faults.isEmpty, "\(what): \(reader.faults)", sourceLocation: sourceLocation)
    let ride = reader.ride
    let distance = ride["distance_m"] ?? 0
    // Each stop and each change of source costs some metres between two packets.
    let slack = 20 + 4 * Double(truth.stops)
    #expect(
      distance > truth.watchedMetres * 0.995 - slack, "\(what): \(distance) of \(truth.watchedMetres)",
      sourceLocation: sourceLocation)
    #expect(
      distance < truth.metres * 1.005 + slack, "\(what): \(distance) of \(truth.metres)", sourceLocation: sourceLocation
    )
    let elapsed = study.bike.time - truth.began - truth.pausedFor
    #expect(ride["ride_time_s"] ?? 0 <= elapsed + 1, "\(what)", sourceLocation: sourceLocation)
    let moving = ride["moving_time_s"] ?? 0
    // The time of unobserved distance is computed from the mean speed.
    let doubt = 0.01 * truth.moving + 5 * Double(truth.stops) + 0.3 * truth.unwatched
    #expect(
      abs(moving - truth.moving) <= doubt + (scene.pauses > 0 ? truth.unwatched : 0),
      "\(what): \(moving) of \(truth.moving)", sourceLocation: sourceLocation)
    // A ride that never moved has no mean speed.
    let mean = reader.averages["speed_avg_mps"] ?? 0
    #expect(mean > 0 && mean <= truth.fastest || truth.moving < 60, "\(what): \(mean)", sourceLocation: sourceLocation)
    let fastest = reader.averages["speed_max_mps"] ?? 0
    #expect(
      fastest <= truth.fastest * 1.03 + 0.3, "\(what): \(fastest) of \(truth.fastest)", sourceLocation: sourceLocation)
    #expect(reader.averages["power_max_w"] ?? 0 <= truth.greatestPower + 1, "\(what)", sourceLocation: sourceLocation)
    let work = ride["work_j"] ?? 0
    let workDoubt = 0.02 * truth.watchedJoules + 400 * Double(1 + truth.stops)
    #expect(
      abs(work - truth.watchedJoules) < workDoubt, "\(what): \(work) of \(truth.watchedJoules)",
      sourceLocation: sourceLocation)
    let zoned = reader.zones.reduce(0, +) + (study.metrics.ride.body.zones?.seconds(in: 0) ?? 0)
    // Time without a known movement counts in no zone.
    let zoneDoubt = 0.03 * truth.heartSeconds + 5 * Double(1 + truth.stops) + truth.unwatched
    #expect(
      abs(zoned - truth.heartSeconds) < zoneDoubt, "\(what): \(zoned) of \(truth.heartSeconds)",
      sourceLocation: sourceLocation)
    checkLaps(study, what, sourceLocation: sourceLocation)
    // The size of the spare wheel is not set; a new process measures it again.
    let isSpareMeasured = scene.hasSpareWheel && scene.hasReceiver
    // A gap of the receiver is joined when no wheel covers it.
    let expected = (isSpareMeasured ? ["wheel_measured"] : []) + (scene.hasReceiver ? ["gps_gap_joined"] : [])
    #expect(
      reader.events.keys.allSatisfy(expected.contains), "\(what): \(reader.events)", sourceLocation: sourceLocation)
    if scene.restartsEvery == nil {
      #expect(reader.events["wheel_measured"] ?? 0 <= 1, "\(what)", sourceLocation: sourceLocation)
    }
  }
}
