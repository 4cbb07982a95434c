// The sections of a file, with the rules that all of them follow.

internal import IniFile
internal import SensorKit

struct SectionSyntax {
  enum Kind: String, CaseIterable {
    case sensor = "Sensor"
    case packet = "Packet"
    case group = "Group"
    case object = "Object"
    case record = "Record"
    case counter = "Counter"
    case sample = "Sample"
    case fact = "Fact"
    case answer = "Answer"
    case event = "Event"
    case words = "Words"
    case start = "Start"
    case stop = "Stop"
    case command = "Command"
    case process = "Process"

    var hasName: Bool {
      switch self {
      case .sensor, .fact, .answer, .start, .stop, .process: false
      default: true
      }
    }

    /// Whether it belongs to the packet above.
    var isOfPacket: Bool {
      switch self {
      case .group, .object, .record, .counter, .sample, .fact, .answer, .event: true
      case .sensor, .packet, .words, .start, .stop, .command, .process: false
      }
    }

    /// The keys of the language, which begin with a capital letter.
    var keys: [String] {
      switch self {
      case .sensor:
        [
          "Announced", "Author", "Format", "Id", "ReconnectAfter", "Replaces", "Rests", "Service", "Source",
          "StaleAfter", "Title", "Version",
        ]
      case .packet:
        [
          "Advert", "Indicate", "Match", "Notify", "Once", "Optional", "Read", "ReadAndNotify", "Records", "Refuse",
          "Rest", "UnknownRecord",
        ]
      case .group, .record, .words: []
      case .object, .sample, .fact, .answer, .event: ["When"]
      case .counter: ["Bits", "Clock", "ClockBits", "Count", "Fastest", "Ticks", "Unit"]
      case .start: ["KeepAlive", "Read", "Subscribe", "Write"]
      case .stop: ["Write"]
      case .command: ["AnswerWithin", "Preparation", "Summary", "Value", "Write"]
      case .process: ["Unanswered", "User", "Within"]
      }
    }

    /// Keys that may be there several times.
    var repeatedKeys: [String] {
      switch self {
      case .sensor: ["Announced", "Service"]
      case .packet: ["Advert", "Indicate", "Notify", "Read", "ReadAndNotify", "Refuse"]
      case .start: keys
      case .stop, .command: ["Write"]
      default: []
      }
    }

    /// Whether its other keys are names of the file.
    var hasOwnNames: Bool {
      switch self {
      case .packet, .group, .record, .object, .sample, .fact, .answer, .event: true
      case .sensor, .counter, .words, .start, .stop, .command, .process: false
      }
    }
  }

  let kind: Kind
  let name: String
  let line: Int
  let entries: [IniText.Entry]
  let hasWrongHeader: Bool
  /// Its header or one of its lines is wrong in itself, so what it lacks may be there.
  let isDamaged: Bool

  /// For problems: `[Packet road]`.
  var title: String { name.isEmpty ? "[\(kind.rawValue)]" : "[\(kind.rawValue) \(name)]" }

  /// Nil for a section of another kind. `end` is the line of the next section.
  init?(_ section: IniText.Section, until end: Int, without badLines: Set<Int>) {
    let words = section.name.words.map(String.init)
    guard let kind = Kind(rawValue: words.first ?? "") else { return nil }
    self.kind = kind
    name = kind.hasName ? words.dropFirst().joined(separator: " ") : ""
    line = section.line
    entries = section.entries.filter { !badLines.contains($0.line) }
    hasWrongHeader = badLines.contains(section.line) || Self.problem(of: section) != nil
    isDamaged = hasWrongHeader || (section.line..<end).contains { badLines.contains($0) }
  }

  /// What is wrong with the header of a section.
  static func problem(of section: IniText.Section) -> String? {
    let words = section.name.words.map(String.init)
    guard let kind = Kind(rawValue: words.first ?? "") else {
      let kinds = Kind.allCases.map { $0.hasName ? "[\($0.rawValue) NAME]" : "[\($0.rawValue)]" }
      return "[\(section.name)]: the sections are \(kinds.joined(separator: ", "))"
    }
    guard words.count == (kind.hasName ? 2 : 1) else {
      return "[\(section.name)]: expected [\(kind.rawValue)\(kind.hasName ? " NAME" : "")]"
    }
    if kind.hasName, kind != .record, !isName(words[1]) {
      return "[\(section.name)]: a name has small letters, digits and _, and begins with a letter"
    }
    return nil
  }

  /// Checks the keys, and that there are some.
  func check(_ problems: ProblemList, isEmptyAllowed: Bool) {
    if entries.isEmpty, !isEmptyAllowed { problems.add(line, "\(title) has no keys") }
    var seen: Set<String> = []
    for entry in entries {
      if let problem = problem(of: entry) {
        problems.add(entry.line, "\(entry.key): \(problem)")
      } else if Self.isLanguage(entry.key), !kind.repeatedKeys.contains(entry.key), !seen.insert(entry.key).inserted {
        problems.add(entry.line, "\(entry.key): duplicate key")
      }
    }
  }

  private func problem(of entry: IniText.Entry) -> String? {
    if kind == .words { return nil }
    if kind.keys.contains(entry.key) { return nil }
    if kind.hasOwnNames {
      if Self.isName(entry.key) { return nil }
      let names = "your own names have small letters, digits and _, and begin with a letter"
      return kind.keys.isEmpty ? names : "[\(kind.rawValue)] has the keys \(keyList); \(names)"
    }
    return "[\(kind.rawValue)] has the keys \(keyList)"
  }

  private var keyList: String { kind.keys.joined(separator: ", ") }

  /// The entries that are names of the file.
  var ownEntries: [IniText.Entry] { entries.filter { kind.hasOwnNames && Self.isName($0.key) } }

  /// Its fields, each read once.
  func readFields(_ problems: ProblemList) -> [FieldLine] {
    ownEntries.map { entry in
      let field = problems.collect(entry.line, entry.key) { () throws(Mistake) in
        try FieldSyntax(entry.key, entry.value, line: entry.line)
      }
      return FieldLine(entry: entry, field: field)
    }
  }

  func entry(_ key: String) -> IniText.Entry? { entries.first { $0.key == key } }
  func entries(_ key: String) -> [IniText.Entry] { entries.filter { $0.key == key } }

  static func isLanguage(_ key: String) -> Bool { key.utf8.first.map { 65...90 ~= $0 } ?? false }

  /// `[a-z][a-z0-9_]*`
  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, 97...122 ~= first else { return false }
    return text.utf8.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == 95 }
  }
}

/// A line that reads a field.
struct FieldLine {
  let entry: IniText.Entry
  /// Nil if it is wrong in itself.
  let field: FieldSyntax?
}

/// A packet with the sections below it.
struct PacketSyntax {
  let section: SectionSyntax
  private(set) var children: [SectionSyntax] = []
  private var ownLines: [FieldLine] = []
  /// Those of each [Record].
  private(set) var recordLines: [[FieldLine]] = []

  init(_ section: SectionSyntax) { self.section = section }

  mutating func add(_ child: SectionSyntax) { children.append(child) }

  mutating func readFields(_ problems: ProblemList) {
    ownLines = section.readFields(problems)
    recordLines = children(.record).map { $0.readFields(problems) }
  }

  /// Its own fields, without those that are wrong in themselves.
  var fields: [FieldSyntax] { ownLines.compactMap(\.field) }
  var brokenFields: [IniText.Entry] { ownLines.filter { $0.field == nil }.map(\.entry) }
  /// The names of fields that are kept, also of those that are wrong in themselves.
  var keptNames: [String] {
    (ownLines + recordLines.joined()).compactMap { line in
      let isKept = line.field?.isKept ?? line.entry.value.words.contains("keep")
      return isKept ? line.entry.key : nil
    }
  }
  /// Its own fields, and those of its records.
  var allFields: [FieldSyntax] { fields + recordLines.joined().compactMap(\.field) }

  /// Its own fields, and those of its groups and records.
  var fieldCount: Int {
    ([section] + children(.group) + children(.record)).reduce(0) { $0 + $1.ownEntries.count }
  }

  func children(_ kind: SectionSyntax.Kind) -> [SectionSyntax] { children.filter { $0.kind == kind } }
}
