// Reads a file with [Process]: its packets have no fields, and what they publish has types instead of
// expressions.

internal import IniFile
internal import SensorKit

struct ProcessReader {
  private let section: SectionSyntax
  private let words: SensorWords
  private let problems: ProblemList
  private var records: [ProcessProgram.Record] = []
  private var fields: [ProcessProgram.RecordField] = []
  private var knownWords: [Word] = []
  private var objects: [String: Range<Int>] = [:]
  private var usedObjects: Set<String> = []
  private var warnings: [SensorFileProblem] = []

  /// Keys that need fields.
  private static let keysOfFields = ["Once", "Records", "Refuse", "Rest", "UnknownRecord"]

  init(_ section: SectionSyntax, _ words: SensorWords, _ problems: ProblemList) {
    self.section = section
    self.words = words
    self.problems = problems
  }

  mutating func read(_ packets: [PacketSyntax], into parts: inout ProgramParts) -> ProcessProgram {
    let user = user()
    let unanswered = number("Unanswered", 1...ProcessProgram.mostUnanswered) ?? 32
    let within = number("Within", 1...1000) ?? 250
    var names: [Word] = []
    for packet in packets {
      parts.packets.append(readPacket(packet, into: &parts))
      let name = problems.collect(packet.section.line, packet.section.title) { () throws(Mistake) in
        try words.word(packet.section.name)
      }
      if let name { names.append(name) }
    }
    readRecords(packets)
    parts.warnings += warnings
    return ProcessProgram(
      line: section.line, user: user, unanswered: unanswered, within: .milliseconds(within), packets: names,
      records: records, fields: fields, words: knownWords)
  }

  private func user() -> String {
    guard let entry = section.entry("User") else {
      if !section.isDamaged { problems.add(section.line, "[Process] has no User") }
      return ""
    }
    let letters = entry.value.utf8
    let isName =
      1...32 ~= letters.count && letters.first.map { 97...122 ~= $0 || $0 == 95 } == true
      && letters.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == 95 || $0 == 45 }
    if !isName { problems.add(entry.line, "User: \"\(entry.value)\" is not the name of a user") }
    return entry.value
  }

  private func number(_ key: String, _ range: ClosedRange<Int>) -> Int? {
    guard let entry = section.entry(key) else { return nil }
    return problems.collect(entry.line, key) { () throws(Mistake) in
      guard let number = NumberText.whole(entry.value, in: range) else {
        throw Mistake("a whole number from \(range.lowerBound) to \(range.upperBound) is expected")
      }
      return number
    }
  }

  /// `Match` remains, because it chooses between packets of one place.
  private func readPacket(_ packet: PacketSyntax, into parts: inout ProgramParts) -> PacketProgram {
    for entry in packet.section.entries where Self.keysOfFields.contains(entry.key) {
      problems.add(entry.line, "\(entry.key): a packet that goes to a process has no fields")
    }
    for entry in packet.section.ownEntries {
      problems.add(entry.line, "\(entry.key): a packet that goes to a process has no fields")
    }
    for child in packet.children where [.group, .record, .counter].contains(child.kind) {
      problems.add(child.line, "\(child.title): a packet that goes to a process has no fields")
    }
    var program = PacketProgram()
    program.hasAnswer = packet.children.contains { $0.kind == .answer }
    if let entry = packet.section.entry("Match") {
      program.match = problems.collect(entry.line, "Match") { () throws(Mistake) in
        try parts.condition(entry.value, in: Scope(place: "Match", words: [.packet]))
      }
    }
    return program
  }
}

// MARK: Records

extension ProcessReader {
  /// Records and objects belong to all packets of the file.
  private mutating func readRecords(_ packets: [PacketSyntax]) {
    let sections = packets.flatMap(\.children)
    var titles: Set<String> = []
    for section in sections where section.kind != .group && section.kind != .record && section.kind != .counter {
      if !titles.insert(section.title).inserted {
        problems.add(section.line, "\(section.title): there are two sections of this name")
      }
      if let entry = section.entry("When") {
        problems.add(entry.line, "When: the process decides when there is a record")
      }
    }
    for section in sections where section.kind == .object && objects[section.name] == nil {
      objects[section.name] = readFields(section, kinds: kinds(ofObject: section.name, sections))
    }
    for section in sections {
      switch section.kind {
      case .sample, .event, .fact, .answer: readRecord(section)
      default: continue
      }
    }
    for section in sections where section.kind == .object && !usedObjects.contains(section.name) {
      problems.add(section.line, "\(section.title): no field is objects \(section.name)")
    }
  }

  private func form(of section: SectionSyntax) throws(Mistake) -> ProcessProgram.Form {
    switch section.kind {
    case .sample: .sample(try words.kind(section.name))
    case .event: .event(try words.eventName(section.name))
    case .answer: .answer
    default: .fact
    }
  }

  private mutating func readRecord(_ section: SectionSyntax) {
    var form: ProcessProgram.Form?
    if !section.hasWrongHeader {
      form = problems.collect(section.line, section.title) { () throws(Mistake) in try self.form(of: section) }
    }
    if let warning = SpellingCheck.warning(ofKind: section) { warnings.append(warning) }
    let fields = readFields(section, kinds: section.kind == .sample ? [section.name] : [])
    if let form { records.append(ProcessProgram.Record(form: form, fields: fields)) }
  }

  /// `radar.targets` for objects that are the targets of a radar.
  private func kinds(ofObject name: String, _ sections: [SectionSyntax]) -> [String] {
    sections.filter { $0.kind == .sample }.flatMap { sample in
      sample.ownEntries.compactMap { entry in
        Self.words(of: entry.value) == ["objects", name] ? "\(sample.name).\(entry.key)" : nil
      }
    }
  }

  private mutating func readFields(_ section: SectionSyntax, kinds: [String]) -> Range<Int> {
    var list: [ProcessProgram.RecordField] = []
    for entry in section.ownEntries {
      // A closure cannot change the reader while it is in use.
      do throws(Mistake) {
        let taken = PublicationCompiler.taken(by: section.kind).union(Self.taken(by: section.kind))
        if taken.contains(entry.key) { throw Mistake("every record has its own \(entry.key)") }
        let field = Field(try words.word(entry.key))
        guard !list.contains(where: { $0.field == field }) else { throw Mistake("duplicate key") }
        let type = try readType(entry.value, section)
        for kind in kinds {
          if let warning = SpellingCheck.warning(of: entry, in: kind, section) { warnings.append(warning) }
          guard let known = KnownFields.form(of: entry.key, in: kind), known != type.form else { continue }
          throw Mistake("\(entry.key) of \(kind) is \(known.text), not \(type.form.text)")
        }
        list.append(ProcessProgram.RecordField(field: field, type: type))
      } catch {
        problems.add(entry.line, "\(entry.key): \(error.text)")
      }
    }
    if list.count > ProcessProgram.mostFields {
      problems.add(section.line, "\(section.title) has more than \(ProcessProgram.mostFields) fields")
    }
    fields += list
    return fields.count - list.count..<fields.count
  }

  /// These members of a record name its section.
  private static func taken(by kind: SectionSyntax.Kind) -> Set<String> {
    switch kind {
    case .sample: ["sample"]
    case .event: ["sample", "event"]
    default: []
    }
  }

  private static func words(of text: String) -> [String] {
    text.words.map(String.init)
  }

  private mutating func readType(_ text: String, _ section: SectionSyntax) throws(Mistake) -> ProcessProgram.FieldType {
    let words = Self.words(of: text)
    switch words.first {
    case "number" where words.count == 1: return .number
    case "flag" where words.count == 1: return .flag
    case "text" where words.count == 1: return .text
    case "numbers" where words.count == 1: return .numbers
    case "words": return .word(try readWords(words.dropFirst()))
    case "list" where words.count > 1 && words[1] == "words": return .words(try readWords(words.dropFirst(2)))
    case "objects" where words.count == 2:
      guard section.kind != .object else { throw Mistake("an object has no lists of objects") }
      guard let fields = objects[words[1]] else { throw Mistake("there is no [Object \(words[1])]") }
      usedObjects.insert(words[1])
      return .objects(fields)
    default:
      throw Mistake(
        "\"\(text)\" is not number, flag, text, numbers, words A, B, list words A, B or objects NAME")
    }
  }

  private mutating func readWords(_ parts: ArraySlice<String>) throws(Mistake) -> Range<Int> {
    let text = parts.joined(separator: " ")
    let first = knownWords.count
    var list: [Word] = []
    for item in text[...].parts(at: ",") {
      let names = item.words
      guard names.count == 1 else { throw Mistake("a word is missing, or a comma between two words") }
      let word = try words.word(String(names[0]))
      guard !list.contains(word) else { throw Mistake("\(word) is there twice") }
      list.append(word)
    }
    knownWords += list
    return first..<knownWords.count
  }
}

extension ProcessProgram.FieldType {
  fileprivate var form: KnownFields.Form {
    switch self {
    case .number: .number
    case .flag: .flag
    case .text, .word: .text
    case .numbers: .numbers
    case .words: .words
    case .objects: .objects
    }
  }
}
