// `capture` and `replay`: what is written, in which words, and that it can be read however it ended; what is played.

import Foundation
import JSON
import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30)))
struct CaptureTests {
  private static let cap =
    #"{"id":"tpms1-03aaf2-aaf2","name":"TPMS1_03AAF2","address":"80:EA:CA:03:AA:F2","plugins":["tire_pressure"],"#
    + #""kinds":["tire_pressure"],"state":"streaming","role":"front"}"#
  private static let strap =
    #"{"id":"polar-h10-12345678-1a2b","name":"Polar H10 12345678","address":"A0:9E:1A:00:1A:2B","#
    + #""plugins":["heart_rate","battery","device_information"],"kinds":["heart_rate"],"state":"streaming","#
    + #""settings":{"priority":2},"facts":{"manufacturer":"Polar Electro Oy","firmware":"3.1.1"}}"#
  private static let status =
    #"{"sensors":[\#(strap),\#(cap)],"versions":{"cyclometer":"0.1.0","bluez":"5.66","kernel":"6.1.0"}}"#

  private static func raw(_ sensor: String, _ t: String, _ rest: String) -> StandInDaemon.Step {
    .line(#"{"class":"raw","sensor":"\#(sensor)","t":\#(t),\#(rest)}"#)
  }

  private static let packets: [StandInDaemon.Step] = [
    .reply(), raw("polar-h10-12345678-1a2b", "100.5", #""op":"connected""#),
    raw("polar-h10-12345678-1a2b", "100.625", #""op":"read","source":"2a25","hex":"3132333435363738""#),
    raw("polar-h10-12345678-1a2b", "101", #""op":"notify","source":"2a37","hex":"1048a501""#),
    .line(#"{"class":"of_a_later_daemon"}"#),
    raw("gps", "101.125", #""op":"report","report":"{\"class\":\"TPV\",\"mode\":1}""#),
    raw("tpms1-03aaf2-aaf2", "101.25", #""op":"advert","source":"0100","hex":"80eaca03aaf26e6a0300a00c00003300""#),
  ]

  private static let script: StandInDaemon.Script = [
    "sensors": [[.reply(#"{"sensors":[\#(strap),\#(cap)]}"#)]], "status": [[.reply(status)]], "capture": [packets],
    "cancel": [[raw("polar-h10-12345678-1a2b", "102", #""op":"notify","source":"2a37","hex":"0050""#), .reply()]],
  ]

  private static let header =
    "#cyclometer-capture 1\n# Recorded by cyclo 0.1.0, cyclometerd 0.1.0, BlueZ 5.66, Linux 6.1.0.\n"

  @Test("a capture has its header, its sensors and their packets")
  func captureHasHeaderSensors() throws {
    let daemon = try StandInDaemon(Self.script)
    defer { daemon.stop() }
    let path = daemon.folder + "/a.capture"
    let outcome = try cyclo("capture", path, "-t", "0.5", socket: daemon.controlSocket)
    #expect(outcome.status == 0, "\(outcome.complaint)")
    #expect(outcome.output == "")
    #expect(outcome.complaint.hasPrefix("6 packets in ") && outcome.complaint.contains(" s, in \(path)."))
    // A busy machine may take longer.
    let seconds = try #require(Double(outcome.complaint.split(separator: " ")[3]))
    #expect(seconds >= 0.5)
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == Self.header + """
        # polar-h10-12345678-1a2b: manufacturer Polar Electro Oy, firmware 3.1.1
        device polar-h10-12345678-1a2b address=A0:9E:1A:00:1A:2B name="Polar H10 12345678" services=180d,180f,180a
        set polar-h10-12345678-1a2b priority=2
        device tpms1-03aaf2-aaf2 address=80:EA:CA:03:AA:F2 name=TPMS1_03AAF2
        set tpms1-03aaf2-aaf2 role=front
        0.000000 polar-h10-12345678-1a2b connected
        0.125000 polar-h10-12345678-1a2b read 2a25 3132333435363738
        0.500000 polar-h10-12345678-1a2b notify 2a37 1048a501
        0.625000 gps {"class":"TPV","mode":1}
        0.750000 tpms1-03aaf2-aaf2 advert 0100 80eaca03aaf26e6a0300a00c00003300
        1.500000 polar-h10-12345678-1a2b notify 2a37 0050

        """)
    #expect(try cyclo("decode", path).output.contains("heart_rate  72 bpm"))
  }

  @Test("an anonymous capture has nothing that identifies its owner")
  func anonymousCaptureHasNothing() throws {
    let daemon = try StandInDaemon(Self.script)
    defer { daemon.stop() }
    let outcome = try cyclo("capture", "-", "-t", "0.5", "--anonymous", socket: daemon.controlSocket)
    #expect(outcome.status == 0)
    #expect(
      outcome.output == Self.header + """
        # heart_rate-1: manufacturer Polar Electro Oy, firmware 3.1.1
        device heart_rate-1 address=A0:9E:1A:00:00:01 name="Polar H10 00000000" services=180d,180f,180a
        set heart_rate-1 priority=2
        device tire_pressure-2 address=80:EA:CA:00:00:02 name=TPMS1_000002
        set tire_pressure-2 role=front
        0.000000 heart_rate-1 connected
        0.125000 heart_rate-1 read 2a25 3030303030303030
        0.500000 heart_rate-1 notify 2a37 1048a501
        0.750000 tire_pressure-2 advert 0100 80eaca0000026e6a0300a00c00003300
        1.500000 heart_rate-1 notify 2a37 0050

        """)
    // What made it anonymous did not make it another capture.
    let decoded = try cyclo("decode", "-", "--json", input: outcome.output)
    #expect(decoded.output.contains(#""sensor_id":"000002""#))
    #expect(!decoded.output.contains("refused"))
  }

  @Test("an anonymous capture hides the names that the user gave")
  func anonymousCaptureHidesNames() throws {
    var script = Self.script
    let status = Self.status.replacing("Polar H10 12345678", with: "Anna's strap")
    script["status"] = [[.reply(status)]]
    let daemon = try StandInDaemon(script)
    defer { daemon.stop() }
    let outcome = try cyclo("capture", "-", "-t", "0.2", "--anonymous", socket: daemon.controlSocket)
    #expect(
      outcome.output.contains(
        "\ndevice heart_rate-1 address=A0:9E:1A:00:00:01 name=heart_rate-1 services=180d,180f,180a\n"))
    #expect(outcome.output.contains("name=TPMS1_000002"))
  }

  @Test("a sensor that a file declares keeps its services and what its name is recognized by")
  func captureOfDeclaredSensor() throws {
    let light =
      #"{"id":"lt-anna-aaf2","name":"LT-Anna","address":"80:EA:CA:03:AA:F2","plugins":["light"],"kinds":["light"],"#
      + #""state":"streaming"}"#
    var script = Self.script
    script["sensors"] = [[.reply(#"{"sensors":[\#(light)]}"#)]]
    script["status"] = [[.reply(#"{"sensors":[\#(light)],"versions":{"cyclometer":"0.1.0"}}"#)]]
    script["plugins"] = [
      [
        .reply(
          #"{"plugins":[{"id":"light","title":"Light","file":"/etc/l.sensor","services":["a000"],"#
            + #""announced":[{"service":"a100","name":"LT"}],"kinds":["light"]}],"omitted":[]}"#)
      ]
    ]
    let daemon = try StandInDaemon(script)
    defer { daemon.stop() }
    let outcome = try cyclo("capture", "-", "-t", "0.2", "--anonymous", socket: daemon.controlSocket)
    #expect(outcome.output.contains("name=LT-0000 services=a000,a100\n"), "\(outcome.output)")
  }

  @Test("--anonymous with --json is refused")
  func anonymousWithJsonRefused() throws {
    let outcome = try cyclo("capture", "-", "-t", "1", "--anonymous", "--json", socket: "/nowhere")
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.complaint.hasPrefix("cyclo: --json and --anonymous cannot be combined"))
  }

  @Test("the progress fits one line of a narrow terminal")
  func progressFitsOneLine() throws {
    let daemon = try StandInDaemon(Self.script)
    defer { daemon.stop() }
    let path = daemon.folder + "/a-name-that-is-long-enough.capture"
    let screen = try Screen(["capture", path], socket: daemon.controlSocket, columns: 40)
    let text = try screen.wait(for: "the third look") { $0.contains(/[2-9]\.\d s, 5 packets/) }
    #expect(text.components(of: "packets") == 1, "\(text)")
    #expect(text.contains("…\n"), "\(text)")
  }

  @Test("on a terminal capture shows its progress and ends with Ctrl-C")
  func onTerminalCaptureShowsProgress() throws {
    let daemon = try StandInDaemon(Self.script)
    defer { daemon.stop() }
    let path = daemon.folder + "/a.capture"
    let screen = try Screen(["capture", path], socket: daemon.controlSocket, columns: 100)
    try screen.wait(forText: ", 5 packets in \(path)")
    try screen.press("C-c")
    try screen.wait(forText: "6 packets in ")
    #expect(screen.exitStatus() == 130)
    #expect(try cyclo("decode", path).output.contains("72 bpm"))
  }

  @Test("capture --json prints the records unchanged")
  func captureJsonPrintsRecordsUnchanged() throws {
    let daemon = try StandInDaemon(Self.script)
    defer { daemon.stop() }
    let outcome = try cyclo("capture", "-", "--json", "-t", "0.5", "--sensor", "polar", socket: daemon.controlSocket)
    #expect(outcome.lines.first == #"{"class":"raw","sensor":"polar-h10-12345678-1a2b","t":100.5,"op":"connected"}"#)
    #expect(outcome.lines.allSatisfy { $0.contains(#""class":"raw""#) })
    #expect(outcome.complaint == "")
    #expect(daemon.requests.first { $0["method"] == "capture" }?["params"] == ["sensors": ["polar-h10-12345678-1a2b"]])
  }

  @Test("capture does not overwrite a file")
  func captureDoesNotOverwriteFile() throws {
    let daemon = try StandInDaemon(Self.script)
    defer { daemon.stop() }
    let path = daemon.folder + "/a.capture"
    try Data("precious".utf8).write(to: URL(filePath: path))
    let outcome = try cyclo("capture", path, socket: daemon.controlSocket)
    #expect(outcome.status == 1)
    #expect(outcome.complaint.hasPrefix("cyclo: \(path) already exists; not overwriting it\n"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    let nowhere = try cyclo("capture", "/nowhere/a.capture", socket: daemon.controlSocket)
    #expect(nowhere.status == 1)
    #expect(nowhere.complaint == "cyclo: cannot write /nowhere/a.capture: No such file or directory\n")
  }

  @Test("a capture keeps what arrived before the daemon stopped")
  func captureKeepsWhatArrived() throws {
    var script = Self.script
    script["capture"] = [Self.packets + [.hangUp]]
    let daemon = try StandInDaemon(script)
    defer { daemon.stop() }
    let path = daemon.folder + "/a.capture"
    let outcome = try cyclo("capture", path, socket: daemon.controlSocket)
    #expect(outcome.status == 3)
    #expect(outcome.complaint.contains("\(path) contains the data up to this point"))
    #expect(try cyclo("decode", path).output.contains("72 bpm"))
  }

  /// The real daemon, recorded until Ctrl-C; the recording decoded, and played into another daemon.
  @Test("an interrupted capture is complete and can be replayed")
  func interruptedCaptureComplete() throws {
    let daemon = try RealDaemon()
    let path = daemon.folder.file("ride.capture")
    let capture = try RunningCyclo(["capture", path], socket: daemon.controlSocket)
    var text = ""
    while text.split(separator: " ").filter({ $0 == "notify" }).count < 3 {
      text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      #expect(text.isEmpty || text.hasSuffix("\n"))
      Thread.sleep(forTimeInterval: 0.05)
    }
    capture.process.interrupt()
    let outcome = capture.finish()
    #expect(outcome.status == 130)
    #expect(outcome.complaint.contains(" packets in "))
    let decoded = try cyclo("decode", "--json", path)
    #expect(decoded.status == 0)
    #expect(decoded.complaint == "")
    let rates = decoded.lines.filter { $0.contains(#""kind":"heart_rate""#) }
    #expect(rates.count >= 3)

    #expect(try cyclo("forget", "strap", socket: daemon.controlSocket).status == 0)
    let replay = try cyclo("replay", path, "--speed", "2", socket: daemon.controlSocket)
    #expect(replay.status == 0, "\(replay.complaint)")
    #expect(replay.complaint.contains(" lines played in "))
    let rate = try cyclo("get", "heart_rate", "--json", socket: daemon.controlSocket)
    let last = try JSONValue.parse(rate.output)
    #expect(last["sensor"] == "strap")
    #expect(try last["bpm"] == JSONValue.parse(rates.last ?? "")["bpm"])
    #expect(daemon.stop() == 0)
  }

  @Test("replay sends a capture in pieces when their time comes")
  func replaySendsCaptureInPieces() throws {
    let daemon = try StandInDaemon(["replay": [[.reply()], [.error("busy", "much is to be played")], [.reply()]]])
    defer { daemon.stop() }
    var text = "#cyclometer-capture 1\n# a ride\n\ndevice hr1 address=A0:9E:1A:00:00:01 name=Strap services=180d\n"
    for number in 0..<2000 { text += "\(Double(number) / 4) hr1 notify 2a37 0048\n" }
    let replay = try cyclo("replay", "-", "--speed", "100", socket: daemon.controlSocket, input: text)
    #expect(replay.status == 0, "\(replay.complaint)")
    #expect(replay.complaint.hasPrefix("2001 lines played in "))
    let pieces = daemon.requests.compactMap { $0["params"]?["lines"]?.texts }
    #expect(pieces.count >= 3)
    #expect(pieces.first?.first == "#cyclometer-capture 1")
    #expect(pieces.allSatisfy { $0.joined(separator: "\n").utf8.count < 32_768 })
    #expect(daemon.requests.allSatisfy { $0["params"]?["speed"] == 100 })
    // The second was refused and came again.
    #expect(pieces[1] == pieces[2])
    #expect(pieces.reduce(0) { $0 + $1.count } - pieces[1].count == 2002)
  }

  @Test(
    "replay refuses a file that is not a capture",
    arguments: [
      ("hello\n", "cyclo: standard input: line 1: "),
      ("#cyclometer-capture 1\ndevice a\nsoon a connected\n", "cyclo: standard input: line 3: "),
      (
        "device a\n0 a connected\n",
        "cyclo: standard input is not a capture: it does not start with #cyclometer-capture 1\n"
      ),
      ("", "cyclo: standard input is not a capture: it does not start with #cyclometer-capture 1\n"),
    ])
  func replayRefusesFile(text: String, complaint: String) throws {
    let outcome = try cyclo("replay", "-", socket: "/nowhere", input: text)
    #expect(outcome.status == 1)
    #expect(outcome.complaint.hasPrefix(complaint), "\(outcome.complaint)")
  }
}
