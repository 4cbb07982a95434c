// All bikes of a wall: their states, sensors and values, and whether a value is current. It receives
// records and never asks; time is a parameter.

import CyclometerClient
import FleetWire
import JSON
import Linux
import Time
import Wire

struct FleetBoard {
  struct Bike {
    let group: String
    let name: String
    /// As the receiver or the broker says: `online`, `offline`, `blind`; empty before any of that.
    var state = ""
    var reason: String?
    var sensors: [SensorRecord] = []
    var readings: [LiveReading] = []
    /// Values of an unknown age, as `SENSOR KIND`.
    var undated: Set<String> = []
  }

  private(set) var bikes: [Bike] = []
  /// Nil until the bridge has told.
  private(set) var broker: BrokerReply?
  private(set) var isFollowing = false
  private(set) var style: Style
  private var message: (text: String, end: MonotonicTime)?

  init(style: Style) { self.style = style }

  mutating func show(in units: UnitSystem) {
    style.units = units
    for bike in bikes.indices {
      for reading in bikes[bike].readings.indices { bikes[bike].readings[reading].show(in: style) }
    }
  }

  func message(at now: MonotonicTime) -> String? { message.flatMap { now < $0.end ? $0.text : nil } }
}

// MARK: Records

extension FleetBoard {
  mutating func take(_ record: ReceivedRecord, at now: MonotonicTime) {
    switch record.recordClass {
    case BrokerRecord.className:
      guard let reply = BrokerRecord(record.content)?.broker else { return }
      // All that the broker knows follows.
      if reply.state.known == .connected, broker?.state.known != .connected { bikes = [] }
      broker = reply
    case "receiver": takeState(record)
    case "sensor": takeSensor(record)
    case "sample": takeSample(record, at: now)
    case "event":
      guard let bike = record["receiver"]?.text, let event = EventRecord(record.withoutOrigin) else { return }
      message = ("\(printable(bike)): \(eventText(event, style, inWords: true))", now + .seconds(10))
    default: break
    }
  }

  mutating func bridgeFound() { isFollowing = true }

  /// The bridge has gone, and tells everything again when it is back.
  mutating func bridgeLost() { (isFollowing, broker) = (false, nil) }

  /// The index of the bike, which is added in its place if it is new.
  private mutating func bike(of record: ReceivedRecord) -> Int? {
    guard let group = record["group"]?.text, let name = record["receiver"]?.text else { return nil }
    if let known = bikes.firstIndex(where: { $0.group == group && $0.name == name }) { return known }
    let place = bikes.firstIndex { (group, name) < ($0.group, $0.name) } ?? bikes.count
    bikes.insert(Bike(group: group, name: name), at: place)
    return place
  }

  private mutating func takeState(_ record: ReceivedRecord) {
    guard let bike = bike(of: record), let state = record["state"]?.text else { return }
    if state == "removed" {
      bikes.remove(at: bike)
    } else {
      (bikes[bike].state, bikes[bike].reason) = (state, record["reason"]?.text)
    }
  }

  private mutating func takeSensor(_ record: ReceivedRecord) {
    guard let bike = bike(of: record), let sensor = record["sensor"].flatMap({ SensorRecord($0) }) else { return }
    bikes[bike].sensors.removeAll { $0.id == sensor.id }
    if record["change"] == "removed" {
      bikes[bike].readings.removeAll { $0.sample.sensor == sensor.id }
    } else {
      bikes[bike].sensors.append(sensor)
    }
  }

  private mutating func takeSample(_ record: ReceivedRecord, at now: MonotonicTime) {
    guard let bike = bike(of: record), let sample = SampleRecord(record.withoutOrigin).map({ Sample($0, style) }) else {
      return
    }
    let key = "\(sample.sensor) \(sample.kind)"
    let wasUndated = bikes[bike].undated.contains(key)
    if record["age_ms"] == nil { bikes[bike].undated.insert(key) } else { bikes[bike].undated.remove(key) }
    let known = bikes[bike].readings.firstIndex { $0.sample.sensor == sample.sensor && $0.sample.kind == sample.kind }
    guard let known else { return bikes[bike].readings.append(LiveReading(sample, at: now)) }
    if wasUndated {
      bikes[bike].readings[known] = LiveReading(sample, at: now)
    } else {
      bikes[bike].readings[known].take(sample, at: now)
    }
  }
}

extension FleetBoard {
  /// What a line shows.
  static func message(of record: ReceivedRecord) -> Message { Message(record.withoutOrigin) }
}

extension ReceivedRecord {
  /// The record as the daemon sent it.
  fileprivate var withoutOrigin: JSONValue {
    .object((content.members ?? []).filter { !["group", "receiver", "instance"].contains($0.name) })
  }
}

// MARK: What is current

extension FleetBoard {
  /// Nil if the bike itself is there.
  func absence(of bike: Bike) -> String? {
    guard isFollowing, let broker else { return "no bridge" }
    guard broker.state.known == .connected else { return "no broker" }
    switch bike.state {
    case "online": return nil
    case "blind": return "no daemon"
    case "offline": return bike.reason == "stopped" ? "switched off" : "lost"
    default: return "state unknown"
    }
  }

  func standing(of reading: LiveReading, _ bike: Bike, at now: MonotonicTime) -> Dashboard.Standing {
    if let absence = absence(of: bike) { return .past(absence) }
    let sample = reading.sample
    if let owner = bike.sensors.first(where: { $0.id == sample.origin }), !owner.isStreaming {
      return .past(owner.condition)
    }
    if bike.undated.contains("\(sample.sensor) \(sample.kind)") { return .past("age unknown") }
    return reading.isLate(at: now) ? .past("no new data") : .current
  }

  /// The main values, each once: the ride's if it is current, else that of a sensor.
  func mainReadings(of bike: Bike, at now: MonotonicTime) -> [LiveReading] {
    firstKinds.compactMap { reading(of: $0, bike, at: now) }
  }

  /// The one that is shown of several sensors.
  func reading(of kind: String, _ bike: Bike, at now: MonotonicTime) -> LiveReading? {
    let all = bike.readings.filter { $0.sample.kind == kind }
    let current = all.filter { standing(of: $0, bike, at: now) == .current }
    return current.first { $0.sample.sensor == SensorID.ride } ?? current.first
      ?? all.min { $0.age(at: now) < $1.age(at: now) }
  }

  /// The road behind. It is shown as clear only while the radar says so. Nil without a radar.
  func road(of bike: Bike, at now: MonotonicTime) -> (text: String, colour: Style.Colour)? {
    let owner = bike.sensors.first { $0.kinds.contains("radar") && !$0.isDisabled }
    guard let reading = reading(of: "radar", bike, at: now), let picture = reading.sample.radar else {
      return owner == nil ? nil : ("radar: nothing yet", .warning)
    }
    switch standing(of: reading, bike, at: now) {
    case .current: return ("radar: \(reading.sample.headline)", picture.colour)
    case .past(let reason):
      let age = bike.undated.contains("\(reading.sample.sensor) radar") ? "" : ", \(ageText(reading.age(at: now)))"
      return ("radar silent: \(reason)\(age)", .bad)
    }
  }
}
