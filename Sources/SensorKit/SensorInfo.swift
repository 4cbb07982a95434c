// What a plugin says of itself: enough to recognise its sensors in the air, to set a link up, to tell users what it offers,
// and to make the table of supported sensors.

/// A class, for it is made once for each plugin and looked at for each packet: handing it on copies nothing.
public final class SensorInfo: Sendable {
  /// `[a-z0-9_]+`; never changes once released: it stands in rosters and scripts.
  public let id: String
  public let title: String
  /// Services whose presence in an advert or on a device makes this plugin part of the sensor.
  public let services: [BluetoothUUID]
  /// What its sensors advertise instead, where their adverts have no room for a service of `services`.
  public let announcements: [Announcement]
  /// Adverts that carry the data themselves.
  public let adverts: [AdvertPattern]
  public let characteristics: [CharacteristicUse]
  public let kinds: [SampleKind]
  public let silence: Silence
  /// The names of `offers`.
  public let commands: [String]
  /// What its sensors can be asked to do.
  public let offers: [CommandInfo]
  /// The characteristic that all of them are written to; nil if every sensor of this plugin takes them.
  public let commandTarget: BluetoothUUID?
  /// A bare companion (battery, device information) is never the reason to call a device a sensor.
  public let isCompanion: Bool
  /// Its sensors count a wheel's revolutions: they need its circumference.
  public let countsWheel: Bool
  /// Of `kinds`, those whose last sample holds until the next one, however long that takes.
  public let lastingKinds: [SampleKind]

  public init(
    id: String, title: String, services: [BluetoothUUID] = [], announcements: [Announcement] = [],
    adverts: [AdvertPattern] = [], characteristics: [CharacteristicUse] = [],
    kinds: [SampleKind], silence: Silence, commands: [CommandInfo] = [],
    writtenTo commandTarget: BluetoothUUID? = nil, isCompanion: Bool = false, countsWheel: Bool = false,
    lasting lastingKinds: [SampleKind] = []
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
    self.countsWheel = countsWheel
    self.lastingKinds = lastingKinds
  }
}

/// One characteristic, and what the plugin does with it when the link comes up.
public struct CharacteristicUse: Sendable {
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  public let isSubscribed: Bool
  public let isRead: Bool
  /// Without it the sensor is of no use; the others are taken where they are.
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

  /// Both, and taken where it is: a value that is there at once and then changes now and then.
  public static func readAndSubscribed(
    _ characteristic: BluetoothUUID, of service: BluetoothUUID
  ) -> CharacteristicUse {
    CharacteristicUse(service, characteristic, subscribed: true, read: true, required: false)
  }

  /// Written on a command only.
  public static func written(_ characteristic: BluetoothUUID, of service: BluetoothUUID) -> CharacteristicUse {
    CharacteristicUse(service, characteristic, subscribed: false, read: false, required: false)
  }
}

/// A service that is advertised by other devices too, and how the names of those begin that are meant.
public struct Announcement: Sendable {
  public let service: BluetoothUUID
  public let namePrefix: String

  public init(of service: BluetoothUUID, namePrefix: String) {
    self.service = service
    self.namePrefix = namePrefix
  }
}

/// An advert that a plugin decodes, known by the company id or service it carries, and by its name where those are shared.
public struct AdvertPattern: Sendable {
  public enum Carrier: Equatable, Sendable {
    case manufacturer(UInt16)
    case serviceData(BluetoothUUID)
    /// The maker put data where the company id belongs: any.
    case anyManufacturer
  }

  public let carrier: Carrier
  /// What the sender's name begins with, or is.
  public let name: String
  public let isWholeName: Bool
  /// Advertised beside the data.
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
