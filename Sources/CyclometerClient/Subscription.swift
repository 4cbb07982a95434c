// What a client subscribes to. Empty lists mean everything.

import Wire

public struct Subscription: Equatable, Sendable {
  public var kinds: [String]
  /// Sensor ids; `ride` means derived values.
  public var sensors: [String]
  /// The most samples per second of each sensor and kind. Omitted samples do not count as lost.
  public var maxHz: Double?
  /// Whether to begin with the last sample of each sensor and kind, with its age.
  public var snapshot: Bool
  public var events: Bool
  /// Whether samples are wanted at all. Events and states arrive without them, too.
  package var samples = true

  public init(
    kinds: [String] = [], sensors: [String] = [], maxHz: Double? = nil, snapshot: Bool = true, events: Bool = true
  ) {
    self.kinds = kinds
    self.sensors = sensors
    self.maxHz = maxHz
    self.snapshot = snapshot
    self.events = events
  }

  var filter: Filter {
    Filter(
      kinds: !samples ? [] : kinds.isEmpty ? nil : kinds, sensors: sensors.isEmpty ? nil : sensors, events: events,
      maxHz: maxHz,
      snapshot: snapshot)
  }
}
