// Collects the places that the packets of a file come from.

internal import IniFile
internal import SensorKit

struct SourceReader {
  private let problems: ProblemList
  private(set) var routes: [PacketRoute] = []
  private(set) var characteristics: [CharacteristicUse] = []
  private(set) var adverts: [AdvertPattern] = []

  /// A packet has one or two of them, and few sensors have more than a dozen.
  private static let mostCharacteristics = 64
  static let kinds = ["Notify", "Indicate", "Read", "ReadAndNotify", "Advert"]

  init(_ problems: ProblemList) {
    self.problems = problems
  }

  /// The services of all characteristics.
  var services: [BluetoothUUID] { characteristics.map(\.service) }

  mutating func add(_ section: SectionSyntax, _ packet: Int) {
    let kinds = Self.kinds.filter { section.entry($0) != nil }
    guard let kind = kinds.first else {
      if !section.isDamaged {
        problems.add(section.line, "\(section.title) has none of \(Self.kinds.joined(separator: ", "))")
      }
      return
    }
    if let other = kinds.dropFirst().first, let entry = section.entry(other) {
      problems.add(
        entry.line, "\(other): \(section.title) has \(kind) already, and a packet comes from one kind of source")
    }
    // Of several places, a device has one.
    let isOptional = optional(section, kind) || section.entries(kind).count > 1
    for entry in section.entries(kind) {
      _ = problems.collect(entry.line, kind) { () throws(Mistake) in
        if kind == "Advert" {
          try addAdvert(entry.value, packet)
        } else {
          try addCharacteristic(entry.value, kind, isOptional, packet)
        }
      }
    }
  }

  /// Values that are only read, and advertisements, are always optional.
  private func optional(_ section: SectionSyntax, _ kind: String) -> Bool {
    guard let entry = section.entry("Optional") else { return false }
    if kind != "Notify", kind != "Indicate" {
      problems.add(entry.line, "Optional is for Notify and Indicate; a packet with \(kind) is always optional")
    }
    if entry.value != "yes" { problems.add(entry.line, "Optional is yes, or the key is not there") }
    return true
  }

  private mutating func addAdvert(_ text: String, _ packet: Int) throws(Mistake) {
    let pattern = try SourceSyntax.advert(text)
    adverts.append(pattern)
    routes.append(PacketRoute(origin: .advert(pattern), packet: packet))
  }

  /// A value that is only read is never required, because many sensors leave some out.
  private mutating func addCharacteristic(
    _ text: String, _ kind: String, _ isOptional: Bool, _ packet: Int
  ) throws(Mistake) {
    let (service, characteristic) = try SourceSyntax.characteristic(text[...])
    let verbs: SourceVerbs =
      switch kind {
      case "Notify": .notified
      case "Indicate": .indicated
      case "Read": .read
      default: [.read, .notified]
      }
    routes.append(PacketRoute(origin: .characteristic(service: service, characteristic, verbs), packet: packet))
    let isKnown = characteristics.contains {
      $0.service == service && $0.characteristic == characteristic && (kind != "Read" || $0.isRead)
        && (kind == "Read" || $0.isSubscribed)
    }
    if isKnown { return isOptional || kind.hasPrefix("Read") ? () : require(service, characteristic) }
    guard characteristics.count < Self.mostCharacteristics else {
      throw Mistake("a file has at most \(Self.mostCharacteristics) characteristics")
    }
    switch kind {
    case "Read": characteristics.append(.read(characteristic, of: service))
    case "ReadAndNotify": characteristics.append(.readAndSubscribed(characteristic, of: service))
    default: characteristics.append(.subscribed(characteristic, of: service, required: !isOptional))
    }
  }

  /// One packet that needs a characteristic is enough.
  private mutating func require(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    for index in characteristics.indices {
      let use = characteristics[index]
      guard use.service == service, use.characteristic == characteristic, use.isSubscribed, !use.isRead else {
        continue
      }
      characteristics[index] = .subscribed(characteristic, of: service, required: true)
    }
  }

  /// Without [Start], everything is subscribed and read in the order of the file.
  var defaultStart: [StartStep] {
    var steps: [StartStep] = []
    for use in characteristics {
      if use.isSubscribed { steps.append(.subscribe(service: use.service, use.characteristic)) }
      if use.isRead { steps.append(.read(service: use.service, use.characteristic)) }
    }
    return steps
  }

  /// The characteristics of a packet that can be read, or subscribed to.
  func characteristics(of packet: Int, _ verbs: SourceVerbs) -> [(BluetoothUUID, BluetoothUUID)] {
    var found: [(BluetoothUUID, BluetoothUUID)] = []
    for route in routes where route.packet == packet {
      if case .characteristic(let service, let characteristic, let own) = route.origin, !own.isDisjoint(with: verbs) {
        found.append((service, characteristic))
      }
    }
    return found
  }
}
