// The training numbers of a ride as JSON. Every member is optional, because earlier releases did
// not save them.

import JSON
import Metrics

extension SavedRide.Efforts {
  init(_ json: JSONValue) {
    self.init()
    recentTenths = json["recent_power_dw"]?.items?.compactMap { $0.integer.flatMap { UInt16(exactly: $0) } } ?? []
    (best5s, best1min) = (json.amount("best_5s_w"), json.amount("best_1min_w"))
    (best5min, best20min) = (json.amount("best_5min_w"), json.amount("best_20min_w"))
  }

  func write(into writer: inout JSONWriter) {
    writer.member("efforts")
    writer.beginObject()
    writer.member("recent_power_dw", .array(recentTenths.map { .number(Double($0)) }))
    writer.member("best_5s_w", best5s)
    writer.member("best_1min_w", best1min)
    writer.member("best_5min_w", best5min)
    writer.member("best_20min_w", best20min)
    writer.endObject()
  }
}

extension SavedRide.Training {
  init(_ json: JSONValue) {
    self.init()
    if let threshold = json.amount("power_zones_threshold_w"), let times = json["power_zone_times_s"]?.items {
      powerZones = SavedRide.PowerZones(thresholdW: threshold, seconds: times.compactMap(\.number))
    }
    (wPrimeSpentJ, heartRateLoad) = (json.amount("w_prime_spent_j"), json.amount("heart_rate_load"))
    carsPassed = json.amount("cars_passed").flatMap { Int(exactly: $0) }
    if let ride = json.amount("coasting_time_s"), let lap = json.amount("lap_coasting_time_s") {
      coasting = SavedRide.Coasting(ride: ride, lap: lap)
    }
    if let rideTime = json.amount("lap_start_time_s"), let ascent = json.amount("lap_start_ascent_m"),
      let descent = json.amount("lap_start_descent_m")
    {
      lapStart = SavedRide.LapStart(rideTime: rideTime, ascentM: ascent, descentM: descent)
    }
    guard let length = json.amount("piece_s"), let items = json["pieces"]?.items else { return }
    let all = items.compactMap(SavedRide.Piece.init)
    guard let current = all.last, all.count == items.count else { return }
    pieces = SavedRide.Pieces(length: length, complete: all.dropLast(), current: current)
  }

  func write(into writer: inout JSONWriter) {
    writer.member("training")
    writer.beginObject()
    if let powerZones {
      writer.member("power_zones_threshold_w", powerZones.thresholdW)
      writer.member("power_zone_times_s", .array(powerZones.seconds.map(JSONValue.number)))
    }
    writer.member("w_prime_spent_j", wPrimeSpentJ)
    writer.member("heart_rate_load", heartRateLoad)
    writer.member("cars_passed", carsPassed)
    writer.member("coasting_time_s", coasting?.ride)
    writer.member("lap_coasting_time_s", coasting?.lap)
    writer.member("lap_start_time_s", lapStart?.rideTime)
    writer.member("lap_start_ascent_m", lapStart?.ascentM)
    writer.member("lap_start_descent_m", lapStart?.descentM)
    writer.member("piece_s", pieces.length)
    writer.member("pieces", .array((pieces.complete + [pieces.current]).map(\.json)))
    writer.endObject()
  }
}

extension SavedRide.Piece {
  fileprivate init?(_ json: JSONValue) {
    self.init()
    guard let numbers = json.items?.compactMap(\.number), numbers.count == 5,
      numbers.allSatisfy({ $0.isFinite && $0 >= 0 })
    else { return nil }
    (seconds, windows, beatSeconds) = (numbers[0], numbers[1], numbers[3])
    // Means, because a sum of fourth powers can have more digits than a number of the protocol.
    (fourths, beats) = (numbers[2] * windows, numbers[4] * beatSeconds)
  }

  fileprivate var json: JSONValue {
    let means = (fourths / max(1, windows), beats / max(1, beatSeconds))
    return .array([seconds, windows, means.0, beatSeconds, means.1].map(JSONValue.number))
  }
}
