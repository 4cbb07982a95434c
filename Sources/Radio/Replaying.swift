// A radio that plays recorded sensors.

public import CaptureFormat

public protocol ReplayingRadio: SensorRadio {
  /// Receives gpsd reports from the recording.
  var reported: (String) -> Void { get set }

  /// Plays lines of a capture and returns the sensors that they name. Their times count from the
  /// header line, which begins a new replay. Lines without a header continue the last replay.
  func replay(_ lines: [CaptureLine], speed: Double) throws(ReplayError) -> [PlayedSensor]
}

public struct ReplayError: Error, Sendable {
  public let message: String
  /// Trying again later may work.
  public let isForNow: Bool

  public init(_ message: String, isForNow: Bool = false) {
    self.message = message
    self.isForNow = isForNow
  }
}

/// A sensor of a scene, as its user has paired and configured it.
public struct PlayedSensor: Sendable {
  public let advert: Advert
  /// The `set` lines of a capture; unknown settings are ignored.
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
}
