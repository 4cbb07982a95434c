// `web`: lets screens use the dashboard, and lists and revokes them.

import CommandTable
import CycloCommands
import JSON
import Linux
import Text
import Time
import Troubleshooting
import Wire

func web(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first.flatMap(WebAction.init) else { return }
  let words = Array(session.invocation.words.dropFirst())
  let revokesAll = session.invocation.has(.allPhones)
  if action == .revoke, words.isEmpty, !revokesAll { throw Failure(usage: .web, "'revoke' needs an ID, or --all") }
  if let extra = action == .revoke && !revokesAll ? words.dropFirst().first : words.first {
    throw Failure(usage: .web, "'\(extra)' is an unexpected argument")
  }
  switch action {
  case .link: try WebActions(WebSession(session)).link()
  case .phones: try WebActions(WebSession(session)).phones()
  case .revoke:
    if revokesAll { return try WebActions(WebSession(session)).revoke([JSONValue.Member("all", true)]) }
    guard let id = Int(words[0]), id > 0 else { throw Failure(usage: .web, "'\(words[0])' is not the ID of a phone") }
    try WebActions(WebSession(session)).revoke([JSONValue.Member("id", .number(Double(id)))])
  case .status: try WebActions(WebSession(session)).status()
  }
}

private struct WebActions {
  private let web: WebSession
  private var session: Session { web.session }
  private var output: Output { session.output }

  init(_ web: WebSession) { self.web = web }

  private func text(_ json: JSONValue?) -> String { printable(json?.text ?? "") }

  // MARK: Letting a screen in

  func link() throws(Failure) {
    var parameters: [JSONValue.Member] = []
    if let right = session.invocation.text(.right) { parameters.append(JSONValue.Member("right", .string(right))) }
    if let name = session.invocation.text(.screenName) { parameters.append(JSONValue.Member("name", .string(name))) }
    let link = try web.ask("link", parameters)
    guard let url = link["url"]?.text else { throw Failure(.failed, "the dashboard's answer has no link") }
    if let path = session.invocation.text(.page) { return try write(page: path, url) }
    if session.isJSON { return output.line(link.encoded) }
    show(link, url)
  }

  /// The code comes first, so that a terminal of 24 lines still shows all that follows.
  private func show(_ link: JSONValue, _ url: String) {
    let isLocal = link["local"]?.bool == true
    if !isLocal { showCode(link) }
    output.line(output.style.paint(printable(url), .strong))
    let time = spanText(Double(link["valid_s"]?.integer ?? 120))
    output.line("Open it within \(time). It works once, and gives the right \(text(link["right"])).")
    if let digits = link["digits"]?.text, digits.utf8.count == 8 {
      let host = printable(String(url.prefix { $0 != "#" }))
      output.line("Or open \(host) and type \(digits.prefix(4)) \(digits.suffix(4)).")
    }
    if isLocal {
      output.note("It only works on this computer. To let phones reach the dashboard:")
      output.note("  \(DashboardSymptom.openNetwork)")
    }
  }

  private func showCode(_ link: JSONValue) {
    guard output.canDraw, let columns = output.columns, let code = link["modules"]?.texts.flatMap(QRPicture.init) else {
      return
    }
    guard let lines = code.lines(output.style, columns: columns) else {
      return output.note("This terminal cannot show the QR code.")
    }
    for line in lines { output.line(line) }
  }

  /// It has no script, because a page of a file gets none.
  private func write(page path: String, _ url: String) throws(Failure) {
    let target = Markup.escaped(url)
    let page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <meta http-equiv="refresh" content="0; url=\(target)">
      <title>Cyclometer</title>
      </head>
      <body><a href="\(target)">Cyclometer</a></body>
      </html>

      """
    do throws(SystemError) {
      try Files.replace(path, with: Array(page.utf8), mode: 0o600)
    } catch {
      throw Failure(.failed, "cannot write \(path): \(error.reason)")
    }
  }

  // MARK: Who was let in

  func phones() throws(Failure) {
    let reply = try web.ask("phones")
    let phones = reply["phones"]?.items ?? []
    if session.isJSON {
      for phone in phones { output.line(phone.encoded) }
      return
    }
    if phones.isEmpty { return output.note("No screen was let in. 'cyclo web link' makes a link for one.") }
    var table = Table(
      heading: ["ID", "NAME", "RIGHT", "LET IN", "LAST USED"], dispensable: ["LET IN"], isShortened: true)
    for phone in phones {
      table.rows.append([
        Cell(phone["id"]?.integer.map(String.init) ?? "", .strong), Cell(phone["name"]?.text ?? ""),
        Cell(phone["right"]?.text ?? ""), Cell(date(phone["created"])), Cell(date(phone["last_used"])),
      ])
    }
    output.table(table)
  }

  /// `2026-05-03 09:30`, local time
  private func date(_ json: JSONValue?) -> String {
    json?.text.flatMap(WallTime.init)?.localMinuteText ?? ""
  }

  func revoke(_ parameters: [JSONValue.Member]) throws(Failure) {
    let reply = try web.ask("revoke", parameters)
    if session.isJSON { return output.line(reply.encoded) }
    output.line("Revoked \(counted(reply["revoked"]?.integer ?? 1, "screen")).")
  }

  // MARK: The server

  func status() throws(Failure) {
    let status = try web.ask("status")
    if session.isJSON { return output.line(status.encoded) }
    let isInNetwork = status["lan"]?.bool == true
    var rows = [
      ("release", printable(web.release)),
      ("listens on", listed(status["listening"]?.texts ?? [])),
      ("network", isInNetwork ? "phones can reach it" : "only this computer can reach it"),
      ("daemon", text(status["daemon"])), ("recorder", text(status["recorder"])),
    ]
    for (label, member) in [("screens", "phones"), ("open pages", "readers"), ("connections", "connections")] {
      if let number = status[member]?.integer { rows.append((label, String(number))) }
    }
    for (label, value) in rows where !value.isEmpty {
      output.line(output.style.paint(label.padded(to: 13), .faint) + value)
    }
  }
}
