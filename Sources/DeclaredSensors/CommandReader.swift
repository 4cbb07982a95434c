// Reads the sections [Command NAME]: what a user can ask of the sensor.

internal import IniFile
internal import SensorKit

struct CommandReader {
  private let problems: ProblemList
  private let tables: WordTables
  private let writes: WriteCompiler
  private let hasAnswers: Bool
  private let hasProcess: Bool
  private(set) var offers: [CommandInfo] = []
  private var places: [(service: BluetoothUUID, characteristic: BluetoothUUID)] = []

  init(
    _ problems: ProblemList, _ tables: WordTables, services: [BluetoothUUID], kept: [String: Binding],
    hasAnswers: Bool, hasProcess: Bool
  ) {
    self.problems = problems
    self.tables = tables
    self.hasAnswers = hasAnswers
    self.hasProcess = hasProcess
    writes = WriteCompiler(Scope(place: "a command", words: [.settings, .value], kept: kept), services: services)
  }

  /// The one characteristic that all commands write to.
  var target: BluetoothUUID? {
    guard let first = places.first?.characteristic, places.allSatisfy({ $0.characteristic == first }) else {
      return nil
    }
    return first
  }

  /// The characteristics that nothing else uses.
  func written(besides others: [CharacteristicUse]) -> [CharacteristicUse] {
    var uses: [CharacteristicUse] = []
    for place in places {
      let isKnown = (others + uses).contains {
        $0.service == place.service && $0.characteristic == place.characteristic
      }
      if !isKnown { uses.append(.written(place.characteristic, of: place.service)) }
    }
    return uses
  }

  mutating func add(_ section: SectionSyntax, into parts: inout ProgramParts) {
    if section.entry("Summary") == nil, !section.isDamaged {
      problems.add(section.line, "\(section.title) has no Summary")
    }
    for key in ["Summary", "Preparation", "Value"] {
      if let entry = section.entry(key), entry.value.isEmpty { problems.add(entry.line, "\(key) is empty") }
    }
    if section.entry("Write") == nil, !section.isDamaged { problems.add(section.line, "\(section.title) has no Write") }
    var programs: [WriteProgram] = []
    let isOfProcess = section.entries("Write").contains { $0.value == "process" }
    var usesValue = isOfProcess
    let hasValue = section.entry("Value") != nil
    for entry in section.entries("Write") {
      if isOfProcess {
        checkProcess(entry, section)
        continue
      }
      let write = problems.collect(entry.line, "Write") { () throws(Mistake) in
        let first = parts.operations.count
        let write = try writes.write(entry.value, into: &parts)
        if parts.uses(RegisterMap.value, from: first, write) { usesValue = true }
        if usesValue, !hasValue { throw Mistake("\(section.title) has no Value") }
        return write
      }
      if let write {
        programs.append(write)
        parts.writes.append(DeclaredWrite(.command(section.name), write, entry.value, line: entry.line))
        places.append((write.service, write.characteristic))
      }
    }
    if programs.count > WriteProgram.mostWrites {
      problems.add(section.line, "\(section.title) has at most \(WriteProgram.mostWrites) writes")
    }
    if let entry = section.entry("Value"), !usesValue, programs.count == section.entries("Write").count {
      problems.add(entry.line, "Value: no Write has it, such as u8(value)")
    }
    let (parameter, rows) = value(section, programs, parts)
    offers.append(
      CommandInfo(
        section.name, section.entry("Summary")?.value ?? "", parameter.map { [$0] } ?? [],
        preparation: section.entry("Preparation")?.value ?? ""))
    parts.commands.append(
      CommandProgram(
        name: section.name, takesValue: hasValue, range: parameter?.range, rows: rows, writes: programs,
        isOfProcess: isOfProcess, answerWithin: answerWithin(section)))
  }

  /// `Write = process` stands alone, in a file that has a process.
  private func checkProcess(_ entry: IniText.Entry, _ section: SectionSyntax) {
    if entry.value != "process" || section.entries("Write").count > 1 {
      problems.add(entry.line, "Write: with process, \(section.title) has no other writes")
    } else if !hasProcess {
      problems.add(entry.line, "Write: process is for files with [Process]")
    }
  }

  private func answerWithin(_ section: SectionSyntax) -> Duration? {
    guard let entry = section.entry("AnswerWithin") else { return nil }
    return problems.collect(entry.line, "AnswerWithin") { () throws(Mistake) in
      guard let seconds = NumberText.number(entry.value), seconds >= 0.1, seconds <= 300 else {
        throw Mistake("seconds from 0.1 to 300 are expected")
      }
      guard hasAnswers else { throw Mistake("no packet has an [Answer]") }
      return .milliseconds(Int64((seconds * 1000).rounded()))
    }
  }

  /// `percent, 0 to 100`, `turns of the wheel` or `words NAME`.
  private func value(
    _ section: SectionSyntax, _ programs: [WriteProgram], _ parts: ProgramParts
  ) -> (CommandInfo.Parameter?, Range<Int>?) {
    guard let entry = section.entry("Value") else { return (nil, nil) }
    let words = entry.value.words.map(String.init)
    if words.count == 2, words[0] == "words" {
      let rows = problems.collect(entry.line, "Value") { () throws(Mistake) in try tables.rows(called: words[1]) }
      guard let rows, !rows.isEmpty else { return (nil, nil) }
      let table = parts.tableRows[rows]
      let numbers = table.map { Double($0.number) }
      let meaning = table.map { "\($0.number) \($0.word)" }.joined(separator: ", ")
      let range = (numbers.min() ?? 0)...(numbers.max() ?? 0)
      return (CommandInfo.Parameter("value", meaning, in: range, required: true), rows)
    }
    let (meaning, range) = Self.range(entry.value)
    let natural = range ?? Self.naturalRange(programs, parts)
    return (CommandInfo.Parameter("value", meaning, in: natural, required: true), nil)
  }

  /// Takes the range from the end of a meaning: `percent, 0 to 100`.
  private static func range(_ text: String) -> (String, ClosedRange<Double>?) {
    let words = text.words
    guard words.count >= 3, words[words.count - 2] == "to", let low = NumberText.number(words[words.count - 3]),
      let high = NumberText.number(words[words.count - 1]), low <= high
    else { return (text, nil) }
    var meaning = words.dropLast(3).joined(separator: " ")
    if meaning.hasSuffix(",") { meaning.removeLast() }
    return (meaning, low...high)
  }

  /// What the bytes can hold, if the value itself is written; else what four bytes can.
  private static func naturalRange(_ programs: [WriteProgram], _ parts: ProgramParts) -> ClosedRange<Double> {
    for program in programs {
      for piece in parts.pieces[program.pieces] {
        guard case .number(let code, let width, let isSigned) = piece, code.start == code.end,
          code.result == RegisterMap.value
        else { continue }
        let most = Double(UInt64(1) << UInt64(8 * width - (isSigned ? 1 : 0)))
        return (isSigned ? -most : 0)...(most - 1)
      }
    }
    return -2_147_483_648...4_294_967_295
  }
}

extension ProgramParts {
  /// Whether a write reads a register, in its operations from `first` on or directly.
  fileprivate func uses(_ register: UInt8, from first: Int, _ write: WriteProgram) -> Bool {
    let isRead = operations[first...].contains { operation in
      operation.a == register && operation.side != .first || operation.b == register && operation.side != .second
        || operation.c == register
    }
    return isRead
      || pieces[write.pieces].contains { piece in
        if case .number(let code, _, _) = piece { code.result == register } else { false }
      }
  }
}
