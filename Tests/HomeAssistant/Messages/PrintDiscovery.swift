// Prints the discovery messages of the devices that standard input names, as lines of JSON. A line is
// `{"sensor":SENSOR,"samples":[…]}`, `{"ride":{KIND:MILLISECONDS}}`, `{"receiver":true}` or
// `{"forgotten":ID}`. Used by Tests/HomeAssistant/run only.

import HomeAssistant
import JSON
import Wire

/// As the bridge names them.
private struct Topics: ReceiverTopics {
  private static let prefix = "cyclometer/v1/home/rx-1f09a3/"

  let status = prefix + "status"
  func sensor(_ id: String) -> String { Self.prefix + "sensor/" + id }
  func now(_ sensor: String, _ kind: String) -> String { Self.prefix + "now/\(sensor)/\(kind)" }
}

@main
enum PrintDiscovery {
  static func main() {
    let discovery = Discovery(prefix: "homeassistant", receiver: "rx-1f09a3", release: "0.1.0", topics: Topics())
    while let line = readLine() {
      guard let request = try? JSONValue.parse(line), let message = message(for: request, discovery) else {
        fatalError("not a device: \(line)")
      }
      let answer: JSONValue = [
        "topic": .string(message.topic), "payload": .string(String(decoding: message.payload, as: UTF8.self)),
      ]
      print(answer.encoded)
    }
  }

  private static func message(for request: JSONValue, _ discovery: Discovery) -> DiscoveryMessage? {
    if let json = request["sensor"], let sensor = SensorRecord(json) {
      var fields = DeclaredFields()
      for sample in request["samples"]?.items ?? [] {
        _ = fields.add(sample, of: sensor.id, sample["kind"]?.text ?? "")
      }
      return discovery.message(for: sensor, fields: fields)
    }
    if let limits = request["ride"].flatMap(KindLimits.init(wire:)) { return discovery.message(forRide: limits) }
    if let id = request["forgotten"]?.text { return discovery.forgotten(id) }
    return request["receiver"] == true ? discovery.receiverMessage : nil
  }
}
