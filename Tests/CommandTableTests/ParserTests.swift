// Command lines and what is understood of them.

import CommandTable
import CycloCommands
import Release
import Testing
import Text

@testable import cyclometerd

/// The parsed line as text: the verb, its words, and the values of all options.
private func understood(_ program: Program, _ line: [String]) throws -> String {
  switch try program.parse(line) {
  case .help(let text): return "help: " + text.prefix { $0 != "\n" }
  case .version(let text): return "version: " + text
  case .run(let invocation):
    let options = program.options + (invocation.verb?.options ?? [])
    let settings = options.compactMap { option -> String? in
      guard invocation.has(option) else { return nil }
      return "\(option.name)=\(invocation.texts(option))"
    }
    return ([invocation.verb?.name ?? "-", "\(invocation.words)"] + settings).joined(separator: " ")
  }
}

private func complaint(_ program: Program, _ line: [String]) -> UsageError? {
  do {
    _ = try program.parse(line)
    return nil
  } catch {
    return error
  }
}

struct ParserTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let line: [String]
    let meaning: String
    init(_ line: String, _ meaning: String) {
      self.line = line.split(separator: " ").map(String.init)
      self.meaning = meaning
    }
    var testDescription: String { line.joined(separator: " ") }
  }

  private static let cycloLines: [Row] = [
    Row("watch", "watch []"),
    Row("watch power heart_rate", #"watch ["power", "heart_rate"]"#),
    Row("--json watch", "watch [] json=[]"),
    Row("watch --json", "watch [] json=[]"),
    Row("watch --count 3 power", #"watch ["power"] count=["3"]"#),
    Row("watch power --count=3", #"watch ["power"] count=["3"]"#),
    Row("watch -n 3", #"watch [] count=["3"]"#),
    Row("watch -n3 -t.5", #"watch [] count=["3"] seconds=[".5"]"#),
    Row("scan -at 10", #"scan [] all=[] seconds=["10"]"#),
    Row("watch --sensor a --sensor=b", #"watch [] sensor=["a", "b"]"#),
    Row("show -- --odd", #"show ["--odd"]"#),
    Row("decode -", #"decode ["-"]"#),
    Row("pair A0:9E:1a:00:00:01 --role rear", #"pair ["A0:9E:1a:00:00:01"] role=["rear"]"#),
    Row("--socket /tmp/x status", #"status [] socket=["/tmp/x"]"#),
    Row("get power --max-age 0", #"get ["power"] max-age=["0"]"#),
    Row("command kickr target_inclination -2.5", #"command ["kickr", "target_inclination", "-2.5"]"#),
    Row("command kickr simulation grade_pct=-4", #"command ["kickr", "simulation", "grade_pct=-4"]"#),
    Row("set cap role=front priority=1", #"set ["cap", "role=front", "priority=1"]"#),
    Row("replay --speed 10 -", #"replay ["-"] speed=["10"]"#),
    Row("complete -- watch --js", #"complete ["watch", "--js"]"#),
    Row("help", "help: Usage: cyclo [OPTION]... VERB [ARGUMENT]..."),
    Row("help watch", "help: Usage: cyclo watch [OPTION]... [KIND]..."),
    Row("watch --help --bogus", "help: Usage: cyclo watch [OPTION]... [KIND]..."),
    Row("show -h", "help: Usage: cyclo show SENSOR"),
    Row("--version", "version: cyclo \(release)\n"),
    Row("version", "version []"),
  ]

  @Test("cyclo parses valid command lines", arguments: cycloLines)
  func cycloParses(row: Row) throws {
    #expect(try understood(.cyclo, row.line) == row.meaning)
  }

  private static let daemonLines: [Row] = [
    Row("", "- []"),
    Row("--simulate", "- [] simulate=[]"),
    Row("--simulate ride", #"- [] simulate=["ride"]"#),
    Row("--simulate=ride.capture", #"- [] simulate=["ride.capture"]"#),
    Row("--simulate --config x", #"- [] config=["x"] simulate=[]"#),
    Row("--state-dir=/a --runtime-dir /b", #"- [] state-dir=["/a"] runtime-dir=["/b"]"#),
    Row("--help", "help: Usage: cyclometerd [OPTION]..."),
    Row("--version", "version: cyclometerd \(release)\n"),
  ]

  @Test("cyclometerd parses valid command lines", arguments: daemonLines)
  func daemonParses(row: Row) throws {
    #expect(try understood(.cyclometerd, row.line) == row.meaning)
  }

  private static let cycloMistakes: [Row] = [
    Row("sttus", "unknown verb 'sttus'; did you mean 'status'?"),
    Row("stat", "unknown verb 'stat'; did you mean 'status'?"),
    Row("docter", "unknown verb 'docter'; did you mean 'doctor'?"),
    Row("help wach", "unknown verb 'wach'; did you mean 'watch'?"),
    Row("watch --jsn", "unknown option --jsn for watch; did you mean --json?"),
    Row("watch --max-age 3", "unknown option --max-age for watch"),
    Row("--all scan", "--all must follow its verb: 'cyclo scan --all'"),
    Row("watch -x", "unknown option -x for watch"),
    Row("watch --count", "--count needs a value: COUNT"),
    Row("watch -n 0", "-n: '0' is not a count (1, 2, 3, ...)"),
    Row("watch -t soon", "-t: 'soon' is not a number of seconds"),
    Row("watch -t 1e3", "-t: '1e3' is not a number of seconds"),
    Row("watch -t 9999999999", "-t: '9999999999' is not a number of seconds"),
    Row("replay x --speed 0", "--speed: '0' is not a number from 0.001 to 1000"),
    Row("command kickr target_power lots", "'lots' is neither a number nor NAME=NUMBER"),
    Row("command kickr target_power value=", "'value=' is neither a number nor NAME=NUMBER"),
    Row("completions tcsh", "'tcsh' is not one of bash, zsh, fish"),
    Row("complet", "unknown verb 'complet'; did you mean 'completions'?"),
    Row("watch --json=yes", "--json takes no value"),
    Row("get", "missing KIND"),
    Row("show a b", "'b' is an unexpected argument"),
    Row("status all", "'all' is an unexpected argument"),
    Row("pair polar", "'polar' is not a Bluetooth address (example: A0:9E:1A:00:00:01)"),
    Row("pair A0:9E:1A:00:00:01 --role top", "--role: 'top' is not one of front, rear, left, right"),
    Row("", ""),
  ]

  @Test("cyclo reports usage errors", arguments: cycloMistakes)
  func cycloErrors(row: Row) throws {
    let error = try #require(complaint(.cyclo, row.line))
    #expect(error.message == row.meaning)
    #expect(error.hint.contains("cyclo help"))
  }

  private static let daemonMistakes: [Row] = [
    Row("--simulated", "unknown option --simulated; did you mean --simulate?"),
    Row("-d", "unknown option -d"),
    Row("run", "'run' is an unexpected argument"),
    Row("--config", "--config needs a value: FILE"),
    Row("--config=", "--config: FILE is empty"),
  ]

  @Test("cyclometerd reports usage errors", arguments: daemonMistakes)
  func daemonErrors(row: Row) throws {
    let error = try #require(complaint(.cyclometerd, row.line))
    #expect(error.message == row.meaning)
    #expect(error.text(program: "cyclometerd") == "cyclometerd: \(row.meaning)\nTry 'cyclometerd --help'.\n")
  }

  @Test("the last value of an option that takes one value wins")
  func repeatedOption() throws {
    guard case .run(let invocation) = try Program.cyclo.parse(["watch", "-t", "3", "-t", "2.5"]) else {
      Issue.record("not run")
      return
    }
    #expect(invocation.number(.seconds) == 2.5)
  }

  @Test(
    "a mistyped word suggests the closest one",
    arguments: [("wach", "watch"), ("wathc", "watch"), ("st", "status"), ("zzz", nil), ("x", nil)])
  func suggests(word: String, meant: String?) {
    #expect(suggestion(for: word, among: ["watch", "status", "show"]) == meant)
  }
}
