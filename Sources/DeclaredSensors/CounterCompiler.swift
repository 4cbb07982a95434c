// Turns a section [Counter NAME] into the counter of the file and the reading of its packet.

internal import IniFile
internal import SensorKit

struct CounterCompiler {
  private let section: SectionSyntax
  private let problems: ProblemList

  init(_ section: SectionSyntax, _ problems: ProblemList) {
    self.section = section
    self.problems = problems
  }

  /// The first section of a counter's name defines it; others must agree.
  func compile(_ index: Int, _ scope: Scope, into parts: inout ProgramParts) -> CounterReading? {
    guard let entry = section.entry("Count") else {
      if !section.isDamaged { problems.add(section.line, "\(section.title) has no Count") }
      return nil
    }
    let count = problems.collect(entry.line, "Count") { () throws(Mistake) in try parts.number(entry.value, in: scope) }
    let clock = number("Clock", scope, into: &parts)
    let unit = number("Unit", scope, into: &parts)
    let hasClock = section.entry("Clock") != nil
    if !hasClock {
      for key in ["ClockBits", "Ticks"] {
        if let entry = section.entry(key) { problems.add(entry.line, "\(key): \(section.title) has no Clock") }
      }
    }
    guard let count else { return nil }
    if count.binding?.hasSeveralWidths == true, section.entry("Bits") == nil {
      problems.add(entry.line, "Count: the fields called \(entry.value) have different widths; add Bits")
    }
    var program = CounterProgram(
      bits: whole("Bits") ?? count.binding?.counterBits ?? 16, fastest: positive("Fastest") ?? .infinity)
    if hasClock {
      program.clock = CounterProgram.Clock(bits: whole("ClockBits") ?? 16, ticksPerSecond: positive("Ticks") ?? 1024)
    }
    define(program, at: index, in: &parts)
    return CounterReading(counter: index, count: count.code, clock: clock, unit: unit)
  }

  private func define(_ program: CounterProgram, at index: Int, in parts: inout ProgramParts) {
    if index < parts.counters.count, parts.counters[index].bits != 0 {
      guard parts.counters[index] == program else {
        return problems.add(
          section.line, "\(section.title): Bits, ClockBits, Ticks and Fastest must be the same wherever it is read")
      }
      return
    }
    while parts.counters.count <= index { parts.counters.append(CounterProgram(bits: 0, clock: nil, fastest: 0)) }
    parts.counters[index] = program
  }

  private func number(_ key: String, _ scope: Scope, into parts: inout ProgramParts) -> Code? {
    guard let entry = section.entry(key) else { return nil }
    return problems.collect(entry.line, key) { () throws(Mistake) in try parts.number(entry.value, in: scope).code }
  }

  private func whole(_ key: String) -> Int? {
    guard let entry = section.entry(key) else { return nil }
    return problems.collect(entry.line, key) { () throws(Mistake) in
      guard let bits = NumberText.whole(entry.value, in: 1...32) else { throw Mistake("a number of bits is 1 to 32") }
      return bits
    }
  }

  private func positive(_ key: String) -> Double? {
    guard let entry = section.entry(key) else { return nil }
    return problems.collect(entry.line, key) { () throws(Mistake) in
      guard let number = NumberText.number(entry.value), number > 0 else {
        throw Mistake("a number above 0 is expected")
      }
      return number
    }
  }
}
