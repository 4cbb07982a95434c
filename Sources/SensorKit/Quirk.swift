// Devices that bend the rules of their profile, as data. A plugin says which rules it can bend (`QuirkEffect`, in its own
// folder); a table says which devices need it; the host looks at what a device calls itself and tells its plugins with
// their settings. What can be decoded right without knowing the device needs no entry.

/// What a plugin does otherwise for some devices.
public struct QuirkEffect: Hashable, Sendable {
  public let name: String

  public init(_ name: String) {
    self.name = name
  }
}

public struct Quirk: Sendable {
  /// What people call the device.
  public let device: String
  /// Any of them is enough.
  public let marks: [DeviceMark]
  public let effect: QuirkEffect
  /// What it does, for people: `its crank comes as a wheel`.
  public let habit: String
  /// Where it is known from.
  public let source: String
  /// The capture that decodes otherwise without this entry: its folder and name in `Tests/Captures`.
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

/// How what a device says of itself begins, in capital letters or not. All that is given must fit.
public struct DeviceMark: Sendable {
  /// What the device's name begins with, in small letters.
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

/// What a device calls itself: in the air, and in its device information once that is read.
public struct DeviceIdentity: Equatable, Sendable {
  public var name: String
  public var manufacturer = ""
  public var model = ""

  public init(name: String) {
    self.name = name
  }
}
