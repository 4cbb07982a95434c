// What a sensor allows with one of its characteristics: the properties in its declaration.

public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  // The numbers of the Bluetooth Core Specification.
  public static let read = CharacteristicProperties(rawValue: 0x02)
  public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
  public static let write = CharacteristicProperties(rawValue: 0x08)
  public static let notify = CharacteristicProperties(rawValue: 0x10)
  public static let indicate = CharacteristicProperties(rawValue: 0x20)

  /// Whether the sensor sends its values by itself once they are subscribed to.
  public var canSubscribe: Bool { !isDisjoint(with: [.notify, .indicate]) }
}
