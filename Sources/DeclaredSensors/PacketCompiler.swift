// Turns a packet with the sections below it into a program.

internal import IniFile
internal import SensorKit

struct PacketCompiler {
  /// The kept values and counters of the whole file.
  struct FileNames {
    let kept: [String: Binding]
    let counters: [String: Int]
    let keptCount: Int
  }

  private let syntax: PacketSyntax
  private let file: FileNames
  private let publications: PublicationCompiler
  private let problems: ProblemList
  private let allocator: RegisterAllocator
  private var program = PacketProgram()
  private var groups: [String: Int] = [:]
  /// The fields of the groups.
  private var groupFields: [Int: [String: Binding]] = [:]
  /// The names that each group uses of its packet. Items are read again to be published, so these
  /// must not change after the list.
  private var groupUses: [Int: NameUses] = [:]
  /// The names that a group below a list uses already.
  private var fixedNames: [String: String] = [:]
  /// The records that declare a name.
  private var recordsOfNames: [String: Set<String>] = [:]
  /// Fields that are wrong in themselves.
  private var brokenFields: [IniText.Entry]

  static let mostRecords = 64
  static let mostEntries = 32
  static let mostPublishedFields = 128

  static func compile(
    _ syntax: PacketSyntax, _ file: FileNames, _ publications: PublicationCompiler, _ problems: ProblemList,
    into parts: inout ProgramParts
  ) {
    var compiler = PacketCompiler(syntax, file, publications, problems)
    compiler.compile(into: &parts)
  }

  private init(_ syntax: PacketSyntax, _ file: FileNames, _ publications: PublicationCompiler, _ problems: ProblemList)
  {
    self.syntax = syntax
    self.file = file
    self.publications = publications
    self.problems = problems
    allocator = RegisterAllocator(from: file.keptCount)
    brokenFields = syntax.brokenFields
  }

  private mutating func compile(into parts: inout ProgramParts) {
    let empty = Scope(
      place: syntax.section.title, words: [.packet, .settings], kept: file.kept, counters: file.counters)
    if syntax.fieldCount > FieldCompiler.mostFields {
      problems.add(
        syntax.section.line,
        "\(syntax.section.title) has \(syntax.fieldCount) fields, with those of its groups and records; "
          + "at most \(FieldCompiler.mostFields) are read")
    }
    compileMatch(into: &parts)
    declareGroups(into: &parts)
    var fields = fieldCompiler(empty, .packet)
    compileFields(&fields, into: &parts)
    compileRecords(&fields, into: &parts)
    program.registers = file.keptCount..<allocator.next
    let scope = fields.scope.withCounters()
    compileRules(scope, into: &parts)
    compileKept(scope, into: &parts)
    compileGroupContents(scope, into: &parts)
    compileChildren(scope, into: &parts)
    parts.packets.append(program)
    parts.lines.packets.append(PacketLines(syntax.section))
  }

  private func fieldCompiler(_ scope: Scope, _ level: FieldCompiler.Level) -> FieldCompiler {
    let allocator = allocator
    return FieldCompiler(scope, level, groups: groups, problems) { name throws(Mistake) in
      try allocator.allocate(name)
    }
  }

  /// `Match` sees the bytes only.
  private mutating func compileMatch(into parts: inout ProgramParts) {
    guard let entry = syntax.section.entry("Match") else { return }
    let scope = Scope(place: "Match", words: [.packet])
    program.match = problems.collect(entry.line, "Match") { () throws(Mistake) in
      try parts.condition(entry.value, in: scope)
    }
  }
}

// MARK: Fields, groups and records

extension PacketCompiler {
  private mutating func declareGroups(into parts: inout ProgramParts) {
    for group in syntax.children(.group) {
      guard groups[group.name] == nil else {
        problems.add(group.line, "\(group.title): \(syntax.section.title) has two groups of this name")
        continue
      }
      if NumberForm(group.name) != nil || ["skip", "bytes", "text", "hex", "address", "date"].contains(group.name) {
        problems.add(group.line, "\(group.title): \(group.name) is a type of the language")
      }
      groups[group.name] = parts.groups.count
      parts.groups.append(GroupProgram(steps: 0..<0, registers: 0..<0))
    }
  }

  private mutating func compileFields(_ fields: inout FieldCompiler, into parts: inout ProgramParts) {
    for entry in syntax.brokenFields { fields.declareBroken(entry.key) }
    var steps: [FieldStep] = []
    var lines: [Int] = []
    for field in syntax.fields {
      requireFree(field)
      if groups[field.type] != nil {
        compileGroup(field.type, fields.scope, into: &parts)
        fixNames(field, record: nil)
      }
      if let step = fields.compile(field, into: &parts) {
        steps.append(step)
        lines.append(field.line)
      }
    }
    parts.steps += steps
    parts.lines.steps += lines
    program.steps = parts.steps.count - steps.count..<parts.steps.count
  }

  /// The fields of an item see those above the list.
  private mutating func compileGroup(_ name: String, _ scope: Scope, into parts: inout ProgramParts) {
    guard let index = groups[name], groupFields[index] == nil,
      let section = syntax.children(.group).first(where: { $0.name == name })
    else { return }
    let first = allocator.next
    let uses = NameUses()
    groupUses[index] = uses
    var fields = fieldCompiler(scope.recording(uses), .group)
    let steps = compileSteps(section.readFields(problems), of: section, &fields, into: &parts)
    if fields.leastBytes == 0, !steps.isEmpty {
      problems.add(section.line, "\(section.title): an item must have at least one field that is always read")
    }
    parts.groups[index] = GroupProgram(steps: steps, registers: first..<allocator.next)
    groupFields[index] = fields.own
  }

  /// A name that a list above depends on cannot be read again.
  private func requireFree(_ field: FieldSyntax) {
    guard let group = fixedNames[field.name] else { return }
    problems.add(field.line, "\(field.name): [Group \(group)] uses the value above its list; use another name")
  }

  /// Records have any order, so a group sees the fields of its own record and of the packet.
  private mutating func fixNames(_ field: FieldSyntax, record: String?) {
    guard let group = groups[field.type] else { return }
    for name in (groupUses[group]?.names ?? []).sorted() {
      fixedNames[name] = field.type
      let records = recordsOfNames[name, default: []]
      if records.contains(where: { $0 != record }) {
        problems.add(
          field.line, "\(field.name): [Group \(field.type)] uses \(name), which another record may read later")
      }
    }
  }

  private mutating func compileRecords(_ fields: inout FieldCompiler, into parts: inout ProgramParts) {
    let sections = syntax.children(.record)
    guard let entry = syntax.section.entry("Records") else {
      if let entry = syntax.section.entry("UnknownRecord") {
        problems.add(entry.line, "UnknownRecord: \(syntax.section.title) has no key Records")
      }
      for section in sections {
        problems.add(section.line, "\(section.title): \(syntax.section.title) has no key Records")
      }
      return
    }
    program.recordForm = problems.collect(entry.line, "Records") { () throws(Mistake) in try recordForm(entry.value) }
    if sections.isEmpty { problems.add(entry.line, "Records: \(syntax.section.title) has no [Record NUMBER]") }
    if sections.count > Self.mostRecords {
      problems.add(entry.line, "Records: a packet has at most \(Self.mostRecords) kinds of records")
    }
    let first = parts.records.count
    var numbers: Set<Int> = []
    for (section, lines) in zip(sections, syntax.recordLines) {
      let range = program.recordForm?.number == .u8 ? 0...255 : 0...65_535
      guard let number = NumberText.whole(section.name, in: range) else {
        if !section.hasWrongHeader {
          problems.add(section.line, "\(section.title): the number is from 0 to \(range.upperBound)")
        }
        continue
      }
      if !numbers.insert(number).inserted { problems.add(section.line, "duplicate \(section.title)") }
      var record = fieldCompiler(fields.scope, .record)
      let steps = compileSteps(lines, of: section, &record, into: &parts)
      parts.records.append(NumberedRecord(number: number, steps: steps))
      fields.adoptScope(of: record)
    }
    program.records = first..<parts.records.count
  }

  private func recordForm(_ text: String) throws(Mistake) -> RecordForm {
    let words = text.words.map(String.init)
    guard let first = words.first, let form = NumberForm(first), [.u8, .u16, .u16be].contains(form),
      words.count == 1 || words[1...] == ["length", "u8"]
    else {
      throw Mistake("records are u8, u16 or u16be, with length u8 after it where they have one")
    }
    var stops = false
    if let entry = syntax.section.entry("UnknownRecord") {
      guard entry.value == "stop" else { throw Mistake("UnknownRecord is stop") }
      guard words.count == 1 else { throw Mistake("UnknownRecord is for records without a length") }
      stops = true
    }
    return RecordForm(number: form, hasLength: words.count > 1, stopsAtUnknown: stops)
  }

  /// Items are read again to be published, without the end of their record.
  private func requireCounts(_ field: FieldSyntax, _ parts: ProgramParts) {
    guard program.recordForm?.hasLength == true, let group = groups[field.type] else { return }
    let isOpen = parts.steps[parts.groups[group].steps].contains { step in
      if case .toEnd = step.amount { true } else { false }
    }
    if isOpen {
      problems.add(
        field.line, "\(field.name): lists and texts of [Group \(field.type)] need a count in a record with a length")
    }
  }

  private mutating func compileSteps(
    _ fieldLines: [FieldLine], of section: SectionSyntax, _ fields: inout FieldCompiler, into parts: inout ProgramParts
  ) -> Range<Int> {
    var steps: [FieldStep] = []
    var lines: [Int] = []
    for line in fieldLines {
      let entry = line.entry
      if let syntax = line.field {
        if fields.level == .record {
          requireFree(syntax)
          recordsOfNames[syntax.name, default: []].insert(section.name)
        }
        if fields.level == .record, groups[syntax.type] != nil {
          compileGroup(syntax.type, fields.scope, into: &parts)
          requireCounts(syntax, parts)
          fixNames(syntax, record: section.name)
        }
        if let step = fields.compile(syntax, into: &parts) {
          steps.append(step)
          lines.append(entry.line)
        }
      } else {
        fields.declareBroken(entry.key)
        brokenFields.append(entry)
      }
    }
    parts.steps += steps
    parts.lines.steps += lines
    return parts.steps.count - steps.count..<parts.steps.count
  }
}

// MARK: Rules for the whole packet

extension PacketCompiler {
  private mutating func compileRules(_ scope: Scope, into parts: inout ProgramParts) {
    if let entry = syntax.section.entry("Rest") {
      let rest = problems.collect(entry.line, "Rest") { () throws(Mistake) in try Self.rest(entry.value, scope, &parts)
      }
      program.rest = rest ?? .refuse
    }
    let first = parts.refusals.count
    for entry in syntax.section.entries("Refuse") {
      let rule = problems.collect(entry.line, "Refuse") { () throws(Mistake) in
        try Self.refusal(entry.value, scope, &parts)
      }
      if let rule {
        parts.refusals.append(rule)
        parts.lines.refusals.append(entry.line)
      }
    }
    program.refusals = first..<parts.refusals.count
    if let entry = syntax.section.entry("Once") {
      program.once = problems.collect(entry.line, "Once") { () throws(Mistake) in
        try parts.number(entry.value, in: scope).code
      }
    }
  }

  private static func rest(_ text: String, _ scope: Scope, _ parts: inout ProgramParts) throws(Mistake) -> RestRule {
    switch text {
    case "refuse": return .refuse
    case "ignore": return .ignore
    default:
      guard text.hasPrefix("ignore if ") else { throw Mistake("the rest is refuse, ignore or ignore if CONDITION") }
      return .ignoreIf(try parts.condition(String(text.dropFirst(10)), in: scope))
    }
  }

  /// `WORD if CONDITION` or `WORD at OFFSET if CONDITION`
  private static func refusal(
    _ text: String, _ scope: Scope, _ parts: inout ProgramParts
  ) throws(Mistake) -> RefusalRule {
    let words = text.split(separator: " " as Character, maxSplits: 4)
    let reason = try FieldSyntax.reason(words.first.map(String.init) ?? "")
    let rest: Substring.SubSequence
    var offset = 0
    if words.count > 3, words[1] == "at", words[3] == "if" {
      guard let place = NumberText.whole(words[2], in: 0...511) else {
        throw Mistake("the byte of a refusal is a number from 0 to 511, not \"\(words[2])\"")
      }
      offset = place
      rest = words.count > 4 ? words[4] : ""
    } else {
      let parts = text.split(separator: " " as Character, maxSplits: 2)
      guard parts.count == 3, parts[1] == "if" else {
        throw Mistake("expected WORD if CONDITION or WORD at OFFSET if CONDITION")
      }
      rest = parts[2]
    }
    return RefusalRule(reason: reason, offset: offset, condition: try parts.condition(String(rest), in: scope))
  }

  private mutating func compileKept(_ scope: Scope, into parts: inout ProgramParts) {
    let first = parts.kept.count
    var names: Set<String> = []
    for field in syntax.allFields where field.isKept && names.insert(field.name).inserted {
      guard let binding = scope.field(field.name), let kept = file.kept[field.name],
        binding.valueType == kept.valueType
      else { continue }
      parts.kept.append(
        KeptField(register: binding.register, kept: kept.register, hasBytes: kept.valueType != .number))
    }
    program.kept = first..<parts.kept.count
  }

  /// An object sees the fields of its item and of the packet.
  private mutating func compileGroupContents(_ packet: Scope, into parts: inout ProgramParts) {
    var objects: Set<String> = []
    for section in syntax.children(.object) {
      guard let index = groups[section.name] else {
        if !section.hasWrongHeader {
          problems.add(section.line, "\(section.title): \(syntax.section.title) has no [Group \(section.name)]")
        }
        continue
      }
      guard objects.insert(section.name).inserted else {
        problems.add(section.line, "\(section.title): there are two sections of this name")
        continue
      }
      // A group that no field reads is reported below.
      guard let fields = groupFields[index] else { continue }
      var scope = packet
      for (name, binding) in fields { scope.declare(name, binding) }
      parts.groups[index].when = publications.when(section, scope, into: &parts)
      parts.groups[index].fields = publications.fields(
        section, scope, of: kinds(ofObjects: index, packet), into: &parts)
    }
    for section in syntax.children(.group) where !section.hasWrongHeader {
      guard let index = groups[section.name], groupFields[index] == nil else { continue }
      if brokenFields.contains(where: { $0.value.hasPrefix(section.name + "[") }) { continue }
      problems.add(section.line, "\(section.title): no field of \(syntax.section.title) is a list of it")
    }
  }

  /// `radar.targets` for the group of a field that is published as the targets of a radar.
  private func kinds(ofObjects group: Int, _ scope: Scope) -> [String] {
    syntax.children(.sample).flatMap { sample in
      sample.ownEntries.compactMap { entry in
        let words = entry.value.words
        guard words.count > 1, words[0] == "each", scope.field(String(words[1]))?.valueType == .objects(group: group)
        else {
          return nil
        }
        return "\(sample.name).\(entry.key)"
      }
    }
  }

  private mutating func compileChildren(_ scope: Scope, into parts: inout ProgramParts) {
    let firstReading = parts.readings.count
    var counters: Set<String> = []
    for section in syntax.children(.counter) {
      guard let index = file.counters[section.name] else { continue }
      if !counters.insert(section.name).inserted {
        problems.add(section.line, "\(section.title): \(syntax.section.title) has it already")
      }
      if let reading = CounterCompiler(section, problems).compile(index, scope, into: &parts) {
        parts.readings.append(reading)
      }
    }
    program.readings = firstReading..<parts.readings.count
    let first = parts.publications.count
    for section in syntax.children {
      switch section.kind {
      case .sample, .event, .fact, .answer:
        if let publication = publications.publication(section, scope, into: &parts) {
          parts.publications.append(publication)
        }
        if section.kind == .answer { program.hasAnswer = true }
      default: continue
      }
    }
    program.publications = first..<parts.publications.count
    checkSize(parts)
  }

  private func checkSize(_ parts: ProgramParts) {
    let publications = parts.publications[program.publications]
    var entries = 0
    var fields = 0
    for publication in publications {
      if case .fact = publication.form { entries += publication.fields.count } else { entries += 1 }
      fields += publication.fields.count
    }
    if entries > Self.mostEntries {
      problems.add(
        syntax.section.line, "\(syntax.section.title) publishes more than \(Self.mostEntries) records and facts")
    }
    if fields > Self.mostPublishedFields {
      problems.add(
        syntax.section.line, "\(syntax.section.title) publishes more than \(Self.mostPublishedFields) fields")
    }
  }
}

/// Gives each name of a packet a register.
final class RegisterAllocator {
  private(set) var next: Int

  init(from first: Int) { next = first }

  func allocate(_ name: String) throws(Mistake) -> UInt8 {
    guard RegisterMap.names.contains(next) else {
      throw Mistake("at most \(RegisterMap.names.count) names are known at once, with those that are kept")
    }
    defer { next += 1 }
    return UInt8(next)
  }
}
