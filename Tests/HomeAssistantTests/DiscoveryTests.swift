// Discovery messages: their topics, and their text. Whether Home Assistant understands them is in
// Tests/HomeAssistant.

import JSON
import SampleCatalogue
import Testing
import Wire

@testable import HomeAssistant

struct Topics: ReceiverTopics {
  let status = "c/status"
  func sensor(_ id: String) -> String { "c/sensor/\(id)" }
  func now(_ sensor: String, _ kind: String) -> String { "c/now/\(sensor)/\(kind)" }
}

struct DiscoveryTests {
  private static let discovery = Discovery(
    prefix: "homeassistant", receiver: "rx-1f09a3", release: "0.2.0", topics: Topics())

  private func sensor(_ members: String) throws -> SensorRecord {
    try #require(SensorRecord(try JSONValue.parse("{\(members)}")))
  }

  private func text(_ message: DiscoveryMessage?) throws -> String {
    String(decoding: try #require(message).payload, as: UTF8.self)
  }

  private func json(_ message: DiscoveryMessage?) throws -> JSONValue {
    try JSONValue.parse(try #require(message).payload)
  }

  private func keys(_ message: DiscoveryMessage?) throws -> [String] {
    try json(message)["cmps"]?.members?.map(\.name) ?? []
  }

  @Test("the message of a strap has its device, its availability and its entities")
  func strap() throws {
    let strap = try sensor(
      #""id":"polar-h10-1a2b","name":"Polar H10","address":"A0:9E:1A:00:1A:2B","plugins":["heart_rate"],"#
        + #""kinds":["heart_rate","battery"],"stale_after_ms":{"heart_rate":5000},"state":"streaming","#
        + #""facts":{"manufacturer":"Polar Electro Oy","model":"H10","firmware":"5.0.0"}"#)
    let message = try #require(Self.discovery.message(for: strap))
    #expect(message.topic == "homeassistant/device/rx-1f09a3/cyclometer_polar-h10-1a2b/config")
    let entity = #""unique_id":"cyclometer_rx-1f09a3_polar-h10-1a2b"#
    #expect(
      try text(message)
        == #"{"dev":{"ids":["cyclometer_rx-1f09a3_polar-h10-1a2b"],"cns":[["bluetooth","A0:9E:1A:00:1A:2B"]],"#
        + #""name":"Polar H10","mf":"Polar Electro Oy","mdl":"H10","sw":"5.0.0","via_device":"cyclometer_rx-1f09a3"},"#
        + #""o":{"name":"cyclometer","sw":"0.2.0"},"availability":["#
        + #"{"topic":"c/status","value_template":"{{ 'online' if value_json.state == 'online' else 'offline' }}"},"#
        + #"{"topic":"c/sensor/polar-h10-1a2b","#
        + #""value_template":"{{ 'online' if value_json.state == 'streaming' else 'offline' }}"}],"#
        + #""availability_mode":"all","cmps":{"#
        + #""battery":{"p":"sensor",\#(entity)_battery","name":"Battery","state_topic":"c/now/polar-h10-1a2b/battery","#
        + #""value_template":"{{ value_json.battery_pct|default(none) }}","device_class":"battery","#
        + #""unit_of_measurement":"%","state_class":"measurement","entity_category":"diagnostic"},"#
        + #""bpm":{"p":"sensor",\#(entity)_bpm","name":"Heart rate","state_topic":"c/now/polar-h10-1a2b/heart_rate","#
        + #""value_template":"{{ value_json.bpm|default(none) }}","unit_of_measurement":"bpm","#
        + #""state_class":"measurement","icon":"mdi:heart-pulse","expire_after":15},"#
        + #""rssi":{"p":"sensor",\#(entity)_rssi","name":"Signal","state_topic":"c/sensor/polar-h10-1a2b","#
        + #""value_template":"{{ value_json.rssi_dbm|default(none) }}","device_class":"signal_strength","#
        + #""unit_of_measurement":"dBm","state_class":"measurement","entity_category":"diagnostic"}},"qos":0}"#)
  }

  @Test("any name of a sensor is text, and never part of a template or a topic")
  func names() throws {
    for name in [#"a"b\c"#, "{{ states('x') }}", "Größe 🚲", "a\nb", "# + /", ""] {
      var record = SensorRecord(id: "x-1", name: name, address: "A0:9E:1A:00:00:01")
      record.kinds = ["power"]
      let message = try json(Self.discovery.message(for: record))
      #expect(message["dev"]?["name"]?.text == (name.isEmpty ? "x-1" : name))
      record.name = "plain"
      let plain = try json(Self.discovery.message(for: record))
      #expect(message["cmps"] == plain["cmps"] && message["availability"] == plain["availability"])
    }
  }

  @Test("an id that cannot be part of a topic has no message", arguments: ["", "a/b", "a+", "#", "A", "ä", "a.b"])
  func ids(id: String) {
    #expect(Self.discovery.message(for: SensorRecord(id: id, name: "", address: "")) == nil)
    #expect(Self.discovery.forgotten(id) == nil)
  }

  @Test("the message of a sensor that was forgotten is empty, on the same topic")
  func forgotten() throws {
    let record = SensorRecord(id: "x-1", name: "X", address: "")
    let forgotten = try #require(Self.discovery.forgotten("x-1"))
    #expect(forgotten.payload.isEmpty)
    #expect(forgotten.topic == Self.discovery.message(for: record)?.topic)
  }

  @Test("the order of kinds makes no difference, and a kind that occurs twice counts once")
  func deterministic() throws {
    var one = SensorRecord(id: "x-1", name: "X", address: "")
    one.kinds = ["speed", "power", "cadence", "power"]
    var other = one
    other.kinds = ["cadence", "power", "speed"]
    #expect(Self.discovery.message(for: one) == Self.discovery.message(for: other))
  }

  @Test("every built-in kind has entities, or is listed as one without")
  func kinds() {
    for kind in KindInfo.all.map(\.name) {
      let hasEntities = Entity.ofKinds[kind] != nil
      #expect(hasEntities != Entity.kindsWithoutEntities.contains(kind), "\(kind)")
    }
    // Declared by Config/sensors.d/glucose_monitor.sensor.
    let known = Set(KindInfo.all.map(\.name)).union(["glucose"])
    #expect(Set(Entity.ofKinds.keys).union(Entity.kindsWithoutEntities).isSubset(of: known))
  }

  @Test("entities of built-in kinds name fields of the catalogue")
  func fields() throws {
    for info in KindInfo.all {
      for entity in Entity.ofKinds[info.name] ?? [] {
        let isRead = info.fields.contains { field in
          ["value_json.\(field.name)", "value_json['\(field.name)']"].contains { entity.template.contains($0) }
        }
        #expect(isRead, "\(info.name): \(entity.template)")
      }
    }
  }

  @Test("keys are unique in a device, whatever its kinds")
  func keysAreUnique() throws {
    var record = SensorRecord(id: "x-1", name: "X", address: "")
    record.kinds = Array(Entity.ofKinds.keys)
    let keys = try keys(Self.discovery.message(for: record))
    #expect(Set(keys).count == keys.count)
    for key in keys { #expect(key.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil, "\(key)") }
    for entities in [Entity.ofRide, Entity.ofReceiver] { #expect(Set(entities.map(\.key)).count == entities.count) }
  }

  @Test("a kind without a limit has no expiry, and a wrong limit none either")
  func expiry() throws {
    for (limit, expected) in [(5000, 15), (334, 2), (0, nil), (-1, nil), (Int.max, nil)] as [(Int, Int?)] {
      var record = SensorRecord(id: "x-1", name: "X", address: "")
      record.kinds = ["power"]
      record.staleAfterMS = KindLimits([("power", limit)])
      let entity = try json(Self.discovery.message(for: record))["cmps"]?["power_power_w"]
      #expect(entity?["expire_after"]?.integer == expected, "\(limit)")
    }
  }

  @Test("the ride has its totals and the value of each best source")
  func ride() throws {
    let message = Self.discovery.message(forRide: KindLimits([("ride", 5000), ("speed", 3000)]))
    #expect(message.topic == "homeassistant/device/rx-1f09a3/cyclometer_ride/config")
    #expect(
      try keys(message) == [
        "ride_distance_m", "ride_work_j", "ride_ride_time_s", "ride_moving_time_s", "speed_speed_mps",
        "cadence_cadence_rpm", "cadence_cadence_per_min", "power_power_w", "bpm",
      ])
    let entities = try json(message)["cmps"]
    #expect(entities?["ride_work_j"]?["state_class"]?.text == "total_increasing")
    #expect(entities?["speed_speed_mps"]?["expire_after"]?.integer == 9)
    #expect(try json(message)["availability"]?.items?.count == 1, "the ride has no state of its own")
  }

  @Test("the receiver stays visible when it is lost, and no sensor can have its topic")
  func receiver() throws {
    let message = Self.discovery.receiverMessage
    #expect(message.topic == "homeassistant/device/rx-1f09a3/cyclometer/config")
    #expect(try json(message)["availability"] == nil)
    #expect(try json(message)["dev"]?["ids"] == ["cyclometer_rx-1f09a3"])
    #expect(try keys(message) == ["connectivity", "sensors", "sensors_streaming", "spool_records"])
    for id in ["cyclometer", "receiver", "ride"] { #expect(Self.discovery.forgotten(id)?.topic != message.topic) }
  }

  @Test("kinds without entities add none, and a declared kind has those of its numbers")
  func declared() throws {
    let strap = try sensor(#""id":"x-1","kinds":["heart_rate","ecg","position","air_quality"]"#)
    #expect(try keys(Self.discovery.message(for: strap)) == ["bpm", "rssi"])
    var fields = DeclaredFields()
    _ = fields.add(["co2_ppm": 900], of: "x-1", "air_quality")
    let message = Self.discovery.message(for: strap, fields: fields)
    #expect(try keys(message) == ["air_quality_co2_ppm", "bpm", "rssi"])
  }
}
