// An error from the bus or from a service. The set of names is open: unknown names are preserved,
// and common ones have a constant.

public struct BusError: Error, Hashable, Sendable {
  public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
      self.rawValue = value
    }

    public var description: String { rawValue }
  }

  public let name: Name
  public let message: String

  public init(_ name: Name, _ message: String = "") {
    self.name = name
    self.message = message
  }
}

extension BusError: CustomStringConvertible {
  public var description: String { message.isEmpty ? name.rawValue : "\(name.rawValue): \(message)" }
}

extension BusError.Name {
  /// The connection to the bus was lost or never made.
  public static let disconnected: Self = "org.freedesktop.DBus.Error.Disconnected"
  /// There was no reply within the time limit of the call.
  public static let timedOut: Self = "org.freedesktop.DBus.Error.Timeout"
  /// The service left the bus without a reply.
  public static let noReply: Self = "org.freedesktop.DBus.Error.NoReply"
  public static let nameHasNoOwner: Self = "org.freedesktop.DBus.Error.NameHasNoOwner"
  public static let serviceUnknown: Self = "org.freedesktop.DBus.Error.ServiceUnknown"
  public static let unknownMethod: Self = "org.freedesktop.DBus.Error.UnknownMethod"
  public static let unknownObject: Self = "org.freedesktop.DBus.Error.UnknownObject"
  public static let unknownInterface: Self = "org.freedesktop.DBus.Error.UnknownInterface"
  public static let unknownProperty: Self = "org.freedesktop.DBus.Error.UnknownProperty"
  public static let propertyReadOnly: Self = "org.freedesktop.DBus.Error.PropertyReadOnly"
  public static let invalidArguments: Self = "org.freedesktop.DBus.Error.InvalidArgs"
  public static let accessDenied: Self = "org.freedesktop.DBus.Error.AccessDenied"
  public static let failed: Self = "org.freedesktop.DBus.Error.Failed"
  public static let noMemory: Self = "org.freedesktop.DBus.Error.NoMemory"
  public static let matchRuleInvalid: Self = "org.freedesktop.DBus.Error.MatchRuleInvalid"
  public static let limitsExceeded: Self = "org.freedesktop.DBus.Error.LimitsExceeded"
}
