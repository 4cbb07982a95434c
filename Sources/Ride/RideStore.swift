// Saves the ride's totals in the state directory.

import JSON
import Metrics
package import ProgramKit
import Vocabulary
import Wire

package final class RideStore {
  static let version = 1
  private let file: StateFile

  package init(folder: String, file: String, log: Log) {
    self.file = StateFile(folder + "/" + file, version: Self.version, fallback: "a new ride begins", log: log)
  }

  struct Kept {
    var ride = SavedRide()
    var lastMoved: Clock.Moment?
  }

  func load() -> Kept {
    guard let json = file.load() else { return Kept() }
    guard let ride = SavedRide(json) else {
      file.quarantine("is damaged")
      return Kept()
    }
    return Kept(ride: ride, lastMoved: Clock.Moment(json["moved"]))
  }

  /// Whether it was saved.
  func save(_ ride: SavedRide, lastMoved: Clock.Moment?) -> Bool {
    file.keep("the ride") { writer in
      if let lastMoved {
        writer.member("moved")
        lastMoved.write(into: &writer)
      }
      ride.writeMembers(into: &writer)
    }
  }
}

// MARK: As JSON

extension SavedRide {
  /// Nil if a number is missing or out of range.
  init?(_ json: JSONValue) {
    self.init()
    guard let clock = json["clock"], let ride = json["ride"].flatMap(Totals.init),
      let lapRide = json["lap_ride"].flatMap(Totals.init),
      let lap = json["lap"]?.integer, lap > 0, let rideTime = clock.amount("ride_time_s"),
      let movingTime = clock.amount("moving_time_s"), let isPaused = clock["paused"]?.bool
    else { return nil }
    self.clock.isBegunByHand = clock["begun_by_hand"]?.bool ?? false
    (self.clock.rideTime, self.clock.movingTime, self.clock.isPausedByHand) = (rideTime, movingTime, isPaused)
    self.lap = lap
    identity = json["id"]?.text.map { RideIdentity(id: $0, started: json["started"]?.text) }
    isClosed = json["ended"]?.bool ?? false
    sport = json["sport"]?.text.flatMap(Sport.init)
    sportSeconds = json["sport_times_s"]?.items?.compactMap(\.number) ?? []
    // Earlier releases did not save it.
    lapLead = json.amount("lap_lead_m") ?? 0
    (totals, lapTotals) = (ride, lapRide)
    kilocalories = json.amount("energy_kcal")
    zoneFloorsBpm = json["zone_floors_bpm"]?.items?.compactMap(\.number) ?? []
    zoneSeconds = json["zone_times_s"]?.items?.compactMap(\.number) ?? []
    (ascentM, descentM) = (json.amount("ascent_m") ?? 0, json.amount("descent_m") ?? 0)
    // Earlier releases did not save these.
    efforts = json["efforts"].map(Efforts.init) ?? Efforts()
    training = json["training"].map(Training.init) ?? Training()
    finishedLaps = LapsReply(json)?.laps.compactMap(FinishedLap.init) ?? []
  }

  func writeMembers(into writer: inout JSONWriter) {
    if let identity {
      writer.member("id", String(decoding: identity.id, as: UTF8.self))
      writer.member("started", identity.started.map { String(decoding: $0, as: UTF8.self) })
    }
    if isClosed { writer.member("ended", true) }
    writer.member("sport", sport?.rawValue)
    writer.member("sport_times_s", .array(sportSeconds.map(JSONValue.number)))
    writer.member("clock")
    writer.beginObject()
    writer.member("ride_time_s", clock.rideTime)
    writer.member("moving_time_s", clock.movingTime)
    writer.member("paused", clock.isPausedByHand)
    writer.member("begun_by_hand", clock.isBegunByHand)
    writer.endObject()
    writer.member("lap", lap)
    writer.member("lap_lead_m", lapLead)
    writer.member("ride")
    totals.write(into: &writer)
    writer.member("lap_ride")
    lapTotals.write(into: &writer)
    writer.member("energy_kcal", kilocalories)
    writer.member("zone_floors_bpm", .array(zoneFloorsBpm.map(JSONValue.number)))
    writer.member("zone_times_s", .array(zoneSeconds.map(JSONValue.number)))
    writer.member("ascent_m", ascentM)
    writer.member("descent_m", descentM)
    efforts.write(into: &writer)
    training.write(into: &writer)
    writer.member("laps")
    finishedLaps.map(\.record).write(into: &writer)
  }
}

extension SavedRide.Totals {
  fileprivate init?(_ json: JSONValue) {
    self.init()
    guard let distance = json.amount("distance_m"), let movingTime = json.amount("moving_time_s"),
      let speed = SavedRide.Statistic(json["speed"]),
      let cadence = SavedRide.Statistic(json["cadence"]), let power = SavedRide.Statistic(json["power"]),
      let heartRate = SavedRide.Statistic(json["heart_rate"]), let balance = SavedRide.Statistic(json["balance"]),
      let fourth = json.amount("fourth_power_mean"), let fourthSeconds = json.amount("fourth_power_s"),
      let work = json.amount("work_j"), let workSeconds = json.amount("work_s")
    else { return nil }
    (self.distance, self.movingTime) = (distance, movingTime)
    (self.speed, self.cadence, self.power, self.heartRate, self.balance) = (speed, cadence, power, heartRate, balance)
    (powerNumbers.fourths, powerNumbers.fourthSeconds) = (fourth * fourthSeconds, fourthSeconds)
    (powerNumbers.workJ, powerNumbers.seconds) = (work, workSeconds)
  }

  fileprivate func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("distance_m", distance)
    writer.member("moving_time_s", movingTime)
    speed.write("speed", into: &writer)
    cadence.write("cadence", into: &writer)
    power.write("power", into: &writer)
    heartRate.write("heart_rate", into: &writer)
    balance.write("balance", into: &writer)
    // A mean, because the sum of a long ride can have more digits than a number of the protocol.
    writer.member("fourth_power_mean", powerNumbers.fourths / max(1, powerNumbers.fourthSeconds))
    writer.member("fourth_power_s", powerNumbers.fourthSeconds)
    writer.member("work_j", powerNumbers.workJ)
    writer.member("work_s", powerNumbers.seconds)
    writer.endObject()
  }
}

extension SavedRide.Statistic {
  fileprivate init?(_ json: JSONValue?) {
    self.init()
    guard let sum = json?["sum"]?.number, sum.isFinite, let seconds = json?.amount("seconds") else { return nil }
    (self.sum, self.seconds, maximum) = (sum, seconds, json?["maximum"]?.number)
  }

  fileprivate func write(_ name: String, into writer: inout JSONWriter) {
    writer.member(name)
    writer.beginObject()
    writer.member("sum", sum)
    writer.member("seconds", seconds)
    writer.member("maximum", maximum)
    writer.endObject()
  }
}

extension JSONValue {
  /// A finite number that is not negative.
  func amount(_ name: String) -> Double? {
    self[name]?.number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }
}
