// The choices of a script: sources and commands, as the plugins declare them.

public import SensorKit
import Vocabulary

/// A source of bytes, as a script names it.
public struct NamedSource: Sendable {
  public enum Place: Sendable {
    case characteristic(service: BluetoothUUID, BluetoothUUID)
    case advert(AdvertPattern.Carrier)
  }

  public let key: Key
  public let place: Place

  public init(_ use: CharacteristicUse) {
    self.init(service: use.service, use.characteristic)
  }

  public init(service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    key = Key("\(service)/\(characteristic)")
    place = .characteristic(service: service, characteristic)
  }

  public init(_ carrier: AdvertPattern.Carrier) {
    place = .advert(carrier)
    switch carrier {
    case .manufacturer(let company): key = Key("manufacturer/\(company)")
    case .anyManufacturer: key = Key("manufacturer")
    case .serviceData(let uuid): key = Key("service/\(uuid)")
    }
  }

  public func origin(_ origin: Step.Origin, company: UInt16) -> PacketSource.Origin {
    switch (place, origin) {
    case (.characteristic(let service, let uuid), .notified): .notified(service: service, characteristic: uuid)
    case (.characteristic(let service, let uuid), .indicated): .indicated(service: service, characteristic: uuid)
    case (.characteristic(let service, let uuid), .read): .read(service: service, characteristic: uuid)
    case (.advert(.manufacturer(let company)), _): .manufacturer(company)
    case (.advert(.anyManufacturer), _): .manufacturer(company)
    case (.advert(.serviceData(let uuid)), _): .serviceData(uuid)
    }
  }
}

/// A plugin and what a script can name of it. Made once, because names are slow to write and to
/// hash.
public struct NamedPlugin: Sendable {
  public let plugin: Plugin
  public let sources: [NamedSource]
  public let commands: [(key: Key, name: String)]
  let key: Key

  public init(_ plugin: Plugin) {
    let info = plugin.info
    self.plugin = plugin
    key = Key(info.id)
    sources = info.characteristics.map { NamedSource($0) } + info.adverts.map { NamedSource($0.carrier) }
    commands = info.commands.map { (Key($0), $0) }
  }
}

extension Script {
  /// The named plugins, each once and in the order of the registry, like recognition.
  public func choose(among registry: [NamedPlugin]) -> [NamedPlugin] {
    let chosen = plugins.compactMap { $0.choose(among: registry, by: \.key)?.key }
    return registry.filter { chosen.contains($0.key) }
  }
}
