// Fields of declared sensors: the unit is the last word of the name.

import JSON
import Testing
import Wire

@testable import HomeAssistant

extension DeclaredFields {
  /// Whether the message changes. Not mutating, so that it can be part of an expectation.
  fileprivate func changes(by sample: JSONValue, of sensor: String, _ kind: String) -> Bool {
    var copy = self
    return copy.add(sample, of: sensor, kind)
  }
}

struct DeclaredFieldsTests {
  @Test(
    "the last word of a field's name decides its unit",
    arguments: [
      ("oil_c", "temperature", "°C"), ("boost_pa", "pressure", "Pa"), ("open_pct", nil, "%"),
      ("input_voltage_v", "voltage", "V"), ("battery_v", "voltage", "V"), ("battery_pct", "battery", "%"),
      ("main_power_w", "power", "W"), ("odometer_m", "distance", "m"), ("wind_mps", "speed", "m/s"),
      ("remaining_s", "duration", "s"), ("co2_ppm", nil, "ppm"),
    ])
  func units(field: String, deviceClass: String?, unit: String) {
    #expect(Entity.measure(ofDeclared: field) == Measure(deviceClass, unit))
  }

  @Test(
    "a field without a known unit has no entity",
    arguments: ["c", "s", "count", "power_3s_w_per_kg", "rr_ms", "temperature_C", "", "_"])
  func unknown(field: String) {
    #expect(Entity.measure(ofDeclared: field) == nil)
  }

  @Test(
    "a name that a topic or a template cannot have is ignored",
    arguments: ["a }}{{ x_c", "Ä_c", "1_c", "a-b_c", "a b_c", String(repeating: "a", count: 64) + "_c"])
  func unusableNames(name: String) {
    let fields = DeclaredFields()
    #expect(!fields.changes(by: .object([.init(name, 1)]), of: "x-1", "tank"))
    #expect(!fields.changes(by: ["level_c": 1], of: "x-1", name), "as the name of a kind")
    #expect(fields.changes(by: ["level_c": 1], of: "x-1", "tank"))
  }

  @Test("a new number changes the message once")
  func changesOnce() {
    var fields = DeclaredFields()
    let sample: JSONValue = ["class": "sample", "kind": "tank", "seq": 1, "t": 2.5, "level_pct": 40, "lid": "open"]
    let changes = [fields.add(sample, of: "x-1", "tank"), fields.add(sample, of: "x-1", "tank")]
    #expect(changes == [true, false])
    #expect(fields.changes(by: sample, of: "x-2", "tank"))
    _ = fields.add(sample, of: "x-2", "tank")
    #expect(fields.names(of: "x-1", "tank") == ["level_pct"])
    fields.remove("x-1")
    #expect(fields.names(of: "x-1", "tank").isEmpty && !fields.names(of: "x-2", "tank").isEmpty)
  }

  @Test("kinds of the daemon are not learned", arguments: ["heart_rate", "position", "ecg"])
  func builtIn(kind: String) {
    #expect(!DeclaredFields.areWanted(ofKind: kind))
    #expect(!DeclaredFields().changes(by: ["altitude_m": 1], of: "x-1", kind))
  }

  @Test("a program that makes up names stops at a limit")
  func limit() {
    var fields = DeclaredFields()
    let changes = (0..<1000).filter { fields.add(.object([.init("a\($0)_c", 1)]), of: "x-1", "tank") }
    #expect(changes.count == DeclaredFields.mostOfSensor)
  }

  @Test("entities of declared sensors come in the order of their names")
  func order() {
    let entities = Entity.all(ofKind: "tank", fields: ["z_c", "a_c", "oil_level_pct"])
    #expect(entities.map(\.key) == ["tank_a_c", "tank_oil_level_pct", "tank_z_c"])
    #expect(entities.map(\.name) == ["Tank a", "Tank oil level", "Tank z"])
  }
}
