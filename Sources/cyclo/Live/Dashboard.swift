// The state of the live view: sensors, their values, the adapters, and whether the daemon is there.
// It receives updates and never asks; time is a parameter.

import CyclometerClient
import JSON
import Linux
import Time

struct Dashboard {
  /// The sensors from `--sensor` and the requested kinds; empty for all.
  let chosenSensors: [String]
  let chosenKinds: [String]
  private(set) var sensors: [Sensor] = []
  /// In display order.
  private(set) var readings: [Reading] = []
  private(set) var adapters: [JSONValue] = []
  /// Why Bluetooth was unavailable in the last `status`.
  private(set) var obstacle: String?
  private(set) var presence = Presence.unknown
  private var message: (text: String, end: MonotonicTime)?
  var style: Style {
    didSet { for index in readings.indices { readings[index].show(in: style) } }
  }

  enum Presence: Equatable {
    case unknown, connected, away
  }

  init(style: Style, sensors: [String] = [], kinds: [String] = []) {
    self.style = style
    chosenSensors = sensors
    chosenKinds = kinds
  }

  mutating func connected() {
    presence = .connected
  }

  mutating func disconnected() {
    presence = .away
  }

  /// The result of `status`.
  mutating func take(status: JSONValue) {
    adapters = status["adapters"]?.items ?? []
    obstacle = cyclo.obstacle(status)
    sensors = (status["sensors"]?.items ?? []).compactMap { Sensor($0) }.filter { isChosen($0.id) }
    readings.removeAll { reading in
      reading.sample.sensor != "ride" && !sensors.contains { $0.id == reading.sample.sensor }
    }
    arrange()
  }

  mutating func take(_ record: JSONValue, at now: MonotonicTime) {
    if let sample = Sample(record, style) { return take(sample, at: now) }
    switch record["class"]?.text {
    case "state": note(state: record)
    case "sensor": note(sensor: record)
    case "adapter": note(adapter: record)
    case "event": message = (eventText(record, style, inWords: true), now + .seconds(10))
    case "lag":
      message = ("\(record["dropped"]?.integer ?? 0) samples lost: this program reads too slowly", now + .seconds(10))
    default: break
    }
  }

  func message(at now: MonotonicTime) -> String? {
    message.flatMap { now < $0.end ? $0.text : nil }
  }

  /// The sensors that may provide the requested kinds.
  var shownSensors: [Sensor] {
    guard !chosenKinds.isEmpty else { return sensors }
    return sensors.filter { $0.content["kinds"]?.texts?.contains(where: chosenKinds.contains) ?? true }
  }

  func sensor(_ id: String) -> Sensor? {
    sensors.first { $0.id == id }
  }
}

// Whether readings are current.
extension Dashboard {
  enum Standing: Equatable {
    case current
    /// Why it is not, in words.
    case past(String)
  }

  func standing(of reading: Reading, at now: MonotonicTime) -> Standing {
    guard presence == .connected else { return .past("no daemon") }
    if let sensor = owner(of: reading.sample), sensor.state != "streaming" {
      return .past(conditionText(sensor.content))
    }
    if reading.isAwaited { return .past("no value yet") }
    return reading.isLate(at: now) ? .past("no new data") : .current
  }
}

// The content of the screen.
extension Dashboard {
  /// The owner of a value: for a value of the ride, its source.
  func owner(of sample: Sample) -> Sensor? {
    sensor(sample.sensor == "ride" ? sample["source"]?.text ?? "ride" : sample.sensor)
  }

  /// Each metric once: if the ride has a current value, those of single sensors are omitted, and
  /// vice versa. Kinds that a sensor may still send keep their places.
  func shownReadings(at now: MonotonicTime) -> [Reading] {
    let wanted = readings.filter { isPrimary($0.sample.kind) }
    var shown = wanted.filter { reading in
      let same = wanted.filter { $0.sample.kind == reading.sample.kind }
      let ride = same.first { $0.sample.sensor == "ride" }
      guard let ride, same.count > 1 else { return true }
      let isOfRide = reading.sample.sensor == "ride"
      return (standing(of: ride, at: now) == .current) == isOfRide
    }
    for kind in firstKinds where !shown.contains(where: { $0.sample.kind == kind }) {
      guard chosenKinds.isEmpty || chosenKinds.contains(kind) else { continue }
      guard let sensor = sensors.first(where: { $0.maySend(kind) && $0.state != "disabled" }) else { continue }
      shown.append(Reading(awaiting: kind, from: sensor.id, style, at: now))
    }
    return arranged(shown)
  }

  /// All readings, with the sensors' own values in addition to the ride's.
  var secondaryReadings: [Reading] { readings }

  private func isPrimary(_ kind: String) -> Bool {
    chosenKinds.contains(kind) || !secondaryKinds.contains(kind)
  }
}

extension Sensor {
  /// Whether the sensor can have a value of this kind.
  fileprivate func maySend(_ kind: String) -> Bool {
    guard kinds.contains(kind) else { return false }
    switch kind {
    case "speed": return countsTurns([]) != false
    case "cadence": return content["facts"]?["crank_revolution_data"]?.bool != false
    default: return true
    }
  }
}

/// Totals and details, shown on request or behind a key.
private let secondaryKinds: Set<String> = [
  "position", "averages", "lap_averages", "hrv", "zones", "power_zones", "training", "wheel", "bike",
]

extension Dashboard {
  private func isChosen(_ id: String) -> Bool {
    chosenSensors.isEmpty || chosenSensors.contains(id)
  }

  private mutating func take(_ sample: Sample, at now: MonotonicTime) {
    // The battery level is shown with the sensor's state unless it was requested.
    if sample.kind == "battery", !chosenKinds.contains("battery") {
      return change(sample.sensor) { $0.setting("battery_pct", sample["battery_pct"]) }
    }
    if let index = readings.firstIndex(where: { $0.sample.sensor == sample.sensor && $0.sample.kind == sample.kind }) {
      readings[index].take(sample, at: now)
    } else {
      readings.append(Reading(sample, at: now))
      arrange()
    }
  }

  private mutating func arrange() { readings = arranged(readings) }

  private func arranged(_ readings: [Reading]) -> [Reading] {
    let places = Dictionary(sensors.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    func key(_ reading: Reading) -> (Int, String, Int, String) {
      let (kind, sensor) = (reading.sample.kind, reading.sample.sensor)
      return (kindOrder.firstIndex(of: kind) ?? kindOrder.count, kind, places[sensor] ?? -1, sensor)
    }
    return readings.sorted { key($0) < key($1) }
  }

  private mutating func change(_ id: String, _ body: (JSONValue) -> JSONValue) {
    guard let index = sensors.firstIndex(where: { $0.id == id }) else { return }
    if let changed = Sensor(body(sensors[index].content)) { sensors[index] = changed }
  }

  private mutating func note(state record: JSONValue) {
    guard let id = record["sensor"]?.text else { return }
    change(id) { content in
      ["state", "reason", "retry_ms"].reduce(content) { $0.setting($1, record[$1]) }
    }
  }

  private mutating func note(sensor record: JSONValue) {
    guard let sensor = record["sensor"].flatMap({ Sensor($0) }), isChosen(sensor.id) else { return }
    if record["change"]?.text == "removed" {
      sensors.removeAll { $0.id == sensor.id }
      readings.removeAll { $0.sample.sensor == sensor.id }
    } else if let index = sensors.firstIndex(where: { $0.id == sensor.id }) {
      sensors[index] = sensor
    } else {
      sensors.append(sensor)
    }
    arrange()
  }

  private mutating func note(adapter record: JSONValue) {
    if let index = adapters.firstIndex(where: { $0["adapter"] == record["adapter"] }) {
      adapters[index] = record
    } else {
      adapters.append(record)
    }
  }
}

/// The most important values come first.
private let kindOrder = [
  "radar", "speed", "power", "heart_rate", "cadence", "ride", "grade", "trainer", "rowing", "tire_pressure", "oxygen",
  "muscle_oxygen", "body_temperature", "environment", "ecg", "acceleration", "trainer_status", "averages",
  "lap_averages",
  "training", "zones", "power_zones", "hrv", "position", "wheel", "bike", "battery",
]

extension JSONValue {
  /// Samples with or without this member.
  fileprivate func setting(_ name: String, _ value: JSONValue?) -> JSONValue {
    let others = (members ?? []).filter { $0.name != name }
    return .object(others + (value.map { [Member(name, $0)] } ?? []))
  }
}
