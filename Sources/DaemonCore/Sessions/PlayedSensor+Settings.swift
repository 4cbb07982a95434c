// Applies the settings of a played sensor.

import JSON
import Radio
import Vocabulary

extension PlayedSensor {
  func applied(to sensor: PairedSensor) -> PairedSensor {
    var sensor = sensor
    for (key, value) in settings.map({ ($0.key, $0.value) }) {
      let json = Double(value).map(JSONValue.number) ?? .string(value)
      if let setting = Vocabulary.Setting.ofSensor.first(where: { $0.key == key }) {
        _ = sensor.values.set(setting, to: json)
      }
    }
    return sensor
  }
}
