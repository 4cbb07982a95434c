// Command lines with the cursor at their end, and what could stand there.

import CommandTable
import CycloCommands
import Testing

struct CompletionTests {
  /// `watch --js|` -> `--json`; what only others know is named in angle brackets.
  private func offered(_ line: String) -> String {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let completion = Program.cyclo.completion(of: words)
    let candidates = completion.candidates.map { completion.lead + $0.word }
    let wanted = completion.wanted.map { ["<\(name(of: $0))>" + completion.lead + completion.stem] } ?? []
    return (candidates + wanted).joined(separator: " ")
  }

  private func name(of kind: UserWord.Kind) -> String {
    if case .known(let word) = kind { word.name } else { "\(kind)" }
  }

  private static let completions: [(String, String)] = [
    ("st", "status"), ("re", "rename replay"), ("comple", "completions"), ("x", ""), ("help sc", "scan"),
    ("--js", "--json"), ("watch --c", "--count"), ("watch --json --js", ""),
    ("watch --sensor a --se", "--sensor --seconds"),
    ("watch ", "<sampleKind>"), ("watch power he", "<sampleKind>he"), ("get power ", ""),
    ("watch --sensor po", "<sensor>po"), ("watch --sensor=po", "<sensor>--sensor=po"), ("watch -n ", ""),
    ("watch -n 3 ", "<sampleKind>"), ("watch -n3 ", "<sampleKind>"), ("--json show ", "<sensor>"),
    ("--socket /tmp/x show p", "<sensor>p"), ("--socket ", "<file>"), ("decode ", "<file>"),
    ("set ", "<sensor>"), ("set polar ", "<setting>"), ("set polar role=front cir", "<setting>cir"),
    ("command kickr ", "<command>"), ("command kickr target_power ", "<parameter>"),
    ("completions ", "bash zsh fish"), ("completions z", "zsh"), ("pair A0:9E:1A:00:00:01 --role re", "rear"),
    ("pair A0:9E:1A:00:00:01 --role=re", "--role=rear"), ("watch -- --js", "<sampleKind>--js"), ("fly ", ""),
    ("status ", ""), ("watch --bogus ", "<sampleKind>"),
  ]

  @Test("completion offers what fits at the cursor", arguments: completions)
  func offers(line: String, words: String) {
    #expect(offered(line) == words)
  }

  @Test("an empty first word offers every visible verb")
  func firstWord() {
    let verbs = Program.cyclo.completion(of: [""]).candidates
    #expect(verbs.map(\.word) == Program.cyclo.verbs.filter { !$0.isHidden }.map(\.name))
    #expect(verbs.allSatisfy { !$0.meaning.isEmpty })
  }

  @Test("a completion carries the previous arguments and the socket")
  func context() {
    let completion = Program.cyclo.completion(of: ["--socket", "/tmp/x", "command", "kickr", "target_power", "v"])
    #expect(completion.arguments == ["kickr", "target_power"])
    #expect(completion.text(.socket) == "/tmp/x")
    #expect(Program.cyclo.completion(of: ["--socket=/tmp/y", ""]).text(.socket) == "/tmp/y")
  }
}
