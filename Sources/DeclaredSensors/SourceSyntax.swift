// Where packets come from in the text of a file: characteristics and advertisements.

internal import SensorKit

enum SourceSyntax {
  static func uuid(_ text: some StringProtocol) throws(Mistake) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else {
      throw Mistake("\"\(text)\" is not a UUID, which has 4, 8 or 32 hex digits")
    }
    return uuid
  }

  /// `SERVICE CHARACTERISTIC`
  static func characteristic(
    _ text: Substring
  ) throws(Mistake) -> (service: BluetoothUUID, characteristic: BluetoothUUID) {
    let words = text.words
    guard words.count == 2 else { throw Mistake("expected SERVICE CHARACTERISTIC") }
    return (try uuid(words[0]), try uuid(words[1]))
  }

  /// `company HEX`, `any_company` or `service UUID`, with `name=` and `service=` after it.
  static func advert(_ text: String) throws(Mistake) -> AdvertPattern {
    var words = text.words[...]
    let carrier: AdvertPattern.Carrier
    switch words.popFirst() {
    case "any_company": carrier = .anyManufacturer
    case "company":
      let digits = words.popFirst() ?? ""
      guard 1...4 ~= digits.utf8.count, let company = UInt16(digits, radix: 16) else {
        throw Mistake("a company is up to four hex digits, not \"\(digits)\"")
      }
      carrier = .manufacturer(company)
    case "service": carrier = .serviceData(try uuid(words.popFirst() ?? ""))
    default: throw Mistake("expected company HEX, any_company or service UUID")
    }
    var name: Substring?
    var service: BluetoothUUID?
    for word in words {
      if word.hasPrefix("name="), word.utf8.count > 5, name == nil {
        name = word.dropFirst(5)
      } else if word.hasPrefix("service="), service == nil {
        service = try uuid(word.dropFirst(8))
      } else {
        throw Mistake("\"\(word)\" is not name=NAME or service=UUID, once each")
      }
    }
    guard let name else { return AdvertPattern(carrier, service: service) }
    if name.hasSuffix("*") { return AdvertPattern(carrier, namePrefix: String(name.dropLast()), service: service) }
    return AdvertPattern(carrier, name: String(name), service: service)
  }

  /// Services that are never written to: generic access and attributes, and those that replace the
  /// firmware of a device.
  static let forbiddenServices: [BluetoothUUID] = [
    BluetoothUUID(0x1800), BluetoothUUID(0x1801), BluetoothUUID(0xfe59), BluetoothUUID(0xfef5), BluetoothUUID(0xfe20),
    BluetoothUUID(0x8018), BluetoothUUID(maker: "00060000-f8ce-11e4-abf4-0002a5d5c51b"),
    BluetoothUUID(maker: "00001016-d102-11e1-9b23-00025b00a5a5"),
    BluetoothUUID(maker: "00001530-1212-efde-1523-785feabcd123"),
    BluetoothUUID(maker: "8d53dc1d-1db7-4cd3-868b-8a527460aa84"),
    BluetoothUUID(maker: "1d14d6ee-fd63-4fa1-bfa4-8f47b42119f0"),
    BluetoothUUID(maker: "f000ffc0-0451-4000-b000-000000000000"),
    BluetoothUUID(maker: "0000fe20-cc7a-482a-984a-7f2ed5b3e58f"),
    BluetoothUUID(maker: "00010203-0405-0607-0809-0a0b0c0d1912"),
  ]
}
