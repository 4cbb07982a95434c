// What must hold of the tables themselves, so that help, man pages and completions made from them are right.

import CommandTable
import CycloCommands
import Testing

@testable import cyclometerd

struct TableTests {
  static let programs = [Program.cyclo, .cyclometerd]
  static let everyOption = programs.flatMap { $0.options + $0.verbs.flatMap(\.options) }

  @Test("the daemon has exactly these options")
  func daemonOptions() {
    let names = Program.cyclometerd.options.map(\.name)
    #expect(names == ["config", "state-dir", "runtime-dir", "sensors", "simulate", "version", "help"])
    #expect(Program.cyclometerd.options.allSatisfy { $0.short == nil })
  }

  @Test("the table lists exactly the verbs that cyclo implements")
  func verbs() {
    #expect(Program.cyclo.verbs.map(\.name) == CycloVerb.allCases.map(\.rawValue))
  }

  @Test("no verb has two options with the same name or letter", arguments: programs.map(\.name))
  func uniqueOptions(program name: String) throws {
    let program = try #require(Self.programs.first { $0.name == name })
    for verb in program.verbs.map({ $0.options }) + [[]] {
      let options = program.options + verb
      #expect(Set(options.map(\.name)).count == options.count)
      let letters = options.compactMap(\.short)
      #expect(Set(letters).count == letters.count)
    }
  }

  @Test("an option takes the same kind of value with every verb")
  func consistentOptions() {
    for option in Self.everyOption {
      for other in Self.everyOption where other.name == option.name { #expect(other.value == option.value) }
    }
  }

  @Test("summaries are one short line without a full stop")
  func summaries() {
    let summaries =
      Self.programs.map(\.summary) + Self.programs.flatMap { $0.verbs.map(\.summary) } + Self.everyOption.map(\.summary)
    for summary in summaries {
      #expect(!summary.hasSuffix("."))
      #expect(!summary.contains("\n"))
      #expect(summary.first?.isUppercase == true)
      #expect(summary.count <= 90)
    }
  }

  @Test("every verb is documented", arguments: Program.cyclo.verbs.map(\.name))
  func verbIsDocumented(name: String) throws {
    let verb = try #require(Program.cyclo.verb(named: name))
    #expect(verb.details.allSatisfy { $0.hasSuffix(".") })
    #expect(verb.name == "version" || !verb.examples.isEmpty)
    #expect(verb.examples.allSatisfy { $0.command.hasPrefix("cyclo \(name)") && !$0.meaning.hasSuffix(".") })
    #expect(verb.arguments.dropLast().allSatisfy { !$0.isRepeated })
    // What may be left out is left out from the end.
    #expect(verb.arguments.drop { $0.isRequired }.allSatisfy { !$0.isRequired })
  }

  @Test("every example parses", arguments: Program.cyclo.verbs.map(\.name))
  func examples(name: String) throws {
    for example in try #require(Program.cyclo.verb(named: name)).examples {
      let line = example.command.prefix { $0 != "|" && $0 != ">" }
      // As a shell does it: what is in quotes is one word.
      let pieces = line.split(separator: "'", omittingEmptySubsequences: false).enumerated()
      let words = pieces.flatMap { $0 % 2 == 0 ? $1.split(separator: " ") : [$1] }.dropFirst().map(String.init)
      #expect(throws: Never.self) { try Program.cyclo.parse(words) }
    }
  }

  @Test("help fits 80 columns of plain ASCII", arguments: [nil] + Program.cyclo.verbs.map { Optional($0.name) })
  func helpFormat(verb name: String?) {
    let help = Program.cyclo.help(name.flatMap { Program.cyclo.verb(named: $0) })
    #expect(help.hasSuffix("\n") && !help.hasSuffix("\n\n"))
    for line in help.split(separator: "\n") {
      #expect(line.count < 80)
      #expect(line.utf8.allSatisfy { $0 < 128 })
      #expect(line.last != " ")
    }
  }

  @Test("help lists every visible verb and every option")
  func helpContent() {
    let help = Program.cyclo.help(nil)
    for verb in Program.cyclo.verbs { #expect(help.contains("\n  \(verb.name) ") != verb.isHidden) }
    for option in Program.cyclometerd.options { #expect(Program.cyclometerd.help(nil).contains("--\(option.name)")) }
    for verb in Program.cyclo.verbs {
      for option in verb.options { #expect(Program.cyclo.help(verb).contains("--\(option.name)")) }
    }
  }
}
