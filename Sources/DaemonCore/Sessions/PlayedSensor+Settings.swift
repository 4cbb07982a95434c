// Applies the settings of a played sensor.

import JSON
import Radio

extension PlayedSensor {
  func applied(to sensor: PairedSensor) -> PairedSensor {
    var sensor = sensor
    for (key, value) in settings.map({ ($0.key, $0.value) }) {
      let json = Double(value).map(JSONValue.number) ?? .string(value)
      _ = SensorSetting.all.first { $0.key == key }?.apply(json, to: &sensor)
    }
    return sensor
  }
}
