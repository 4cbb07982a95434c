// `plugin list` and `plugin show`: the plugins of the daemon, and the sensor files that it left out.

import CyclometerClient
import Text
import Vocabulary
import Wire

struct PluginList {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func list() throws(Failure) {
    let reply = try session.ask(try session.connect(for: .read), .plugins())
    if session.isJSON { return session.output.line(reply.json.encoded) }
    let heading = ["PLUGIN", "TITLE", "KINDS", "FROM", "PROGRAM OF"]
    var table = Table(heading: heading, dispensable: ["TITLE"], isShortened: true)
    for plugin in reply.content.plugins {
      table.rows.append([
        Cell(plugin.id, .strong), Cell(plugin.title), Cell(listed(plugin.kinds)), Cell(plugin.file ?? "built in"),
        Cell(plugin.programUser ?? ""),
      ])
    }
    session.output.table(table)
    for line in omissionLines(reply.content.omitted, session.style) { session.output.line(line) }
    let more = reply.content.moreOmitted
    guard more > 0 else { return }
    session.output.line("\n\(counted(more, "more file")) left out. The log of the daemon has the reasons")
  }

  /// What was left out, with an empty line before it.
  private func omissionLines(_ omitted: [OmittedFileRecord], _ style: Style) -> [String] {
    omitted.flatMap { file in
      let path = printable(file.file)
      if file.isSwitchedOff { return ["", "\(path) is empty, which switches off the file of the same name"] }
      let heading = style.paint("\(path) was left out:", .bad)
      let more = file.more > 0 ? ["  and \(counted(file.more, "more problem"))"] : []
      return ["", heading] + file.problems.map { "  \(path):\($0.line): \(printable($0.text))" } + more
    }
  }

  func show(_ id: String) throws(Failure) {
    let connection = try session.connect(for: .read)
    let reply = try session.ask(connection, .plugins(id: id))
    guard let plugin = reply.content.plugins.first else {
      throw Failure(.failed, "no plugin is called '\(printable(id))'", advice: ["'cyclo plugin list' lists them"])
    }
    if session.isJSON { return session.output.record(plugin) }
    let text = PluginText(plugin)
    let sections = [text.identity, text.recognized, text.data, text.commands, text.writes]
    for line in SectionText(columns: session.output.columns, style: session.style).lines(plugin.id, sections) {
      session.output.line(line)
    }
  }
}

/// A plugin as sections of names and values.
private struct PluginText {
  private let plugin: PluginRecord

  init(_ plugin: PluginRecord) { self.plugin = plugin }

  var identity: SectionText.Section {
    SectionText.Section(
      heading: "",
      rows: [
        ("title", printable(plugin.title)), ("from", printable(plugin.file ?? "built in")),
        ("version", printable(plugin.version ?? "")), ("author", printable(plugin.author ?? "")),
        ("source", printable(plugin.source ?? "")), ("replaces", printable(plugin.replaces ?? "")),
        ("program", plugin.programUser.map(SensorFileText.decoder) ?? ""),
      ])
  }

  var recognized: SectionText.Section {
    let announced = plugin.announced.map { "\($0.service) of devices called \($0.name)…" }
    return SectionText.Section(
      heading: "Recognizes",
      rows: [
        ("services", listed(plugin.services)), ("announced", listed(announced)),
        ("adverts", listed(plugin.adverts.map(\.words))),
      ])
  }

  var data: SectionText.Section {
    func characteristics(_ use: CharacteristicRecord.Use) -> String {
      listed(
        plugin.characteristics.filter { $0.uses.contains(WireWord(use)) }.map { "\($0.service) \($0.characteristic)" })
    }
    return SectionText.Section(
      heading: "Data",
      rows: [
        ("subscribes", characteristics(.subscribe)), ("reads", characteristics(.read)),
        ("writes", plugin.writes.isEmpty ? characteristics(.write) : ""), ("kinds", listed(plugin.kinds)),
        ("events", listed(plugin.events)), ("facts", listed(plugin.facts)), ("answers with", listed(plugin.answers)),
        ("silent for", plugin.staleAfterMS.map { "at most \(spanText(Double($0) / 1000))" } ?? "any time"),
      ])
  }

  var commands: SectionText.Section {
    SectionText.Section(
      heading: "Commands",
      rows: plugin.commands.map { command in
        let parameters = command.parameters.map { "\($0.name): \($0.meaning)" }
        return (command.name, printable(([command.summary] + parameters).joined(separator: "; ")))
      })
  }

  /// What a file and its program can write. No file states the bytes of a built-in plugin.
  var writes: SectionText.Section {
    let own = plugin.writes.map { WriteText($0) }
    let ofProgram = plugin.programWrites.map { WriteText(byProgramTo: $0) }
    var rows = (own + ofProgram).map { (name: $0.occasion, value: $0.content) }
    if plugin.moreWrites > 0 {
      let file = printable(plugin.file ?? "FILE")
      rows.append(("and", "\(counted(plugin.moreWrites, "more write")), which 'cyclo plugin check \(file)' lists"))
    }
    return SectionText.Section(heading: "Writes", rows: rows)
  }
}

extension AdvertPatternRecord {
  fileprivate var words: String {
    let carrier =
      company.map { "company \(companyText($0))" } ?? serviceData.map { "data of service \($0)" }
      ?? "data of any company"
    let conditions = [name.map { "called \($0)" }, service.map { "with service \($0)" }].compactMap(\.self)
    return ([carrier] + conditions).joined(separator: " ")
  }
}
