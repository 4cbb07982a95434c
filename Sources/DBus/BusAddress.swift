// Where a bus listens.

internal import Linux

public struct BusAddress: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public static func address(_ text: String) -> BusAddress { BusAddress(description: text) }

  /// The environment can name another bus; tests use that for a private one.
  public static var system: BusAddress {
    address(ProcessEnvironment.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket")
  }
}
