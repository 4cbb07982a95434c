// The sensors of an activity, and the computer that recorded it.

/// What identifies a device to people and to programs.
public struct DeviceLabel: Equatable, Sendable {
  /// Of the product, for people.
  public var name: String?
  /// The number of the maker in FIT files.
  public var manufacturer: UInt16?
  public var product: UInt16?
  /// Never 0.
  public var serial: UInt32?
  /// Such as 0.2.
  public var softwareVersion: Double?

  public init(name: String? = nil) {
    self.name = name
  }
}

public struct ActivityDevice: Equatable, Sendable {
  public enum Kind: Equatable, Sendable, CaseIterable {
    case recorder, gps, barometer, thermometer
    case heartRate, power, speed, cadence, speedAndCadence, trainer, footpod
    case radar, tirePressure, muscleOxygen, coreTemperature
    case other
  }

  /// Seconds since the start of the activity.
  public var t: Int
  /// 0 is the computer that recorded.
  public var index: UInt8
  public var kind: Kind
  public var label: DeviceLabel
  public var batteryPercent: Int?
  public var batteryVolts: Double?

  public init(t: Int, index: UInt8, kind: Kind, label: DeviceLabel) {
    self.t = t
    self.index = index
    self.kind = kind
    self.label = label
  }
}
