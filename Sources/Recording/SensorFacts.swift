// What `sensors` says about the sensors whose samples are recorded: their names and facts.

import JSON

struct SensorFacts {
  private var known: [String: (name: String?, facts: String?)] = [:]

  /// Takes the result of `sensors`.
  mutating func take(_ reply: JSONValue) {
    for sensor in reply["sensors"]?.items ?? [] { take(sensor: sensor) }
  }

  /// Takes a SENSOR.
  mutating func take(sensor: JSONValue) {
    guard let id = sensor["id"]?.text else { return }
    var facts = sensor["facts"]?.members ?? []
    // The charge, because a battery seldom says it again during a ride.
    for name in ["address", "serial_number", "plugins", "battery_pct"] where !facts.contains(where: { $0.name == name })
    {
      if let value = sensor[name] { facts.append(JSONValue.Member(name, value)) }
    }
    let text = facts.isEmpty ? nil : JSONValue.object(facts).encoded
    known[id] = (sensor["name"]?.text, text)
  }

  func knows(_ sensor: [UInt8]) -> Bool { known[Self.id(sensor)] != nil }

  /// `sensor` is a JSON text.
  func facts(of sensor: [UInt8]) -> (name: String?, facts: String?) { known[Self.id(sensor)] ?? (nil, nil) }

  private static func id(_ sensor: [UInt8]) -> String {
    (try? JSONValue.parse(sensor))?.text ?? ""
  }
}
