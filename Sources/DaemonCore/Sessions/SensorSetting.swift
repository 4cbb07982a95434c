// The settings of a sensor: the keys of the method `set`, of a SENSOR's settings and of the roster.

import JSON
import Metrics
import SensorKit
import Vocabulary
import Wire

struct SensorSetting: Sendable {
  let key: String
  /// The expected value, for error messages.
  let expected: String
  /// Whether the setting has an effect on a sensor with these plugins.
  let applies: @Sendable ([SensorInfo]) -> Bool
  let read: @Sendable (PairedSensor) -> JSONValue?
  /// Returns false if the value does not fit.
  private let write: @Sendable (inout PairedSensor, JSONValue) -> Bool
  private let clear: @Sendable (inout PairedSensor) -> Void

  /// Nil clears the setting.
  func apply(_ value: JSONValue?, to sensor: inout PairedSensor) -> Bool {
    guard let value else {
      clear(&sensor)
      return true
    }
    return write(&sensor, value)
  }

  static let all = [
    SensorSetting(
      key: "role", expected: "front, rear, left or right", applies: saying(.tirePressure, .power),
      read: { $0.role.map { .string($0.rawValue) } },
      write: { sensor, value in
        guard let role = value.text.flatMap(SensorRole.init) else { return false }
        sensor.role = role
        return true
      },
      clear: { $0.role = nil }),
    SensorSetting(
      key: "circumference_mm", expected: "the distance of one wheel revolution, 300 to 4000 mm",
      applies: countingWheel,
      read: { $0.circumferenceMM.map(JSONValue.number) },
      write: { $0.circumferenceMM.take($1.number, in: SettingBounds.circumferenceMM) },
      clear: { $0.circumferenceMM = nil }),
    SensorSetting(
      key: "wheel_size",
      expected:
        "user (circumference_mm applies) or measured (by the GPS receiver, starting from circumference_mm)",
      applies: countingWheel,
      read: { $0.wheelSize.map { .string($0.rawValue) } },
      write: { sensor, value in
        guard let source = value.text.flatMap(PairedSensor.WheelSizeSource.init) else { return false }
        sensor.wheelSize = source
        return true
      },
      clear: { $0.wheelSize = nil }),
    SensorSetting(
      key: "priority", expected: "a whole number from -100 to 100, 0 by default; the highest is used first",
      applies: saying(.speed, .cadence, .power, .heartRate),
      read: { $0.priority.map(JSONValue.number) },
      write: { $0.priority.take($1.integer.map(Double.init), in: -100...100) },
      clear: { $0.priority = nil }),
    tire(
      "target_pressure_pa", "the nominal pressure of the tire, 20000 to 2000000 Pa above the air's",
      SettingBounds.pressurePa, \.targetPressurePa),
    tire(
      "lowest_pressure_pa", "the pressure below which a rider is warned, 20000 to 2000000 Pa above the air's",
      SettingBounds.pressurePa, \.lowestPressurePa),
    tire(
      "highest_pressure_pa", "the pressure above which a rider is warned, 20000 to 2000000 Pa above the air's",
      SettingBounds.pressurePa, \.highestPressurePa),
    tire(
      "highest_temperature_c", "the tire's temperature above which a rider is warned, 20 to 150 C",
      SettingBounds.temperatureC, \.highestCelsius),
  ]

  private static func saying(_ kinds: SampleKind...) -> @Sendable ([SensorInfo]) -> Bool {
    { infos in infos.contains { !Set($0.kinds).isDisjoint(with: kinds) } }
  }

  private static let countingWheel: @Sendable ([SensorInfo]) -> Bool = { $0.contains(where: \.countsWheel) }

  private static func tire(
    _ key: String, _ expected: String, _ range: ClosedRange<Double>,
    _ place: any WritableKeyPath<TireSettings, Double?> & Sendable
  ) -> SensorSetting {
    SensorSetting(
      key: key, expected: expected, applies: saying(.tirePressure),
      read: { $0.tire[keyPath: place].map(JSONValue.number) },
      write: { $0.tire[keyPath: place].take($1.number, in: range) }, clear: { $0.tire[keyPath: place] = nil })
  }
}

extension Double? {
  fileprivate mutating func take(_ value: Double?, in range: ClosedRange<Double>) -> Bool {
    guard let value, range.contains(value) else { return false }
    self = value
    return true
  }
}
