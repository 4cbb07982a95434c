// The state of the live view: sensors, their values, the adapters, and whether the daemon is there.
// It receives updates and never asks; time is a parameter.

import CyclometerClient
import CyclometerSamples
import JSON
import Linux
import LogbookWire
import Time
import Vocabulary
import Wire

struct Dashboard {
  /// The sensors from `--sensor` and the requested kinds; empty for all.
  let chosenSensors: [String]
  let chosenKinds: [String]
  private(set) var sensors: [SensorRecord] = []
  /// In display order.
  private(set) var readings: [LiveReading] = []
  private(set) var adapters: [AdapterRecord] = []
  /// The last state of each sensor that has changed since `status`; it tells when the next try is.
  private var states: [String: StateRecord] = [:]
  /// Why Bluetooth was unavailable in the last `status`.
  private(set) var obstacle: String?
  /// Why the recorder cannot store anything at present.
  private(set) var storageTrouble: String?
  private(set) var presence = Presence.unknown
  private(set) var hasGuide = false
  private var message: (text: String, end: MonotonicTime)?
  private(set) var style: Style {
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

  mutating func show(in units: UnitSystem) { style.units = units }

  mutating func connected() {
    presence = .connected
  }

  mutating func disconnected() {
    presence = .away
  }

  mutating func guide(isThere: Bool) { hasGuide = isThere }

  /// The result of `status`.
  mutating func take(status: StatusReply) {
    adapters = status.adapters
    obstacle = cyclo.obstacle(status)
    sensors = status.sensors.filter { isChosen($0.id) }
    states = [:]
    readings.removeAll { reading in
      !reading.sample.isDerived && !sensors.contains { $0.id == reading.sample.sensor }
    }
    arrange()
  }

  mutating func take(_ news: Message, at now: MonotonicTime) {
    switch news {
    case .sample(let sample): take(Sample(sample, style), at: now)
    case .state(let state): note(state)
    case .sensor(let change): note(change)
    case .adapter(let adapter): note(adapter)
    case .event(let event): show(eventText(event, style, inWords: true), at: now)
    case .lag(let lag): show(lag.words, at: now)
    default: break
    }
  }

  /// An event of the recorder.
  mutating func take(_ event: LogbookEventRecord, at now: MonotonicTime) {
    switch event.event.known {
    case .storageFailed: storageTrouble = event.message ?? ""
    case .storageOK: storageTrouble = nil
    default: break
    }
    show(event.words(isPlain: true), at: now)
  }

  /// What was wrong with its storage may be over.
  mutating func lostRecorder() { storageTrouble = nil }

  mutating func show(_ text: String, at now: MonotonicTime) { message = (text, now + .seconds(10)) }

  func message(at now: MonotonicTime) -> String? {
    message.flatMap { now < $0.end ? $0.text : nil }
  }

  /// The sensors that may provide the requested kinds.
  var shownSensors: [SensorRecord] {
    guard !chosenKinds.isEmpty else { return sensors }
    return sensors.filter { $0.kinds.contains(where: chosenKinds.contains) }
  }

  func sensor(_ id: String) -> SensorRecord? {
    sensors.first { $0.id == id }
  }

  func condition(of sensor: SensorRecord) -> String { states[sensor.id]?.condition ?? sensor.condition }
}

// Whether readings are current.
extension Dashboard {
  enum Standing: Equatable {
    case current
    /// Why it is not, in words.
    case past(String)
  }

  func standing(of reading: LiveReading, at now: MonotonicTime) -> Standing {
    guard presence == .connected else { return .past("no daemon") }
    if reading.sample.sensor == SensorID.guide, !hasGuide { return .past("no guide") }
    if let sensor = owner(of: reading.sample), !sensor.isStreaming {
      return .past(sensor.condition)
    }
    if reading.isAwaited { return .past("no value yet") }
    return reading.isLate(at: now) ? .past("no new data") : .current
  }
}

// The content of the screen.
extension Dashboard {
  /// The owner of a value: for a value of the ride, its source.
  func owner(of sample: Sample) -> SensorRecord? {
    sensor(sample.origin)
  }

  /// Each metric once: if the ride has a current value, those of single sensors are omitted, and
  /// vice versa. Kinds that a sensor may still send keep their places.
  func shownReadings(at now: MonotonicTime) -> [LiveReading] {
    let wanted = readings.filter { isPrimary($0.sample.kind) }
    var shown = wanted.filter { reading in
      let same = wanted.filter { $0.sample.kind == reading.sample.kind }
      let ride = same.first { $0.sample.sensor == SensorID.ride }
      guard let ride, same.count > 1 else { return true }
      let isOfRide = reading.sample.sensor == SensorID.ride
      return (standing(of: ride, at: now) == .current) == isOfRide
    }
    for kind in firstKinds where !shown.contains(where: { $0.sample.kind == kind }) {
      guard chosenKinds.isEmpty || chosenKinds.contains(kind) else { continue }
      guard let sensor = sensors.first(where: { $0.maySend(kind) && !$0.isDisabled }) else { continue }
      shown.append(LiveReading(awaiting: kind, from: sensor.id, style, at: now))
    }
    return arranged(shown)
  }

  /// All readings, with the sensors' own values in addition to the ride's.
  var secondaryReadings: [LiveReading] { readings }

  private func isPrimary(_ kind: String) -> Bool {
    chosenKinds.contains(kind) || !secondaryKinds.contains(kind)
  }
}

extension SensorRecord {
  /// Whether the sensor can have a value of this kind.
  fileprivate func maySend(_ kind: String) -> Bool {
    guard kinds.contains(kind) else { return false }
    switch kind {
    case "speed": return countsTurns([]) != false
    case "cadence": return facts[.crankRevolutionData]?.bool != false
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
    if sample.kind == BatterySample.kind, !chosenKinds.contains(sample.kind) {
      let charge = BatterySample(sample.record)?.batteryPct
      return change(sample.sensor) { $0.batteryPct = charge }
    }
    if let index = readings.firstIndex(where: { $0.sample.sensor == sample.sensor && $0.sample.kind == sample.kind }) {
      readings[index].take(sample, at: now)
    } else {
      readings.append(LiveReading(sample, at: now))
      arrange()
    }
  }

  private mutating func arrange() { readings = arranged(readings) }

  private func arranged(_ readings: [LiveReading]) -> [LiveReading] {
    let places = Dictionary(sensors.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    func key(_ reading: LiveReading) -> (Int, String, Int, String) {
      let (kind, sensor) = (reading.sample.kind, reading.sample.sensor)
      return (kindOrder.firstIndex(of: kind) ?? kindOrder.count, kind, places[sensor] ?? -1, sensor)
    }
    return readings.sorted { key($0) < key($1) }
  }

  private mutating func change(_ id: String, _ body: (inout SensorRecord) -> Void) {
    if let index = sensors.firstIndex(where: { $0.id == id }) { body(&sensors[index]) }
  }

  private mutating func note(_ state: StateRecord) {
    states[state.sensor] = state
    change(state.sensor) { sensor in
      sensor.state = state.state
      sensor.reason = state.reason
    }
  }

  private mutating func note(_ news: SensorChangeRecord) {
    let sensor = news.sensor
    guard isChosen(sensor.id) else { return }
    states[sensor.id] = nil
    if news.change.known == .removed {
      sensors.removeAll { $0.id == sensor.id }
      readings.removeAll { $0.sample.sensor == sensor.id }
    } else if let index = sensors.firstIndex(where: { $0.id == sensor.id }) {
      sensors[index] = sensor
    } else {
      sensors.append(sensor)
    }
    arrange()
  }

  private mutating func note(_ record: AdapterRecord) {
    if let index = adapters.firstIndex(where: { $0.adapter == record.adapter }) {
      adapters[index] = record
    } else {
      adapters.append(record)
    }
  }
}

/// The most important values come first.
private let kindOrder = [
  "radar", "speed", "power", "heart_rate", "cadence", "ride", "route", "segment", "coach", "grade", "trainer", "rowing",
  "tire_pressure", "oxygen",
  "muscle_oxygen", "body_temperature", "environment", "ecg", "acceleration", "trainer_status", "averages",
  "lap_averages",
  "training", "zones", "power_zones", "hrv", "position", "wheel", "bike", "battery",
]
