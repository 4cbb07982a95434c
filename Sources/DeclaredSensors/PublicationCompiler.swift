// Turns the sections that publish something into publications: [Sample], [Event], [Fact], [Answer], and
// the fields of [Object].

internal import IniFile
internal import SensorKit
internal import Text

struct PublicationCompiler {
  private let words: SensorWords
  private let tables: WordTables
  private let problems: ProblemList

  /// Members that every record has already.
  static func taken(by kind: SectionSyntax.Kind) -> Set<String> {
    switch kind {
    case .sample: ["class", "sensor", "kind", "seq", "t", "time", "age_ms"]
    case .event: ["class", "event", "sensor", "t", "time"]
    case .answer: ["class", "sensor", "t"]
    default: []
    }
  }

  init(_ words: SensorWords, _ tables: WordTables, _ problems: ProblemList) {
    self.words = words
    self.tables = tables
    self.problems = problems
  }

  func publication(
    _ section: SectionSyntax, _ scope: Scope, into parts: inout ProgramParts
  ) -> Publication? {
    guard !section.hasWrongHeader else {
      _ = fields(section, scope, into: &parts)
      return nil
    }
    let form: Publication.Form? = problems.collect(section.line, section.title) { () throws(Mistake) in
      switch section.kind {
      case .sample: .sample(try words.kind(section.name))
      case .event: .event(try words.eventName(section.name))
      case .answer: .answer
      default: .fact
      }
    }
    guard let form else { return nil }
    if let warning = SpellingCheck.warning(ofKind: section) { parts.warnings.append(warning) }
    var publication = Publication(form: form)
    publication.when = when(section, scope, into: &parts)
    publication.fields = fields(section, scope, into: &parts)
    return publication
  }

  func when(_ section: SectionSyntax, _ scope: Scope, into parts: inout ProgramParts) -> Code? {
    guard let entry = section.entry("When") else { return nil }
    return problems.collect(entry.line, "When") { () throws(Mistake) in try parts.condition(entry.value, in: scope) }
  }

  /// The published fields of a section, in its order. `kinds` are those of the samples that have a list
  /// of these objects, as in `KnownFields`.
  func fields(
    _ section: SectionSyntax, _ scope: Scope, of kinds: [String] = [], into parts: inout ProgramParts
  ) -> Range<Int> {
    var fields: [PublishedField] = []
    var names: Set<String> = []
    for entry in section.ownEntries {
      let field = problems.collect(entry.line, entry.key) { () throws(Mistake) in
        if Self.taken(by: section.kind).contains(entry.key) {
          throw Mistake("every record has its own \(entry.key)")
        }
        guard names.insert(entry.key).inserted else { throw Mistake("duplicate key") }
        let field = try publishedField(entry, section, scope, into: &parts)
        for kind in section.kind == .sample ? [section.name] : kinds {
          try checkCatalogue(kind, entry.key, field.content)
          if let warning = SpellingCheck.warning(of: entry, in: kind, section) { parts.warnings.append(warning) }
        }
        return field
      }
      if let field { fields.append(field) }
    }
    parts.publishedFields += fields
    return parts.publishedFields.count - fields.count..<parts.publishedFields.count
  }

  private func publishedField(
    _ entry: IniText.Entry, _ section: SectionSyntax, _ scope: Scope,
    into parts: inout ProgramParts
  ) throws(Mistake) -> PublishedField {
    let (front, conditionText) = entry.value.divided(at: " if ")
    let (expressionText, tableText) = front.divided(at: "->")
    var condition: Code?
    if let conditionText { condition = try parts.condition(conditionText, in: scope) }
    let content: PublishedField.Content
    let list = expressionText.words
    if list.first == "each" {
      guard section.kind != .object else { throw Mistake("an object has no lists of objects") }
      guard list.count == 2, tableText == nil else { throw Mistake("expected each NAME") }
      content = try objects(String(list[1]), scope)
    } else {
      content = try value(expressionText, tableText, scope, into: &parts)
    }
    return PublishedField(field: Field(try words.word(entry.key)), content: content, condition: condition)
  }

  private func objects(_ name: String, _ scope: Scope) throws(Mistake) -> PublishedField.Content {
    let binding = try scope.binding(name)
    switch binding.valueType {
    case .objects(let group): return .objects(register: binding.register, group: group)
    case .broken: return .objects(register: binding.register, group: 0)
    default: throw Mistake("\(name) is \(binding.valueType.text); each takes the list of a group")
    }
  }

  private func value(
    _ text: String, _ tableText: String?, _ scope: Scope, into parts: inout ProgramParts
  ) throws(Mistake) -> PublishedField.Content {
    let expression = try ExpressionParser.parse(text)
    let table = try tableText.map { text throws(Mistake) in try tables.table(text, into: &parts) }
    let result = try ExpressionCompiler.compile(expression, in: scope, into: &parts)
    if let table { return try words(result, table) }
    switch result.valueType {
    case .number, .broken: return .number(result.code)
    case .flag: return .flag(result.code)
    case .text: return .text(result.code)
    case .list: return result.list.map { .numbers($0) } ?? .number(result.code)
    case .objects: throw Mistake("a list of objects is published with each")
    }
  }

  private func words(
    _ result: ExpressionCompiler.Result, _ table: WordTables.Table
  ) throws(Mistake) -> PublishedField.Content {
    switch result.valueType {
    case .number, .flag, .broken:
      return table.isOfBits ? .bitWords(result.code, rows: table.rows) : .word(result.code, rows: table.rows)
    case .list:
      guard !table.isOfBits else { throw Mistake("bits are taken of a number, not of a list") }
      guard let list = result.list, list.width == 1 else { throw Mistake("a list with by has no words") }
      return .words(list, rows: table.rows)
    case .text, .objects: throw Mistake("words are made of numbers, not of \(result.valueType.text)")
    }
  }

  private func checkCatalogue(_ kind: String, _ key: String, _ content: PublishedField.Content) throws(Mistake) {
    guard let known = KnownFields.form(of: key, in: kind) else { return }
    let form: KnownFields.Form =
      switch content {
      case .number: .number
      case .flag: .flag
      case .text, .word: .text
      case .bitWords, .words: .words
      case .numbers: .numbers
      case .objects: .objects
      }
    guard form == known else { throw Mistake("\(key) of \(kind) is \(known.text), not \(form.text)") }
  }
}
