// Deviations of devices from their profiles, as data. A plugin declares the deviations that it can
// handle (`QuirkEffect`, in its own folder), and a table lists the devices that need them. The host
// identifies the device and passes the effects to its plugins with the settings. Deviations that
// can be handled for all devices need no entry.

/// A change in the behaviour of a plugin for some devices.
public struct QuirkEffect: Hashable, Sendable {
  public let name: String

  public init(_ name: String) {
    self.name = name
  }
}

public struct Quirk: Sendable {
  /// The common name of the device.
  public let device: String
  /// One match is enough.
  public let marks: [DeviceMark]
  public let effect: QuirkEffect
  /// What the device does, as text for users.
  public let habit: String
  /// Where this is documented.
  public let source: String
  /// The capture that would be decoded differently without this entry, as folder and name in
  /// `Tests/Captures`.
  public let capture: String

  public init(
    _ device: String, _ marks: [DeviceMark], _ effect: QuirkEffect, habit: String, source: String, capture: String
  ) {
    self.device = device
    self.marks = marks
    self.effect = effect
    self.habit = habit
    self.source = source
    self.capture = capture
  }

  public func concerns(_ device: DeviceIdentity) -> Bool {
    marks.contains { $0.fits(device) }
  }
}

/// Prefixes of a device's names, ignoring case. All given ones must match.
public struct DeviceMark: Sendable {
  /// The prefix of the device's name, in lower case.
  public let name: String?
  private let manufacturer: String?
  private let model: String?

  public init(name: String) {
    self.name = name.lowercased()
    manufacturer = nil
    model = nil
  }

  public init(manufacturer: String, model: String) {
    name = nil
    self.manufacturer = manufacturer.lowercased()
    self.model = model.lowercased()
  }

  func fits(_ device: DeviceIdentity) -> Bool {
    func begins(_ text: String, _ start: String?) -> Bool {
      start.map { text.lowercased().hasPrefix($0) } ?? true
    }
    return begins(device.name, name) && begins(device.manufacturer, manufacturer) && begins(device.model, model)
  }
}

/// How a device identifies itself: its advertised name, and its device information once that was
/// read.
public struct DeviceIdentity: Equatable, Sendable {
  public var name: String
  public var manufacturer = ""
  public var model = ""

  public init(name: String) {
    self.name = name
  }
}
