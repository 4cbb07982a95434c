// One reading of a file: its sections in order, and how they refer to each other.

internal import IniFile
internal import SensorKit
internal import Text

struct SensorFileReader {
  private let problems: ProblemList
  private let words: SensorWords
  private var sections: [SectionSyntax] = []
  private var packets: [PacketSyntax] = []
  private var parts = ProgramParts()
  private var kept: [String: Binding] = [:]
  private var counters: [String: Int] = [:]
  /// All keys that take an expression with the settings of the wheel.
  private let usesCircumference: Bool

  init(_ file: IniText, _ words: SensorWords, _ problems: ProblemList) {
    self.problems = problems
    self.words = words
    for problem in file.problems { problems.add(problem.line, problem.text) }
    let badLines = Set(file.problems.map(\.line))
    let lastBadLine = badLines.max() ?? 0
    for entry in file.sections.first?.entries ?? [] where !badLines.contains(entry.line) {
      problems.add(entry.line, "\(entry.key): a key must be in a section; [Sensor] is the first")
    }
    usesCircumference = file.sections.contains { section in
      section.entries.contains { Self.names($0.value, "circumference_m") }
    }
    for (index, section) in file.sections.enumerated().dropFirst() {
      // Also a section with a wrong header belongs to the file, so that what it declares is known.
      if !badLines.contains(section.line), let text = SectionSyntax.problem(of: section) {
        problems.add(section.line, text)
      }
      let end = index + 1 < file.sections.count ? file.sections[index + 1].line : max(lastBadLine, section.line) + 1
      let syntax = SectionSyntax(section, until: end, without: badLines)
      if let syntax { sections.append(syntax) }
    }
  }

  /// A language that this release does not know. Everything else in the file may have another meaning.
  private var otherFormat: SensorFileProblem? {
    guard let entry = sections.first(where: { $0.kind == .sensor })?.entry("Format"), entry.value != "1" else {
      return nil
    }
    return SensorFileProblem(line: entry.line, "Format = \(entry.value): this release reads the format 1")
  }

  mutating func read() -> SensorProgram? {
    if let otherFormat {
      problems.replaceAll(with: otherFormat)
      return nil
    }
    for section in sections {
      // A line that is wrong in itself may be all that the section has.
      section.check(problems, isEmptyAllowed: problems.lastLine >= section.line)
    }
    arrange()
    var tables = WordTables(words)
    for section in sections where section.kind == .words { tables.add(section, into: &parts, problems) }
    if let process = sections.first(where: { $0.kind == .process }) {
      var reader = ProcessReader(process, words, problems)
      parts.process = reader.read(packets, into: &parts)
    } else {
      compilePackets(tables)
    }
    guard let sensor = sections.first(where: { $0.kind == .sensor }) else {
      problems.add(1, "[Sensor] is missing; it is the first section")
      return nil
    }
    return finish(sensor, tables)
  }

  private mutating func compilePackets(_ tables: WordTables) {
    for index in packets.indices { packets[index].readFields(problems) }
    declareKept()
    declareCounters()
    let names = PacketCompiler.FileNames(kept: kept, counters: counters, keptCount: kept.count)
    let publications = PublicationCompiler(words, tables, problems)
    for packet in packets { PacketCompiler.compile(packet, names, publications, problems, into: &parts) }
    parts.keptCount = kept.count
  }

  private mutating func finish(_ sensor: SectionSyntax, _ tables: WordTables) -> SensorProgram? {
    let identity = SensorSectionReader(sensor, problems).read()
    var places = SourceReader(problems)
    for (index, packet) in packets.enumerated() { places.add(packet.section, index) }
    parts.routes = places.routes
    let services = identity.services + identity.announcements.map(\.service) + places.services
    let scope = Scope(place: "the file", words: [.settings, .counters], kept: kept, counters: counters)
    if let entry = sensor.entry("Rests") {
      parts.rests = problems.collect(entry.line, "Rests") { () throws(Mistake) in
        try parts.condition(entry.value, in: scope)
      }
    }
    var commands = CommandReader(
      problems, tables, services: services, kept: kept, hasAnswers: parts.packets.contains(where: \.hasAnswer),
      hasProcess: parts.process != nil)
    for section in sections where section.kind == .command { commands.add(section, into: &parts) }
    var lifecycle = LifecycleReader(problems, services: services, kept: kept)
    for section in sections {
      if section.kind == .start { lifecycle.addStart(section, packets, places, into: &parts) }
      if section.kind == .stop { lifecycle.addStop(section, into: &parts) }
    }
    if !sections.contains(where: { $0.kind == .start }) { parts.start = places.defaultStart }
    for service in services where !SourceSyntax.forbiddenServices.contains(service) {
      parts.process?.allowWrites(to: service)
    }
    guard problems.isEmpty else { return nil }
    guard !identity.services.isEmpty || !identity.announcements.isEmpty || !places.adverts.isEmpty else {
      problems.add(sensor.line, "[Sensor] needs Service or Announced, or a packet with Advert, to recognize devices")
      return nil
    }
    return SensorProgram(
      parts,
      info: identity.info(
        places, commands, kinds: kinds, countsWheel: usesCircumference, isOfProcess: parts.process != nil),
      about: identity.about)
  }

  private var kinds: [SampleKind] {
    var kinds: [SampleKind] = []
    for publication in parts.publications {
      if case .sample(let kind) = publication.form, !kinds.contains(kind) { kinds.append(kind) }
    }
    for record in parts.process?.records ?? [] {
      if case .sample(let kind) = record.form { kinds.append(kind) }
    }
    return kinds
  }

  /// Whether a text has this name as a whole word.
  private static func names(_ text: String, _ name: String) -> Bool {
    text.has(name) && text.utf8.split { !Token.isOfWord($0) }.contains { $0.elementsEqual(name.utf8) }
  }
}

// MARK: Sections

extension SensorFileReader {
  /// Puts sections below their packets, and checks how many there are of each.
  private mutating func arrange() {
    var singles: Set<SectionSyntax.Kind> = []
    var names: Set<String> = []
    for (index, section) in sections.enumerated() {
      if section.kind == .sensor, index > 0 {
        problems.add(
          section.line, singles.contains(.sensor) ? "duplicate [Sensor]" : "[Sensor] is the first section")
      }
      switch section.kind {
      case .sensor: singles.insert(.sensor)
      case .start, .stop, .process:
        if !singles.insert(section.kind).inserted { problems.add(section.line, "duplicate \(section.title)") }
      case .packet, .command:
        if !names.insert(section.title).inserted {
          problems.add(section.line, "\(section.title): there are two sections of this name")
        }
        if section.kind == .packet { packets.append(PacketSyntax(section)) }
      case .words: break
      default:
        guard !packets.isEmpty else {
          problems.add(section.line, "\(section.title) belongs to a packet; no [Packet NAME] is above it")
          continue
        }
        packets[packets.count - 1].add(section)
      }
    }
    if packets.count > SensorFile.mostPackets {
      problems.add(packets[SensorFile.mostPackets].section.line, "a file has at most \(SensorFile.mostPackets) packets")
    }
    let commands = sections.filter { $0.kind == .command }
    if commands.count > SensorFile.mostCommands {
      problems.add(commands[SensorFile.mostCommands].line, "a file has at most \(SensorFile.mostCommands) commands")
    }
  }

  /// Kept values have the first registers, because all packets see them.
  private mutating func declareKept() {
    for packet in packets {
      for field in packet.allFields where field.isKept {
        guard let valueType = FieldCompiler.keptType(of: field) else { continue }
        let bits = valueType == .number ? NumberForm(field.type)?.counterBits : nil
        if let known = kept[field.name] {
          if known.valueType != valueType {
            problems.add(
              field.line, "\(field.name): it is kept as \(known.valueType.text) above, and as \(valueType.text) here")
          }
          if known.counterBits != bits { kept[field.name]?.hasSeveralWidths = true }
          continue
        }
        guard kept.count < RegisterMap.names.count else {
          problems.add(field.line, "\(field.name): at most \(RegisterMap.names.count) values are kept")
          return
        }
        kept[field.name] = Binding(register: UInt8(kept.count), valueType: valueType, counterBits: bits)
      }
    }
    declareBrokenKept()
  }

  /// Known all the same, so that their uses in other packets are not problems too.
  private mutating func declareBrokenKept() {
    for name in packets.flatMap(\.keptNames) where kept[name] == nil {
      kept[name] = Binding(register: 0, valueType: .broken)
    }
  }

  private mutating func declareCounters() {
    for packet in packets {
      for section in packet.children(.counter) where counters[section.name] == nil {
        guard counters.count < RegisterMap.mostCounters else {
          problems.add(section.line, "\(section.title): a file has at most \(RegisterMap.mostCounters) counters")
          return
        }
        counters[section.name] = counters.count
      }
    }
  }
}

extension IniText.Problem {
  fileprivate var text: String {
    switch cause {
    case .zeroByte: "a line is text, without a zero byte"
    case .notUTF8: "a line is text in UTF-8"
    case .unprintable: "a line is text, without control characters"
    case .lineTooLong: "a line has at most \(IniText.longestLine) bytes"
    case .nameTooLong: "a name has at most \(IniText.longestName) bytes"
    case .indented: "a line begins in its first column"
    case .openHeader, .textAfterHeader: "expected [NAME], alone on its line"
    case .noKey: "a line is a [Section], key = value, or a comment after # or ;"
    }
  }
}
