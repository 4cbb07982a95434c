// The screens of pairing, at 80 and 40 columns, with colours and without, in UTF-8 and in ASCII. The daemon follows a script, so
// that what is found is always the same.

import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PairScreenTests {
  private static func found(
    _ address: String, _ name: String, _ rssi: Int, _ kinds: String, _ plugins: String, paired: Bool = false
  )
    -> StandInDaemon.Step
  {
    .line(
      #"{"class":"found","id":"x-\#(address.suffix(2))","address":"\#(address)","name":"\#(name)","rssi_dbm":\#(rssi),"#
        + #""kinds":[\#(kinds)],"plugins":[\#(plugins)],"paired":\#(paired)}"#)
  }

  private static let finds = [
    found("A0:9E:1A:00:00:01", "Polar H10", -52, #""heart_rate","battery""#, #""heart_rate","battery""#, paired: true),
    found("C0:FF:EE:16:00:01", "Speed", -66, #""speed","cadence""#, #""cycling_speed_cadence""#),
    found("C0:FF:EE:18:00:01", "Assioma DUO in a long case", -79, #""power","speed","cadence""#, #""cycling_power""#),
    found("80:EA:CA:00:00:02", "TPMS1_000002", -93, #""tire_pressure""#, #""tire_pressure""#),
  ]

  private func daemon(ends: Bool) throws -> StandInDaemon {
    let end: [StandInDaemon.Step] = ends ? [.line(Fixture.scanEnded)] : []
    return try StandInDaemon([
      "sensors": [[.reply(#"{"sensors":[\#(Fixture.polar)]}"#)]], "scan": [[.reply()] + Self.finds + end],
    ])
  }

  @Test("pair shows a list to choose from", arguments: [80, 40])
  func pairShowsListToChoose(columns: Int) throws {
    let daemon = try daemon(ends: false)
    defer { daemon.stop() }
    let screen = try Screen(["pair"], socket: daemon.controlSocket, columns: columns, rows: 16)
    try screen.wait(forText: "TPMS1")
    try screen.press("Down", "Down")
    try screen.expect(snapshot: "pair-\(columns)")
    // docs/pictures/pair.svg shows this screen.
    if columns == 80 { try screen.expect(snapshot: "pair-80-coloured", coloured: true) }
  }

  @Test("the list works in ASCII without colours")
  func listWorksInASCIIWithout() throws {
    let daemon = try daemon(ends: false)
    defer { daemon.stop() }
    let screen = try Screen(
      ["pair"], socket: daemon.controlSocket, columns: 60, rows: 16, environment: ["LC_ALL": "C", "NO_COLOR": "1"])
    try screen.wait(forText: "TPMS1")
    try screen.expect(snapshot: "pair-ascii")
    #expect(try screen.text().utf8.allSatisfy { $0 < 128 })
  }

  @Test("scan shows what it found", arguments: [80, 40])
  func scanShowsWhatItFound(columns: Int) throws {
    let daemon = try daemon(ends: true)
    defer { daemon.stop() }
    let screen = try Screen(["scan"], socket: daemon.controlSocket, columns: columns, rows: 16)
    #expect(screen.exitStatus() == 0)
    try screen.expect(snapshot: "scan-\(columns)")
  }

  /// As `q` does; what the shell says next stands below it.
  @Test("an interrupted scan keeps its results on screen")
  func interruptedScanKeepsResults() throws {
    let daemon = try daemon(ends: false)
    defer { daemon.stop() }
    let screen = try Screen(command: ["bash", "--norc", "--noprofile"], environment: ["PS1": "> "])
    try screen.wait(forText: ">")
    try screen.enter("clear; \(productFolder)/cyclo --socket \(daemon.controlSocket) scan")
    try screen.wait(for: "the finds") { $0.contains("Looking for sensors") && $0.contains("TPMS1") }
    try screen.press("C-c")
    let text = try screen.wait(for: "the shell") { $0.hasSuffix("\n>\n") }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 6, "\(text)")
    for (line, name) in zip(lines, ["Polar H10", "Speed", "Assioma DUO", "TPMS1"]) { #expect(line.contains(name)) }
  }

  @Test("a key ends a scan", arguments: ["q", "Enter", "Escape", "C-d"])
  func keyEndsScan(key: String) throws {
    let daemon = try daemon(ends: false)
    defer { daemon.stop() }
    let screen = try Screen(["scan"], socket: daemon.controlSocket)
    try screen.wait(for: "the finds") { $0.contains("; q quits") && $0.contains("TPMS1") }
    try screen.press(key)
    #expect(screen.exitStatus() == 0)
    let text = try screen.wait(forText: "4 found; 'cyclo pair' adds one.")
    #expect(!text.contains("Looking for sensors"))
    #expect(text.contains("80:EA:CA:00:00:02"))
  }

  /// By a key, or by a line if nothing can be drawn: the scan restarts and keeps what it found.
  @Test("the key a shows all devices", arguments: ["tmux-256color", "dumb"])
  func keyShowsAllDevices(terminal: String) throws {
    let daemon = try StandInDaemon([
      "sensors": [[.reply(#"{"sensors":[]}"#)]],
      "scan": [[.reply(), Self.finds[1]], [.reply(), Self.found("D0:00:00:00:00:09", "Toaster", -70, "", "")]],
      "cancel": [[.reply(), .line(Fixture.scanEnded)]],
    ])
    defer { daemon.stop() }
    let screen = try Screen(["pair"], socket: daemon.controlSocket, environment: ["TERM": terminal])
    try screen.wait(for: "what is a sensor") { $0.contains("a shows all devices") && $0.contains("Speed") }
    try screen.press("a")
    if terminal == "dumb" { try screen.press("Enter") }
    let text = try screen.wait(for: "all devices") { $0.contains("Toaster") && $0.contains("not a known sensor") }
    #expect(text.contains("Speed"))
    if terminal != "dumb" { #expect(!text.contains("a shows all devices")) }
    let scans = daemon.requests.filter { $0["method"] == "scan" }.map { $0["params"] }
    #expect(scans == [["seconds": 600], ["seconds": 600, "all": true]])
    try screen.press("q")
    if terminal == "dumb" { try screen.press("Enter") }
    #expect(screen.exitStatus() == 1)
    #expect(!daemon.requests.contains { $0["method"] == "pair" })
  }

  @Test("the list follows the terminal's size")
  func listFollowsTerminalsSize() throws {
    let daemon = try daemon(ends: false)
    defer { daemon.stop() }
    let screen = try Screen(["pair"], socket: daemon.controlSocket, columns: 80, rows: 16)
    try screen.wait(forText: "TPMS1")
    try screen.resize(columns: 40, rows: 16)
    try screen.press("Down", "Down")
    try screen.expect(snapshot: "pair-40")
  }
}
