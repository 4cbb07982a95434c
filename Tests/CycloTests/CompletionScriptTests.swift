// Completions as shells get them: the scripts that are checked in are those that the command prints, and each shell offers what
// the table and the daemon know.

import Foundation
import TestSupport
import Testing

struct CompletionScriptTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "completions")
  private static let scripts = [("bash", "cyclo.bash"), ("zsh", "_cyclo"), ("fish", "cyclo.fish")]

  /// scripts/accept-pages writes them.
  @Test("the completion scripts are up to date", arguments: scripts)
  func completionScriptsUpToDate(shell: String, file: String) throws {
    let outcome = try cyclo("completions", shell)
    #expect(outcome.status == 0)
    let path = Self.folder.appending(path: file)
    #expect(try String(contentsOf: path, encoding: .utf8) == outcome.output)
  }

  @Test(
    "completion offers sensors, kinds and bikes of the daemon",
    arguments: [
      (["sta"], ["status\tShow the daemon, the adapters and each sensor's last values"]),
      (["show", "POLAR-S"], ["polar-sense-77aa\tArm band, stale"]),
      (["watch", "--sensor=polar-h"], ["--sensor=polar-h10-1a2b\tPolar H10, streaming"]),
      (["watch", "h"], ["heart_rate\tPolar H10, Arm band", "hrv\tthe ride"]),
      (["watch", "batt"], ["battery\tPolar H10"]),
      (["set", "polar-h10", "c"], ["circumference=\tdistance of one turn of the wheel, 300 to 4000 mm"]),
      (["set", "polar-h10", "role=r"], ["role=rear\t", "role=right\t"]),
      (["command", "polar-h", ""], ["reset_energy\tReset the energy counter to 0"]),
      (["command", "absent", ""], []), (["decode", "x"], [":files"]), (["fly", ""], []),
    ])
  func completionOffersSensorsKinds(words: [String], lines: [String]) throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let outcome = try RunningCyclo(["complete", "--"] + words, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 0)
    #expect(outcome.lines == lines)
    #expect(outcome.complaint == "")
  }

  @Test(
    "completion offers the parameters of a command",
    arguments: [
      (["target_power", ""], ["value=\t-32768 to 32767 W"]), (["target-power", "v"], ["value=\t-32768 to 32767 W"]),
      (["simulation", "grade_pct=4", "wind_s"], ["wind_speed_mps=\thead wind, 0 if omitted, -32.7 to 32.7 m/s"]),
      (["of_a_later_daemon", ""], []),
    ])
  func completionOffersParametersOfCommand(words: [String], lines: [String]) throws {
    let trainer =
      #"{"id":"kickr-44aa","name":"KICKR","address":"A0:9E:1A:00:00:04","plugins":["fitness_machine"],"#
      + #""kinds":["trainer"],"state":"streaming"}"#
    let daemon = try StandInDaemon(["sensors": [[.reply(#"{"sensors":[\#(trainer)]}"#)]]])
    defer { daemon.stop() }
    let line = ["complete", "--", "command", "kickr"] + words
    let outcome = try RunningCyclo(line, socket: daemon.controlSocket).finish()
    #expect(outcome.status == 0)
    #expect(outcome.lines == lines)
  }

  @Test(
    "completion offers the commands of files to a sensor that was never connected, and their kinds without sensors",
    arguments: [
      (#"[{"id":"lamp-1","name":"Lamp","address":"A0:9E:1A:00:00:04","plugins":["lamp"],"kinds":["lamp"]}]"#, true),
      ("[]", false),
    ])
  func declaredSensors(sensors: String, isPaired: Bool) throws {
    let plugin =
      #"{"id":"lamp","title":"Lamp","file":"/l.sensor","kinds":["lamp"],"commands":[{"name":"light","#
      + #""summary":"Turn it on","parameters":[{"name":"value","summary":"percent","minimum":0,"#
      + #""maximum":9,"required":true}]}]}"#
    func lines(_ words: String...) throws -> [String] {
      let daemon = try StandInDaemon([
        "sensors": [[.reply(#"{"sensors":\#(sensors)}"#)]],
        "plugins": [[.reply(#"{"plugins":[\#(plugin)],"omitted":[]}"#)]],
      ])
      defer { daemon.stop() }
      return try RunningCyclo(["complete", "--"] + words, socket: daemon.controlSocket).finish().lines
    }
    #expect(try lines("get", "lam") == ["lamp\t\(isPaired ? "Lamp" : "")"])
    #expect(try lines("command", "lamp-1", "") == (isPaired ? ["light\tTurn it on"] : []))
    #expect(try lines("command", "lamp-1", "light", "v").map { $0.prefix(14) } == (isPaired ? ["value=\tpercent"] : []))
  }

  @Test("completion works without a daemon")
  func completionWorksWithoutDaemon() throws {
    #expect(try cyclo("complete", "--", "wat", socket: "/nowhere").lines.count == 1)
    #expect(try cyclo("complete", "--", "show", "", socket: "/nowhere").output == "")
    let kinds = try cyclo("complete", "--", "get", "", socket: "/nowhere").lines
    #expect(kinds.contains("heart_rate\t") && kinds.contains("radar\t"))
  }

  @Test("completion does not wait for a daemon that hangs")
  func completionDoesNotWait() throws {
    let daemon = try StandInDaemon(["sensors": [[]]])
    defer { daemon.stop() }
    let outcome = try cyclo("complete", "--", "show", "", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
  }

  /// A line as bash parts it, `=` and `:` being words of their own; the last is at the cursor.
  @Test(
    "bash gets the candidates",
    arguments: [
      ("cyclo sho", ["cyclo", "sho"], "show"),
      ("cyclo show polar-s", ["cyclo", "show", "polar-s"], "polar-sense-77aa"),
      ("cyclo watch --sensor=polar-h", ["cyclo", "watch", "--sensor", "=", "polar-h"], "polar-h10-1a2b"),
      ("cyclo watch --sensor=", ["cyclo", "watch", "--sensor", "="], "polar-h10-1a2b polar-sense-77aa"),
      ("cyclo  set  polar-h10   role=r", ["cyclo", "set", "polar-h10", "role", "=", "r"], "rear right"),
      (
        "cyclo pair A0:9E:1A:00:00:01 --ro",
        ["cyclo", "pair", "A0", ":", "9E", ":", "1A", ":", "00", ":", "00", ":", "01", "--ro"], "--role"
      ),
      ("cyclo watch h", ["cyclo", "watch", "h"], "heart_rate hrv"),
    ])
  func bashOffers(line: String, parts: [String], words: String) throws {
    let script = """
      source "$1"; COMP_LINE=$2; COMP_POINT=${#COMP_LINE}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _cyclo; echo "${COMPREPLY[*]}"
      """
    let path = Self.folder.appending(path: "cyclo.bash").path
    #expect(try run(["/bin/bash", "--norc", "-c", script, "bash", path, line] + parts) == words + "\n")
  }

  @Test(
    "fish gets the candidates", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")),
    arguments: [
      ("cyclo sho", "show\tShow everything known about a sensor\n"),
      ("cyclo show polar-s", "polar-sense-77aa\tArm band, stale\n"),
      ("cyclo watch --sensor=polar-h", "--sensor=polar-h10-1a2b\tPolar H10, streaming\n"),
      ("cyclo watch --sensor polar-h10-1a2b --js", "--json\tPrint JSON records as on the socket, one per line\n"),
      ("cyclo decode /etc/fsta", "/etc/fstab\n"), ("cyclo status ", ""),
    ])
  func fishOffers(line: String, words: String) throws {
    let path = Self.folder.appending(path: "cyclo.fish").path
    let command = [
      "/usr/bin/fish", "--no-config", "-c", "source $argv[1]; complete --do-complete $argv[2]", path, line,
    ]
    #expect(try run(command) == words)
  }

  private static let hostileBikes: StandInDaemon.Script = [
    "bike": [
      [.reply(#"{"bikes":[{"name":"Race$(touch${IFS}MARK)","sensors":[]},{"name":"My bike; ls","sensors":[]}]}"#)]
    ]
  ]

  /// A word as it is typed, and the words that bash puts there.
  @Test(
    "bash gets names as words that run nothing",
    arguments: [
      ("", [#"Race\$\(touch\$\{IFS\}MARK\)"#, #"My\ bike\;\ ls"#]), (#"My\ b"#, [#"My\ bike\;\ ls"#]),
      (#""My b"#, ["My bike; ls"]), ("'My b", ["My bike; ls"]), (#""Ra"#, [#"Race\$(touch\${IFS}MARK)"#]),
    ])
  func bashQuotes(typed: String, words: [String]) throws {
    let script = """
      source "$1"; COMP_LINE=$2; COMP_POINT=${#COMP_LINE}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _cyclo; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let path = Self.folder.appending(path: "cyclo.bash").path
    let command = ["/bin/bash", "--norc", "-c", script, "bash", path, "cyclo bike \(typed)", "cyclo", "bike", typed]
    let output = try run(command, Self.hostileBikes)
    #expect(Set(output.split(separator: "\n").map(String.init)) == Set(words))
  }

  @Test(
    "a name that Tab puts in runs nothing when Enter is pressed",
    arguments: [
      ("bash", "/bin/bash", ["--norc", "-i"]), ("zsh", "/usr/bin/zsh", ["-f", "-i"]),
      ("fish", "/usr/bin/fish", ["--no-config", "-i"]),
    ])
  func hostileNamesAtTab(shell: String, path: String, options: [String]) throws {
    guard FileManager.default.isExecutableFile(atPath: path) else { return }
    let daemon = try StandInDaemon(Self.hostileBikes)
    defer { daemon.stop() }
    let screen = try Screen(
      command: [path] + options,
      environment: ["CYCLOMETER_SOCKET": daemon.controlSocket, "HOME": daemon.folder, "PS1": "$ "])
    try screen.type("cd '\(daemon.folder)'; ")
    if shell == "zsh" { try screen.type("autoload -U compinit; compinit -u; ") }
    try screen.type(
      shell == "fish" ? "cyclo completions fish | source; clear\n" : "eval \"$(cyclo completions \(shell))\"; clear\n")
    try screen.wait(for: "an empty prompt") { !$0.contains("completions") }
    // Without the verb, so that only the word counts.
    try screen.type("cyclo bike Ra\t")
    try screen.wait(forText: "MARK")
    try screen.press("C-a")
    try screen.type("printf '<%s>' ")
    try screen.press("C-e")
    try screen.type("\n")
    try screen.wait(forText: "<cyclo><bike><Race$(touch${IFS}MARK)>")
    #expect(!FileManager.default.fileExists(atPath: daemon.folder + "/MARK"))
    try screen.type("cyclo bike My\\ b\t")
    try screen.wait(for: "the whole name") { $0.contains("ls") }
    try screen.press("C-a")
    try screen.type("printf '<%s>' ")
    try screen.press("C-e")
    try screen.type("\n")
    try screen.wait(forText: "<cyclo><bike><My bike; ls>")
  }

  // What a person sees who types and presses Tab.

  @Test("Tab completes in a real bash")
  func tabCompletesInRealBash() throws {
    try completeByTab(in: "bash", ["/bin/bash", "--norc", "-i"])
  }

  @Test("Tab completes in a real zsh", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")))
  func tabCompletesInRealZsh() throws {
    try completeByTab(in: "zsh", ["/usr/bin/zsh", "-f", "-i"])
  }

  private func completeByTab(in shell: String, _ command: [String]) throws {
    let daemon = try StandInDaemon(Fixture.reading)
    defer { daemon.stop() }
    let screen = try Screen(
      command: command, environment: ["CYCLOMETER_SOCKET": daemon.controlSocket, "HOME": daemon.folder, "PS1": "$ "])
    if shell == "zsh" { try screen.type("autoload -U compinit; compinit -u; ") }
    try screen.type("eval \"$(cyclo completions \(shell))\"; clear\n")
    try screen.wait(for: "an empty prompt") { $0.hasSuffix("$\n") && !$0.contains("eval") }
    try screen.type("cyclo show polar-s\t")
    try screen.wait(forText: "cyclo show polar-sense-77aa")
    try screen.press("C-u")
    try screen.type("cyclo watch --sensor=polar-h\t")
    try screen.wait(forText: "cyclo watch --sensor=polar-h10-1a2b")
    try screen.press("C-u")
    // Without a space: the value comes next.
    try screen.type("cyclo set polar-h10-1a2b cir\t2105mm")
    try screen.wait(forText: "polar-h10-1a2b circumference=2105mm")
    try screen.press("C-u")
    try screen.type("cyclo decode /etc/fsta\t")
    try screen.wait(forText: "cyclo decode /etc/fstab")
  }

  private func run(_ command: [String], _ known: StandInDaemon.Script = Fixture.reading) throws -> String {
    let daemon = try StandInDaemon(known)
    defer { daemon.stop() }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = programEnvironment.merging([
      "PATH": productFolder + ":/usr/bin:/bin", "CYCLOMETER_SOCKET": daemon.controlSocket, "LC_ALL": "C.UTF-8",
      "HOME": daemon.folder, "TERM": "dumb",
    ]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try withSignalsUnblocked { try process.run() }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }
}
