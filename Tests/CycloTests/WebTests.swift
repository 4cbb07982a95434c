// `cyclo web` against a scripted server of the dashboard.

import Foundation
import JSON
import Linux
import Testing

@testable import cyclo

@Suite struct WebTests {
  static let hello =
    #"{"class":"hello","web":"1.0","release":"0.4.0","instance":"a","limits":{"line":65536,"clients":16}}"#
  static let rows = ["1011", "0001", "1100", "0110"]
  static let link =
    #"{"url":"http://192.168.1.20:8081/pair#c0de","digits":"12345678","right":"ride","valid_s":120,"local":false,"#
    + #""modules":["1011","0001","1100","0110"]}"#
  static let localLink =
    #"{"url":"http://127.0.0.1:8080/pair#a&\"<b>","right":"manage","valid_s":120,"local":true,"#
    + #""modules":["1011","0001","1100","0110"]}"#
  static let phones =
    #"{"phones":[{"id":1,"name":"Phone","right":"ride","created":"2026-05-03T07:30:00.000Z","#
    + #""last_used":"2026-05-04T08:00:00.000Z"},{"id":3,"name":"kiosk","right":"manage"}]}"#
  static let status =
    #"{"listening":["127.0.0.1:8080","[::1]:8080"],"lan":false,"readers":2,"connections":3,"daemon":"connected","#
    + #""recorder":"no recorder answers","phones":2}"#

  private func with(_ script: StandInDaemon.Script, _ body: (StandInDaemon) throws -> Void) throws {
    let server = try StandInDaemon(script, socket: "web.sock", greetings: [Self.hello])
    defer { server.stop() }
    try body(server)
  }

  private func parameters(_ server: StandInDaemon, _ method: String) -> [String] {
    server.requests.filter { $0["method"]?.text == method }.map { $0["params"]?.encoded ?? "" }
  }

  @Test("link prints the link and the digits, and without a terminal no QR code")
  func link() throws {
    try with(["link": [[.reply(Self.link)]]]) { server in
      let plain = try cyclo("web", "link", socket: server.controlSocket)
      #expect(plain.status == 0 && plain.complaint.isEmpty)
      #expect(plain.lines.first == "http://192.168.1.20:8081/pair#c0de")
      #expect(plain.output.contains("1234 5678") && plain.output.contains("2 min"))
      #expect(plain.output.contains("open http://192.168.1.20:8081/pair and"))
      #expect(!plain.output.contains("█") && !plain.output.contains("\u{1B}"))
      _ = try cyclo("web", "link", "--right", "view", "--name", "Tablet", socket: server.controlSocket)
      #expect(parameters(server, "link") == ["{}", #"{"right":"view","name":"Tablet"}"#])
      let json = try cyclo("web", "link", "--json", socket: server.controlSocket)
      #expect(try JSONValue.parse(json.output)["digits"] == "12345678")
      #expect(try cyclo("web", "link", "--right", "all", socket: server.controlSocket).status == 2)
    }
  }

  @Test("a link that only works on this computer comes with the way to change that, without a code")
  func local() throws {
    try with(["link": [[.reply(Self.localLink)]]]) { server in
      let outcome = try cyclo("web", "link", "--right", "manage", socket: server.controlSocket)
      #expect(outcome.complaint.contains("cyclometer-web-lan.socket"))
      #expect(!outcome.output.contains("type"))
      let screen = try Screen(["web", "link"], socket: server.controlSocket, environment: ["NO_COLOR": "1"])
      #expect(try !screen.wait(forText: "cyclometer-web-lan.socket").contains("█"))
    }
  }

  @Test("a page for a kiosk forwards to the link, is readable by its owner only, and nothing is printed")
  func page() throws {
    try with(["link": [[.reply(Self.localLink)]]]) { server in
      let path = server.folder + "/kiosk.html"
      let outcome = try cyclo(
        "web", "link", "--name", "kiosk", "--right", "manage", "--page", path, socket: server.controlSocket)
      #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.complaint.isEmpty)
      let page = String(decoding: try Files.read(path), as: UTF8.self)
      #expect(page.contains(#"content="0; url=http://127.0.0.1:8080/pair#a&amp;&quot;&lt;b&gt;""#))
      #expect(!page.contains("<script") && !page.contains("<b>"))
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let refused = try cyclo("web", "link", "--page", "/nonexistent/a.html", socket: server.controlSocket)
      #expect(refused.status == 1 && refused.complaint.contains("/nonexistent/a.html"))
    }
  }

  @Test("phones lists the screens with local times")
  func phones() throws {
    try with(["phones": [[.reply(Self.phones)], [.reply(#"{"phones":[]}"#)], [.reply(Self.phones)]]]) { server in
      let table = try cyclo("web", "phones", socket: server.controlSocket)
      #expect(table.lines.count == 3)
      #expect(table.lines[1].contains("Phone") && table.lines[1].contains("2026-05-04 08:00"))
      #expect(table.lines[2].hasPrefix("3"))
      let none = try cyclo("web", "phones", socket: server.controlSocket)
      #expect(none.output.isEmpty && none.complaint.contains("cyclo web link"))
      #expect(try cyclo("web", "phones", "--json", socket: server.controlSocket).lines.count == 2)
    }
  }

  @Test("revoke needs one ID, or --all")
  func revoke() throws {
    let unknown = StandInDaemon.Step.error("no_such_phone", "there is no phone 9")
    let script: StandInDaemon.Script = [
      "revoke": [[.reply(#"{"revoked":1}"#)], [.reply(#"{"revoked":2}"#)], [unknown]]
    ]
    try with(script) { server in
      #expect(try cyclo("web", "revoke", "3", socket: server.controlSocket).output == "Revoked 1 screen.\n")
      #expect(try cyclo("web", "revoke", "--all", socket: server.controlSocket).output == "Revoked 2 screens.\n")
      let refused = try cyclo("web", "revoke", "9", socket: server.controlSocket)
      #expect(refused.status == 1 && refused.complaint.contains("there is no phone 9"))
      #expect(parameters(server, "revoke") == [#"{"id":3}"#, #"{"all":true}"#, #"{"id":9}"#])
      for words in [["revoke"], ["revoke", "x"], ["revoke", "1", "2"], ["revoke", "1", "--all"], ["phones", "1"]] {
        let wrong = try RunningCyclo(["web"] + words, socket: server.controlSocket).finish()
        #expect(wrong.status == 2, "\(words)")
      }
      #expect(parameters(server, "revoke").count == 3)
    }
  }

  @Test("status shows where the dashboard listens and what it is connected to")
  func status() throws {
    try with(["status": [[.reply(Self.status)]]]) { server in
      let outcome = try cyclo("web", "status", socket: server.controlSocket)
      #expect(outcome.output.contains("listens on   127.0.0.1:8080, [::1]:8080"))
      #expect(outcome.output.contains("recorder     no recorder answers"))
      #expect(outcome.output.contains("only this computer"))
      #expect(try cyclo("web", "status", "--json", socket: server.controlSocket).lines == [Self.status])
    }
  }

  @Test("without a dashboard it says how to start it, with exit status 1")
  func absent() throws {
    let outcome = try cyclo("web", "status", socket: "/nonexistent/control.sock")
    #expect(outcome.status == 1)
    #expect(outcome.complaint.contains("/nonexistent/web.sock") && outcome.complaint.contains("systemctl start"))
  }

  @Test("another server is not mistaken for the dashboard")
  func other() throws {
    let server = try StandInDaemon([:], socket: "web.sock")
    defer { server.stop() }
    #expect(try cyclo("web", "status", socket: server.controlSocket).complaint.contains("not the dashboard"))
  }
}

// MARK: QR codes

extension WebTests {
  /// The modules that a terminal shows, with `isInverted` for light characters on a dark ground.
  private func modules(_ lines: [String], isInverted: Bool) -> [String] {
    lines.flatMap { line in
      let signs = line.filter { "█▀▄ ".contains($0) }
      let halves = [signs.map { "█▀".contains($0) }, signs.map { "█▄".contains($0) }]
      return halves.map { $0.map { $0 != isInverted ? "1" : "0" }.joined() }
    }
  }

  private static let framed = ["00000000", "00000000"] + rows.map { "00\($0)00" } + ["00000000", "00000000"]

  @Test("a code has two rows in a line, and light modules around it", arguments: [true, false])
  func halfBlocks(_ isColoured: Bool) throws {
    let picture = try #require(QRPicture(Self.rows))
    let lines = try #require(picture.lines(Style(isColoured: isColoured), columns: 8))
    #expect(lines.count == 4 && modules(lines, isInverted: !isColoured) == Self.framed)
    #expect(lines.allSatisfy { $0.contains("\u{1B}[30;107m") == isColoured })
    #expect(picture.lines(Style(isColoured: isColoured), columns: 7) == nil)
  }

  @Test("without UTF-8, blanks on coloured ground are the modules")
  func blanks() throws {
    let picture = try #require(QRPicture(Self.rows))
    let lines = try #require(picture.lines(Style(isColoured: true, isUnicode: false), columns: 16))
    let shown = lines.map { line in
      line.components(separatedBy: "\u{1B}[").dropFirst().dropLast().map { $0.hasPrefix("40m  ") ? "1" : "0" }.joined()
    }
    #expect(shown == Self.framed)
    #expect(picture.lines(Style(isColoured: true, isUnicode: false), columns: 15) == nil)
    #expect(picture.lines(Style(isColoured: false, isUnicode: false), columns: 99) == nil)
  }

  @Test("rows that are not a square of modules are refused", arguments: [[], ["12", "00"], ["10", "1"]])
  func notCodes(_ rows: [String]) {
    #expect(QRPicture(rows) == nil)
  }

  @Test("an odd number of rows ends with half a line")
  func odd() throws {
    let picture = try #require(QRPicture(["101", "010", "111"]))
    let lines = try #require(picture.lines(Style(isColoured: false), columns: 80))
    #expect(lines.count == 4 && lines.last == "▀▀▀▀▀▀▀")
  }

  @Test("a terminal shows the code below the link")
  func terminal() throws {
    let server = try StandInDaemon(["link": [[.reply(Self.link)]]], socket: "web.sock", greetings: [Self.hello])
    defer { server.stop() }
    let screen = try Screen(["web", "link"], socket: server.controlSocket, environment: ["NO_COLOR": "1"])
    let shown = try screen.wait(forText: "type 1234 5678")
    #expect(shown.contains("████████\nhttp://192.168.1.20:8081/pair#c0de\n"))
  }
}
