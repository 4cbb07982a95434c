// Where a bus listens.

internal import Linux

public struct BusAddress: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public static func address(_ text: String) -> BusAddress { BusAddress(description: text) }

  /// The environment can name another, which is how tests bring a private bus in.
  public static var system: BusAddress {
    address(ProcessEnvironment.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket")
  }
}
