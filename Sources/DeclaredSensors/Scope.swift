// The names that an expression may use.

/// The type of a value, which is known when the file is read.
enum ValueType: Equatable {
  case number, flag, text
  /// Of numbers. Nil fits every width.
  case list(width: Int?)
  case objects(group: Int)
  /// Follows from another problem, so it causes none.
  case broken

  var isCondition: Bool { self == .number || self == .flag || self == .broken }

  var isList: Bool {
    if case .list = self { true } else { false }
  }

  var text: String {
    switch self {
    case .number: "a number"
    case .flag: "a flag"
    case .text: "a text"
    case .list(let width): width.map { $0 > 1 ? "a list by \($0)" : "a list" } ?? "a list"
    case .objects: "a list of objects"
    case .broken: "unknown"
    }
  }

  /// What is right instead of `NAME.PART`.
  fileprivate func hintAboutParts(of name: String) -> String {
    switch self {
    case .objects: "whose fields are published in the [Object] of its [Group], by each \(name)"
    default: "and only counters have parts, such as .rate"
    }
  }

  /// The type of a choice between two values; nil if they do not fit.
  func joined(with other: ValueType) -> ValueType? {
    switch (self, other) {
    case (.broken, _), (_, .broken): .broken
    case (.list(let one), .list(let two)): one == nil || two == nil || one == two ? .list(width: one ?? two) : nil
    default: self == other ? self : nil
    }
  }
}

/// A name with its register.
struct Binding {
  let register: UInt8
  let valueType: ValueType
  /// Of a field that is a whole number: how many bits a counter has that counts with it.
  var counterBits: Int?
  /// Fields of this name have different widths, so a counter must state its own.
  var hasSeveralWidths = false
}

/// The names of a packet that a group uses.
final class NameUses {
  var names: Set<String> = []
}

struct Scope {
  /// For problems: `[Packet measurement]`.
  let place: String
  private var fields: [String: Binding] = [:]
  private(set) var kept: [String: Binding]
  private let counters: [String: Int]
  private var words: Set<Word>
  /// The fields of the packet that a group uses.
  private var uses: NameUses?
  /// The names that the group itself has declared.
  private var ownNames: Set<String> = []

  /// Names of the language that not every expression has.
  enum Word { case packet, settings, value, counters }

  /// No field can have these names, which would have another meaning in other packets.
  static let reserved: Set = [
    "true", "false", "empty", "length", "company", "circumference_m", "wheel", "value",
  ]
  static let counterParts = ["rate", "delta", "total", "stopped"]

  init(place: String, words: Set<Word>, kept: [String: Binding] = [:], counters: [String: Int] = [:]) {
    self.place = place
    self.words = words
    self.kept = kept
    self.counters = counters
  }

  /// Whether there are bytes of a packet.
  var hasPacket: Bool { words.contains(.packet) }

  func field(_ name: String) -> Binding? { fields[name] }

  mutating func declare(_ name: String, _ binding: Binding) {
    fields[name] = binding
    ownNames.insert(name)
  }

  /// The scope of a group, which records the fields that it uses of the packet.
  func recording(_ uses: NameUses) -> Scope {
    var scope = self
    scope.uses = uses
    scope.ownNames = []
    return scope
  }

  /// Counters move after the fields have been read, so only what follows the fields sees them.
  func withCounters() -> Scope {
    var scope = self
    scope.words.insert(.counters)
    return scope
  }

  func binding(_ name: String) throws(Mistake) -> Binding {
    if let binding = fields[name] {
      if let uses, !ownNames.contains(name) { uses.names.insert(name) }
      return binding
    }
    if let binding = environment(name) { return binding }
    if let binding = kept[name] { return binding }
    let parts = name[...].parts(at: ".").map(String.init)
    if parts.count == 2 { return try counter(parts[0], parts[1]) }
    if counters[name] != nil, words.contains(.counters) {
      throw Mistake("\(name) is a counter; it has \(Self.partList(of: name))")
    }
    guard hasPacket else { throw Mistake("no packet keeps a field \"\(name)\"") }
    throw Mistake("\(place) has no field \"\(name)\"\(fields.isEmpty ? "" : " above this line")")
  }

  private func counter(_ name: String, _ part: String) throws(Mistake) -> Binding {
    guard let counter = counters[name] else {
      if let binding = fields[name] ?? kept[name] {
        let valueType = binding.valueType
        if valueType == .broken { return binding }
        throw Mistake("\(name) is \(valueType.text), \(valueType.hintAboutParts(of: name))")
      }
      let known = counters.keys.sorted().joined(separator: ", ")
      throw Mistake("the file has no [Counter \(name)]\(known.isEmpty ? "" : "; its counters are \(known)")")
    }
    guard words.contains(.counters) else { throw Mistake("counters count after the fields have been read") }
    guard let index = Self.counterParts.firstIndex(of: part) else {
      throw Mistake("\(name) has \(Self.partList(of: name)), not \(name).\(part)")
    }
    let register = RegisterMap.registers(ofCounter: counter).lowerBound + UInt8(index)
    return Binding(register: register, valueType: part == "stopped" ? .flag : .number)
  }

  private static func partList(of name: String) -> String {
    counterParts.map { "\(name).\($0)" }.joined(separator: ", ")
  }

  private func environment(_ name: String) -> Binding? {
    switch name {
    case "length" where hasPacket: Binding(register: RegisterMap.length, valueType: .number)
    case "company" where hasPacket: Binding(register: RegisterMap.company, valueType: .number)
    case "circumference_m" where words.contains(.settings):
      Binding(register: RegisterMap.circumference, valueType: .number)
    case "wheel" where words.contains(.settings): Binding(register: RegisterMap.wheel, valueType: .text)
    case "value" where words.contains(.value): Binding(register: RegisterMap.value, valueType: .number)
    default: nil
    }
  }
}
