// What Home Assistant shows as one value: an entity of a device.

/// What is measured, in Home Assistant's words for it. Home Assistant converts units by the class.
struct Measure: Equatable, Sendable {
  let deviceClass: String?
  let unit: String?

  init(_ deviceClass: String?, _ unit: String?) { (self.deviceClass, self.unit) = (deviceClass, unit) }

  static let atmosphericPressure = Measure("atmospheric_pressure", "Pa")
  static let battery = Measure("battery", "%")
  static let distance = Measure("distance", "m")
  static let duration = Measure("duration", "s")
  static let energy = Measure("energy", "J")
  static let glucose = Measure("blood_glucose_concentration", "mg/dL")
  static let humidity = Measure("humidity", "%")
  static let percentage = Measure(nil, "%")
  static let power = Measure("power", "W")
  static let pressure = Measure("pressure", "Pa")
  static let signal = Measure("signal_strength", "dBm")
  static let speed = Measure("speed", "m/s")
  static let temperature = Measure("temperature", "°C")
  static let voltage = Measure("voltage", "V")
}

struct Entity: Equatable, Sendable {
  /// Whose messages have the value.
  enum Source: Equatable, Sendable {
    /// `now` of the sensor and this kind.
    case sample(kind: String)
    case sensor
    case status
  }

  enum Form: Equatable, Sendable {
    case measured(Measure)
    /// A total, which begins at 0 again for a new ride or a new start of the sensor.
    case counted(Measure)
    case isOn(deviceClass: String)
  }

  let source: Source
  /// Unique in its device. It may not change, because Home Assistant knows the entity by it.
  let key: String
  /// For people.
  let name: String
  let form: Form
  /// In the language of Home Assistant's templates, which is Jinja.
  let template: String
  var icon: String?
  var isDiagnostic = false
}
