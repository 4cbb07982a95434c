// The release of BlueZ, for behaviour that differs between releases. bluetoothd reports it in the
// Modalias of its adapters. `status` reports it in `versions`.

public struct BlueZRelease: Comparable, CustomStringConvertible, Sendable {
  public let major: Int
  public let minor: Int

  /// In earlier releases, a link that ends while a notification is being acquired leaves a freed
  /// client behind.
  public static let firstThatForgetsEndedLinks = BlueZRelease(5, 86)

  public init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// `5.66`
  public init?(_ text: String) {
    let parts = text.split(separator: ".").map { Int($0) }
    guard parts.count >= 2, let major = parts[0], let minor = parts[1] else { return nil }
    self.init(major, minor)
  }

  /// `usb:v1D6Bp0246d0542` is 5.66: the device part has one byte each for major and minor. Nil for
  /// another modalias, which main.conf can set.
  public init?(modalias: String) {
    guard modalias.lowercased().hasPrefix(Self.prefix) else { return nil }
    let digits = modalias.dropFirst(Self.prefix.count).prefix(4)
    guard digits.utf8.count == 4, let number = Int(digits, radix: 16) else { return nil }
    self.init(number >> 8, number & 0xff)
  }

  private static let prefix = "usb:v1d6bp0246d"

  public var description: String { "\(major).\(minor)" }

  public static func < (one: Self, other: Self) -> Bool { (one.major, one.minor) < (other.major, other.minor) }
}
