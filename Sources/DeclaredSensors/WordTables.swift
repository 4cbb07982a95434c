// The tables of numbers and their words: those after an arrow, and the sections [Words NAME].

internal import IniFile
internal import SensorKit

struct WordTables {
  private let words: SensorWords
  private var named: [String: Range<Int>] = [:]

  /// As many as a byte has values.
  static let mostRows = 256

  /// A table after an arrow.
  struct Table {
    let rows: Range<Int>
    /// The numbers are those of bits.
    let isOfBits: Bool
  }

  init(_ words: SensorWords) {
    self.words = words
  }

  /// Reads a section [Words NAME].
  mutating func add(_ section: SectionSyntax, into parts: inout ProgramParts, _ problems: ProblemList) {
    guard named[section.name] == nil else {
      return problems.add(section.line, "\(section.title): there are two sections of this name")
    }
    var rows: [TableRow] = []
    if section.entries.count > Self.mostRows {
      problems.add(section.line, "\(section.title) has at most \(Self.mostRows) numbers")
    }
    for entry in section.entries.prefix(Self.mostRows) {
      let row = problems.collect(entry.line, entry.key) { () throws(Mistake) in
        guard let number = NumberText.whole(entry.key, in: -2_147_483_648...4_294_967_295) else {
          throw Mistake("the keys of [Words] are whole numbers")
        }
        guard !rows.contains(where: { $0.number == number }) else { throw Mistake("duplicate number") }
        return TableRow(number: number, word: try words.word(entry.value))
      }
      if let row { rows.append(row) }
    }
    named[section.name] = parts.add(rows)
  }

  func rows(called name: String) throws(Mistake) -> Range<Int> {
    guard let rows = named[name] else { throw Mistake("there is no [Words \(name)]") }
    return rows
  }

  /// `a, b, c`, `1 right, 2 left`, `words NAME`, `bits 0 low, 3 high`
  func table(_ text: String, into parts: inout ProgramParts) throws(Mistake) -> Table {
    let first = text.words.map(String.init)
    if first.count == 2, first[0] == "words" { return Table(rows: try rows(called: first[1]), isOfBits: false) }
    let isOfBits = first.count > 1 && first[0] == "bits"
    let list = isOfBits ? String(text.drop { $0 == " " }.dropFirst(4)) : text
    var rows: [TableRow] = []
    var number = 0
    for item in list[...].parts(at: ",") {
      let parts = item.words
      guard 1...2 ~= parts.count else { throw Mistake("a word is missing, or a comma between two words") }
      if parts.count == 2 {
        guard let start = NumberText.whole(parts[0], in: -2_147_483_648...4_294_967_295) else {
          throw Mistake("\"\(parts[0])\" is not a number")
        }
        number = start
      }
      if isOfBits, !(0...31 ~= number) { throw Mistake("a bit is a number from 0 to 31") }
      if let word = parts.last, word != "-" {
        guard !rows.contains(where: { $0.number == number }) else { throw Mistake("\(number) has two words") }
        rows.append(TableRow(number: number, word: try words.word(String(word))))
      }
      number += 1
    }
    return Table(rows: isOfBits ? parts.add(bits: rows) : parts.add(rows), isOfBits: isOfBits)
  }
}

extension ProgramParts {
  /// In the order of their numbers, in which `RecordWriter` searches.
  fileprivate mutating func add(_ rows: [TableRow]) -> Range<Int> {
    add(bits: rows.sorted { $0.number < $1.number })
  }

  /// In the order of the file, in which their words are published.
  fileprivate mutating func add(bits rows: [TableRow]) -> Range<Int> {
    tableRows += rows
    return tableRows.count - rows.count..<tableRows.count
  }
}
