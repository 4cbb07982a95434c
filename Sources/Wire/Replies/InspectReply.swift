// The reply to `inspect`: what a device is, as far as it tells without a plugin.

public struct InspectReply: WireObject {
  /// A property of a characteristic.
  public enum Property: String, CaseIterable, Sendable {
    case read, write, writeWithoutResponse = "write_without_response", notify, indicate
  }

  public struct Characteristic: WireObject {
    public var service = ""
    public var characteristic = ""
    public var properties: [WireWord<Property>] = []

    public init() {}

    public mutating func visit(_ members: inout Members) {
      members.needed("service", &service)
      members.needed("characteristic", &characteristic)
      members.member("properties", &properties)
    }
  }

  /// The id that it would get at pairing.
  public var id = ""
  public var address = ""
  /// As it advertises it.
  public var name: String?
  /// The services that it advertises.
  public var services: [String] = []
  public var characteristics: [Characteristic] = []
  /// How many characteristics are not in the list.
  public var more = 0

  public init() {}

  public mutating func visit(_ members: inout Members) {
    members.needed("id", &id)
    members.needed("address", &address)
    members.member("name", &name)
    members.member("services", &services)
    members.member("characteristics", &characteristics)
    members.member("more", &more, unless: 0)
  }
}
