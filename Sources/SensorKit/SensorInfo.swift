// The description of a plugin. It is used to recognize sensors, to set up a link, to show users
// what is offered, and to generate the table of supported sensors.

public import Vocabulary

/// A class, because it is created once per plugin and used for each packet; passing it on copies
/// nothing.
public final class SensorInfo: Sendable {
  /// `[a-z0-9_]+`; it must never change after a release, because it is stored in rosters and
  /// scripts.
  public let id: String
  public let title: String
  /// Services that identify a sensor of this plugin, in its advertisement or after connecting.
  public let services: [BluetoothUUID]
  /// What its sensors advertise instead if their advertisements have no space for these services.
  public let announcements: [Announcement]
  /// Advertisements that carry data themselves.
  public let adverts: [AdvertPattern]
  public let characteristics: [CharacteristicUse]
  public let kinds: [SampleKind]
  public let silence: Silence
  /// The names of `offers`.
  public let commands: [String]
  /// The commands that its sensors support.
  public let offers: [CommandInfo]
  /// The characteristic that commands are written to; nil if every sensor of this plugin supports
  /// them.
  public let commandTarget: BluetoothUUID?
  /// A companion (battery, device information) alone does not make a device a sensor.
  public let isCompanion: Bool
  /// A program decodes its packets, so what they say comes later.
  public let isOfProcess: Bool
  /// Whether a packet that was accepted shows at once that the sensor works.
  let provesLife: Bool
  /// Its sensors count wheel revolutions, so they need a circumference.
  public let countsWheel: Bool
  /// The `kinds` whose last sample holds until the next one, however long that takes.
  public let lastingKinds: [SampleKind]
  /// Whether the ride warns of cars by samples of its radar. A file can only state that it is in the place
  /// of a built-in radar.
  public let countsForWarnings: Bool

  public init(
    id: String, title: String, services: [BluetoothUUID] = [], announcements: [Announcement] = [],
    adverts: [AdvertPattern] = [], characteristics: [CharacteristicUse] = [],
    kinds: [SampleKind], silence: Silence, commands: [CommandInfo] = [],
    writtenTo commandTarget: BluetoothUUID? = nil, isCompanion: Bool = false, countsWheel: Bool = false,
    lasting lastingKinds: [SampleKind] = [], countsForWarnings: Bool = true, isOfProcess: Bool = false
  ) {
    self.id = id
    self.title = title
    self.services = services
    self.announcements = announcements
    self.adverts = adverts
    self.characteristics = characteristics
    self.kinds = kinds
    self.silence = silence
    offers = commands
    self.commandTarget = commandTarget
    self.commands = commands.map(\.name)
    self.isCompanion = isCompanion
    self.isOfProcess = isOfProcess
    provesLife = !isCompanion && !isOfProcess
    self.countsWheel = countsWheel
    self.lastingKinds = lastingKinds
    self.countsForWarnings = countsForWarnings
  }
}

extension SensorInfo {
  /// The same with what does not depend on how a sensor is decoded: whether it is a companion, which
  /// samples last, and whether its radar counts.
  public func replacing(_ other: SensorInfo) -> SensorInfo {
    SensorInfo(
      id: id, title: title, services: services, announcements: announcements, adverts: adverts,
      characteristics: characteristics, kinds: kinds, silence: silence, commands: offers, writtenTo: commandTarget,
      isCompanion: other.isCompanion, countsWheel: countsWheel, lasting: other.lastingKinds.filter(kinds.contains),
      countsForWarnings: other.watchesTheRoad, isOfProcess: isOfProcess)
  }
}

extension SensorInfo {
  /// A radar that the ride relies on: a missing one endangers the rider.
  public var watchesTheRoad: Bool { countsForWarnings && kinds.contains(.radar) }
}

/// A characteristic, and how the plugin uses it after connecting.
public struct CharacteristicUse: Sendable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  public let isSubscribed: Bool
  public let isRead: Bool
  /// Without this characteristic the sensor is useless; others are optional.
  public let isRequired: Bool

  private init(
    _ service: BluetoothUUID, _ characteristic: BluetoothUUID, subscribed: Bool, read: Bool, required: Bool
  ) {
    self.service = service
    self.characteristic = characteristic
    isSubscribed = subscribed
    isRead = read
    isRequired = required
  }

  public static func subscribed(
    _ characteristic: BluetoothUUID, of service: BluetoothUUID, required: Bool = true
  ) -> CharacteristicUse {
    CharacteristicUse(service, characteristic, subscribed: true, read: false, required: required)
  }

  public static func read(_ characteristic: BluetoothUUID, of service: BluetoothUUID) -> CharacteristicUse {
    CharacteristicUse(service, characteristic, subscribed: false, read: true, required: false)
  }

  /// An optional value that is known at once and changes occasionally.
  public static func readAndSubscribed(
    _ characteristic: BluetoothUUID, of service: BluetoothUUID
  ) -> CharacteristicUse {
    CharacteristicUse(service, characteristic, subscribed: true, read: true, required: false)
  }

  /// Only written by commands.
  public static func written(_ characteristic: BluetoothUUID, of service: BluetoothUUID) -> CharacteristicUse {
    CharacteristicUse(service, characteristic, subscribed: false, read: false, required: false)
  }
}

/// A service that other devices advertise too, with the name prefix of the relevant ones.
public struct Announcement: Sendable {
  public let service: BluetoothUUID
  public let namePrefix: String

  public init(of service: BluetoothUUID, namePrefix: String) {
    self.service = service
    self.namePrefix = namePrefix
  }
}

/// An advertisement that a plugin decodes, identified by company id or service, and by name where
/// those are shared.
public struct AdvertPattern: Sendable {
  public enum Carrier: Equatable, Sendable {
    case manufacturer(UInt16)
    case serviceData(BluetoothUUID)
    /// The maker put data in place of the company id, so any id matches.
    case anyManufacturer
  }

  public let carrier: Carrier
  /// The sender's name or its prefix.
  public let name: String
  public let isWholeName: Bool
  /// A service that is advertised along with the data.
  public let service: BluetoothUUID?

  public init(_ carrier: Carrier, namePrefix: String = "", service: BluetoothUUID? = nil) {
    self.carrier = carrier
    name = namePrefix
    isWholeName = false
    self.service = service
  }

  public init(_ carrier: Carrier, name: String, service: BluetoothUUID? = nil) {
    self.carrier = carrier
    self.name = name
    isWholeName = true
    self.service = service
  }

  public func accepts(name other: String) -> Bool {
    isWholeName ? other == name : other.hasPrefix(name)
  }
}
