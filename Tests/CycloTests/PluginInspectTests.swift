// `cyclo plugin new --from`: a first file and a capture from a device nearby.

import Foundation
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct PluginInspectTests {
  private static let address = "C0:FF:EE:00:00:02"

  private static let device =
    #"{"id":"lamp-3-0002","address":"C0:FF:EE:00:00:02","name":"Lamp 3","services":["180f"],"characteristics":["#
    + #"{"service":"180f","characteristic":"2a19","properties":["read","notify"]},"#
    + #"{"service":"ffe0","characteristic":"ffe1","properties":["write","notify"]},"#
    + #"{"service":"ffe0","characteristic":"ffe2","properties":["write_without_response","indicate"]}]}"#

  private static func raw(_ t: String, _ rest: String) -> StandInDaemon.Step {
    .line(#"{"class":"raw","sensor":"lamp-3-0002","t":\#(t),\#(rest)}"#)
  }

  private static let ended = StandInDaemon.Step.line(#"{"class":"inspect_ended"}"#)
  private static let packets: [StandInDaemon.Step] = [
    raw("99.5", #""op":"advert","source":"0499","hex":"05""#), .reply(device), raw("100.5", #""op":"connected""#),
    raw("100.6", #""op":"read","source":"2a19","hex":"57""#),
    raw("101", #""op":"notify","source":"ffe1","hex":"a001""#),
    raw("101.5", #""op":"notify","source":"ffe1","hex":"a002""#),
  ]

  private func daemon(_ steps: [StandInDaemon.Step]) throws -> StandInDaemon {
    try StandInDaemon([
      "status": [[.reply(#"{"sensors":[],"versions":{"cyclometer":"0.1.0","bluez":"5.66","kernel":"6.1.0"}}"#)]],
      "inspect": [steps], "cancel": [[Self.ended, .reply()]],
    ])
  }

  private func new(_ daemon: StandInDaemon, _ options: String...) throws -> Outcome {
    try RunningCyclo(["plugin", "new", "--from", Self.address] + options, socket: daemon.controlSocket).finish()
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test("a first file lists the characteristics, and the packets are in a capture next to it")
  func fileAndCapture() throws {
    let steps = Array(Self.packets.dropFirst()) + [Self.ended]
    let daemon = try daemon(steps)
    defer { daemon.stop() }
    let path = daemon.folder + "/lamp.sensor"
    let outcome = try new(daemon, "-o", path, "-t", "5")
    #expect(outcome.status == 0 && outcome.output == "", "\(outcome.complaint)")
    #expect(daemon.requests.last?["params"] == ["address": "C0:FF:EE:00:00:02", "seconds": 5])
    let capture = daemon.folder + "/lamp.capture"
    #expect(
      outcome.complaint == """
        Wrote \(path). Check it: cyclo plugin check \(path) \(capture)
        The packets are in \(capture). Nothing is paired.

        """)
    #expect(
      try text(capture) == """
        #cyclometer-capture 1
        # Recorded by cyclo 0.1.0, cyclometerd 0.1.0, BlueZ 5.66, Linux 6.1.0.
        device lamp-3-0002 address=C0:FF:EE:00:00:02 name="Lamp 3" services=180f,ffe0
        0.000000 lamp-3-0002 connected
        0.100000 lamp-3-0002 read 2a19 57
        0.500000 lamp-3-0002 notify ffe1 a001
        1.000000 lamp-3-0002 notify ffe1 a002

        """)
    let lines = try text(path).split(separator: "\n").map(String.init)
    for line in [
      "Id = lamp_3", "Service = ffe0", "; 180f 2a19 read notify: 1 packet", "; ffe0 ffe1 write notify: 2 packets",
      "; ffe0 ffe2 write_without_response indicate", "; 180f 2a19 is decoded by a built-in plugin.",
      "; It does not advertise this service. If it does not, pair it by its address: 'cyclo scan'",
      "Notify = ffe0 ffe1", "byte_1 = u8 ; 1 to 2, changed once",
    ] { #expect(lines.contains(line), "\(line)") }
    let check = try cyclo("plugin", "check", path, capture)
    #expect(check.status == 0 && check.lines.last == "2 packets: 2 read, 0 refused; 2 samples")
  }

  @Test("adverts that came before the connection count")
  func adverts() throws {
    let daemon = try daemon(Self.packets + [Self.ended])
    defer { daemon.stop() }
    let path = daemon.folder + "/lamp.sensor"
    #expect(try new(daemon, "-o", path).status == 0)
    #expect(
      try text(daemon.folder + "/lamp.capture").contains(
        "\n0.000000 lamp-3-0002 advert 0499 05\n1.000000 lamp-3-0002 connected\n"))
    let sensor = try text(path)
    #expect(sensor.contains("\nAdvert = company 0499\n") && !sensor.contains("\nService = "))
    #expect(try cyclo("plugin", "check", path).status == 0)
  }

  @Test("a device that sends nothing gets a packet for what it could send")
  func silentDevice() throws {
    let daemon = try daemon([.reply(Self.device), Self.ended])
    defer { daemon.stop() }
    let path = daemon.folder + "/lamp.sensor"
    #expect(try new(daemon, "-o", path).status == 0)
    let sensor = try text(path)
    #expect(sensor.contains("Notify = ffe0 ffe1\n; No packet came.\n") && sensor.contains("Indicate = ffe0 ffe2\n"))
    #expect(try cyclo("plugin", "check", path).status == 0)
    let none = try self.daemon([
      .reply(#"{"id":"lamp","address":"C0:FF:EE:00:00:02","services":[],"characteristics":[],"more":1}"#), Self.ended,
    ])
    defer { none.stop() }
    let outcome = try new(none, "-o", none.folder + "/none.sensor")
    #expect(
      outcome.status == 1 && outcome.complaint.contains("has no characteristic that can be read or subscribed to"))
  }

  @Test("what came is kept when the device goes away, or the daemon")
  func leftInTheMiddle() throws {
    let gone = try daemon(Self.packets + [.line(#"{"class":"inspect_ended","reason":"link_lost"}"#)])
    defer { gone.stop() }
    let outcome = try new(gone, "-o", gone.folder + "/lamp.sensor")
    #expect(outcome.status == 0)
    #expect(
      outcome.complaint.hasPrefix("The connection ended early (link_lost). What came until then is kept.\nWrote "))
    #expect(try text(gone.folder + "/lamp.capture").contains("a002"))

    let ending = try daemon(Self.packets + [.hangUp])
    defer { ending.stop() }
    let failed = try new(ending, "-o", ending.folder + "/lamp.sensor")
    #expect(failed.status == 3)
    let capture = ending.folder + "/lamp.capture"
    #expect(failed.complaint.contains("\(capture) contains the data up to this point\n"))
    #expect(failed.complaint.contains("To use it: cyclo plugin new --from-capture \(capture)\n"))
    #expect(try cyclo("plugin", "new", "--from-capture", capture).output.contains("Notify = ffe0 ffe1"))
  }

  @Test("no file is overwritten, and nothing is connected for it")
  func existingFiles() throws {
    let daemon = try daemon(Self.packets + [Self.ended])
    defer { daemon.stop() }
    for taken in ["lamp.sensor", "lamp.capture"] {
      let path = daemon.folder + "/" + taken
      try Data("precious".utf8).write(to: URL(filePath: path))
      let outcome = try new(daemon, "-o", daemon.folder + "/lamp.sensor")
      #expect(outcome.status == 1 && outcome.complaint.hasPrefix("cyclo: \(path) already exists; not overwriting it\n"))
      #expect(try text(path) == "precious")
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(daemon.requests.isEmpty)
  }

  @Test("every failure has its exit status and advice")
  func failures() throws {
    let rows: [(code: String, status: Int32, advice: String)] = [
      ("timeout", 5, "'cyclo scan --all'"), ("pairing_failed", 7, "A device that only advertises"),
      ("adapter_unavailable", 6, "'cyclo doctor'"), ("already_paired", 1, "words of the daemon"),
      ("busy", 1, "words of the daemon"),
    ]
    for row in rows {
      let daemon = try daemon([.error(row.code, "words of the daemon")])
      defer { daemon.stop() }
      let outcome = try new(daemon, "-o", daemon.folder + "/lamp.sensor")
      #expect(
        outcome.status == row.status && outcome.complaint.hasPrefix("cyclo: words of the daemon\n"), "\(row.code)")
      #expect(outcome.complaint.contains(row.advice), "\(outcome.complaint)")
      #expect(!FileManager.default.fileExists(atPath: daemon.folder + "/lamp.capture"))
    }
    #expect(try cyclo("plugin", "new", "--from", Self.address, "-t", "601", socket: "/nowhere").status == 2)
  }

  @Test("on a terminal it shows its progress, and Ctrl-C ends it with what came")
  func onTerminal() throws {
    let daemon = try daemon(Self.packets)
    defer { daemon.stop() }
    let path = daemon.folder + "/lamp.sensor"
    let screen = try Screen(
      ["plugin", "new", "--from", Self.address, "-o", path], socket: daemon.controlSocket, columns: 100)
    try screen.wait(forText: " s left: 5 packets; Ctrl-C ends it")
    try screen.press("C-c")
    try screen.wait(forText: "Nothing is paired.")
    #expect(screen.exitStatus() == 130)
    #expect(try text(path).contains("Notify = ffe0 ffe1"))
  }

  @Test("the real daemon inspects a strap that is not paired, and keeps nothing of it")
  func realDaemon() throws {
    let daemon = try RealDaemon()
    let path = daemon.folder.file("spare.sensor")
    let outcome = try cyclo(
      "plugin", "new", "--from", Self.address.lowercased(), "-t", "3", "-o", path, socket: daemon.controlSocket)
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(try text(path).contains("; 180d 2a37 notify: "))
    let check = try cyclo("plugin", "check", path, daemon.folder.file("spare.capture"))
    #expect(check.status == 0 && check.lines.last?.contains(" 0 refused") == true, "\(check.output)")
    #expect(try !cyclo("list", socket: daemon.controlSocket).output.contains("spare"))
    let paired = try cyclo("plugin", "new", "--from", "C0:FF:EE:00:00:01", "-t", "1", socket: daemon.controlSocket)
    #expect(paired.status == 1 && paired.complaint.contains("'cyclo capture --sensor strap'"))
    #expect(daemon.stop() == 0)
  }
}
