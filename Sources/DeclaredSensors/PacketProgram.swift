// The program of one packet: where it comes from, its fields, and what follows from them.

internal import SensorKit

struct PacketProgram: Sendable {
  var match: Code?
  var steps = 0..<0
  var recordForm: RecordForm?
  /// Among the records of the program.
  var records = 0..<0
  var rest = RestRule.refuse
  var refusals = 0..<0
  var once: Code?
  var readings = 0..<0
  var kept = 0..<0
  var publications = 0..<0
  /// The registers of its fields.
  var registers = 0..<0
  var hasAnswer = false
}

/// A place that packets come from.
struct PacketRoute: Sendable {
  enum Origin: Sendable {
    case characteristic(service: BluetoothUUID, BluetoothUUID, SourceVerbs)
    case advert(AdvertPattern)
  }

  let origin: Origin
  let packet: Int
}

/// A route of a characteristic. Without texts, so that reading it counts no references.
struct CharacteristicRoute: Sendable {
  let service: BluetoothUUID
  let characteristic: BluetoothUUID
  let verbs: SourceVerbs
  /// Whether its packet has a condition.
  let hasMatch: Bool
  let packet: Int

  /// Nil for a route of advertisements.
  init?(_ route: PacketRoute, _ packets: [PacketProgram]) {
    guard case .characteristic(let service, let characteristic, let verbs) = route.origin else { return nil }
    self.service = service
    self.characteristic = characteristic
    self.verbs = verbs
    hasMatch = packets[route.packet].match != nil
    packet = route.packet
  }
}

/// A route of advertisements, also without texts.
struct AdvertRoute: Sendable {
  private let carrier: AdvertPattern.Carrier
  let packet: Int
  /// Among the routes of the program.
  let route: Int
  /// Whether its packet has a condition.
  let hasMatch: Bool

  /// Nil for a route of a characteristic.
  init?(_ routes: [PacketRoute], _ index: Int, _ packets: [PacketProgram]) {
    guard case .advert(let pattern) = routes[index].origin else { return nil }
    carrier = pattern.carrier
    packet = routes[index].packet
    route = index
    hasMatch = packets[packet].match != nil
  }

  func carries(_ origin: PacketSource.Origin) -> Bool {
    switch (origin, carrier) {
    case (.manufacturer, .anyManufacturer): true
    case (.manufacturer(let own), .manufacturer(let company)): own == company
    case (.serviceData(let own), .serviceData(let uuid)): own == uuid
    default: false
    }
  }
}

struct SourceVerbs: OptionSet, Sendable {
  let rawValue: UInt8
  static let notified = SourceVerbs(rawValue: 1)
  static let indicated = SourceVerbs(rawValue: 2)
  static let read = SourceVerbs(rawValue: 4)
}

/// One field, as it is read.
struct FieldStep: Sendable {
  enum Content: UInt8, Sendable { case number, list, group, skip, bytes, text, hex, address, date }

  enum Amount: Sendable {
    case fixed(Int)
    case toEnd
    case computed(Code)
  }

  var content: Content
  var form = NumberForm.u8
  /// Of a list: how many numbers make an item.
  var by = 1
  var amount = Amount.fixed(1)
  var group = 0
  var register: UInt8
  /// The byte to go to first; from the end if below 0.
  var offset: Int?
  var condition: Code?
  var check: Int?

  /// Whether its value has a name.
  var hasRegister: Bool { content != .skip && content != .bytes }
}

/// What a field must be, else the packet is refused.
struct FieldCheck: Sendable {
  enum Comparison: Sendable { case none, number(Double), bytes(Range<Int>), sender, exclusiveOr, sum }

  var lowest = -Double.infinity
  var highest = Double.infinity
  /// Among the numbers of the program.
  var alternatives = 0..<0
  var unknown = 0..<0
  var comparison = Comparison.none
  /// Instead of the usual reason.
  var reason: DecodeError.Reason?

  /// Why a number out of bounds is refused. A number that must be another is read with that as bounds.
  var boundsFailure: DecodeError.Reason {
    if let reason { return reason }
    return if case .number = comparison { .notThisProtocol } else { .outOfRange }
  }
}

/// `Records`: the numbers before the records, and whether each has a length.
struct RecordForm: Sendable {
  var number: NumberForm
  var hasLength: Bool
  var stopsAtUnknown: Bool
}

struct NumberedRecord: Sendable {
  let number: Int
  let steps: Range<Int>
}

struct GroupProgram: Sendable {
  var steps: Range<Int>
  var registers: Range<Int>
  /// What is published of each item, if anything.
  var fields = 0..<0
  var when: Code?
}

enum RestRule: Sendable {
  case refuse, ignore
  case ignoreIf(Code)
}

struct RefusalRule: Sendable {
  let reason: DecodeError.Reason
  let offset: Int
  let condition: Code
}

/// A field whose value stays for other packets.
struct KeptField: Sendable {
  let register: UInt8
  let kept: UInt8
  /// It is a text or a list, whose bytes are kept.
  let hasBytes: Bool
}

struct CounterProgram: Sendable, Equatable {
  var bits: Int
  var clock: Clock?
  /// Units per second.
  var fastest: Double

  struct Clock: Sendable, Equatable {
    var bits: Int
    var ticksPerSecond: Double
  }
}

/// The values that a packet has for a counter.
struct CounterReading: Sendable {
  let counter: Int
  let count: Code
  let clock: Code?
  let unit: Code?
}
