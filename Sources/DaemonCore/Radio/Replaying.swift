// A radio that plays recorded sensors, and what the daemon has to know of those.

public import Wire

public protocol ReplayingRadio: Radio {
  /// Hears what gpsd said when the recording was made.
  var reported: (String) -> Void { get set }

  /// Plays lines of a capture: their times count from the line with the header, which begins another replay; lines without
  /// one go on with the last. Gives the sensors that these lines name.
  func replay(_ lines: [CaptureLine], speed: Double) throws(ReplayError) -> [PlayedSensor]
}

public struct ReplayError: Error, Sendable {
  public let message: String
  /// Worth trying again later.
  public let isForNow: Bool

  public init(_ message: String, isForNow: Bool = false) {
    self.message = message
    self.isForNow = isForNow
  }
}

/// A sensor of a scene, which its user has paired and set.
public struct PlayedSensor: Sendable {
  public let advert: Advert
  /// The `set` lines of a capture; what is no setting of a sensor is passed over.
  public let settings: [Setting]

  public struct Setting: Sendable {
    public let key: String
    public let value: String

    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  public init(_ advert: Advert, settings: [Setting] = []) {
    self.advert = advert
    self.settings = settings
  }

  func applied(to sensor: PairedSensor) -> PairedSensor {
    var sensor = sensor
    for (key, value) in settings.map({ ($0.key, $0.value) }) {
      let json = Double(value).map(JSON.number) ?? .string(value)
      _ = SensorSetting.all.first { $0.key == key }?.apply(json, to: &sensor)
    }
    return sensor
  }
}
