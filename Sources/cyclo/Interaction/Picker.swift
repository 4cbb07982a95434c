// Chooses a sensor to pair: a scan continues while the list grows and the cursor moves.

import CyclometerClient
import Linux
import Text
import Time
import Wire

struct Picker {
  let session: Session
  let connection: Connection
  let conversation: Conversation
  /// Paired sensors are shown but cannot be chosen, except those in the state `error`.
  private let paired: [Sensor]
  private var finds = ScanResults()
  private var choice = Choice()
  private var showsAll = false
  private var hint = ""

  /// The daemon's longest scan is an hour; then a new one starts.
  private static let seconds = 600.0

  init(_ session: Session, _ connection: Connection, _ conversation: Conversation) throws(Failure) {
    self.session = session
    self.connection = connection
    self.conversation = conversation
    paired = try session.sensors(connection)
  }

  mutating func pick() throws(Failure) -> FoundRecord {
    try begin()
    let overlay = conversation.means == .keys ? Overlay(session.output) : nil
    if overlay != nil { conversation.read(keys: true) }
    defer {
      overlay?.erase()
      conversation.read(keys: false)
    }
    if overlay == nil { explain() }
    while true {
      overlay?.draw(lines(overlay?.size))
      switch try conversation.next(connection, until: .now + Conversation.tick) {
      case .record(let record): try take(record)
      case .keys(let keys):
        for key in keys { if let found = try press(key) { return try end(with: found) } }
      case .line(let text): if let found = try type(text) { return try end(with: found) }
      case .ended: throw Failure.left
      case .time: break
      }
    }
  }

  private func begin() throws(Failure) {
    try beginScan(session, connection, seconds: Self.seconds, all: showsAll)
  }

  /// Ends the scan before pairing and skips its remaining records.
  private func end(with found: FoundRecord) throws(Failure) -> FoundRecord {
    try session.ask(connection, "cancel")
    return found
  }

  private mutating func take(_ record: ReceivedRecord) throws(Failure) {
    switch record.recordClass {
    case "error": throw Failure(record.refusal)
    case "scan_ended": try begin()
    case "found":
      guard let found = FoundRecord(record.content) else { return }
      let isNews = finds.take(found)
      choice.grow(to: finds.all.count)
      choice.suggest(finds.all.firstIndex { !$0.isPaired })
      if isNews, conversation.means == .lines { showAsLine(found) }
    default: break
    }
  }

  private mutating func press(_ key: Key) throws(Failure) -> FoundRecord? {
    hint = ""
    switch choice.press(key) {
    case .chosen(let index): return accept(finds.all[index])
    case .left: throw Failure.left
    case .other("a"):
      try showAll()
      return nil
    case .none, .other: return nil
    }
  }

  private mutating func showAll() throws(Failure) {
    showsAll = true
    try session.ask(connection, "cancel")
    // The record at the end of that scan, still to be read, starts the next one.
  }

  /// Nil, with a hint, for a sensor that is already paired and has no error.
  private mutating func accept(_ found: FoundRecord) -> FoundRecord? {
    guard let sensor = paired.first(where: { $0.address == found.address }), sensor.state != "error" else {
      return found
    }
    hint = "Already paired: cyclo show \(sensor.id)"
    return nil
  }
}

// MARK: As a redrawn list

extension Picker {
  private func lines(_ size: Terminal.Size?) -> [Line] {
    guard let size else { return [] }
    var lines = [Line("Which sensor do you want to pair?", .strong)]
    if finds.all.isEmpty {
      lines += ("Looking for sensors. " + howToWake).wrapped(to: size.columns - 1).map { Line($0) }
    }
    // Rows for the question, the hint or details and the keys (each up to two lines), and the
    // cursor.
    for index in choice.window(rows: size.rows - 6) {
      var line = choice.lead(index)
      line.append(finds.all[index].row(nameWidth: finds.nameWidth, columns: size.columns - line.width, session.style))
      lines.append(line)
    }
    let below = hint.isEmpty ? details(columns: size.columns) : hint
    for text in below.wrapped(to: size.columns - 5).prefix(2) where !text.isEmpty {
      lines.append(Line("    " + text, hint.isEmpty ? .faint : .warning))
    }
    let all = showsAll ? "" : "; a shows all devices"
    return lines + keys("\(Glyphs.upAndDown) or a number, then Enter; q quits\(all)", columns: size.columns)
  }
}

extension Picker {
  /// Details of the selected sensor that do not fit its row.
  private func details(columns: Int) -> String {
    guard finds.all.indices.contains(choice.selected) else { return "" }
    let found = finds.all[choice.selected]
    let commands = found.commands(session.plugins)
    let parts = columns < 60 ? [found.abilities, commands] : [commands]
    return printable(found.address) + parts.filter { !$0.isEmpty }.map { "; " + $0 }.joined()
  }
}

// MARK: As lines

extension Picker {
  private func explain() {
    session.output.note("Looking for sensors. \(howToWake)")
    session.output.note("Type the number of the sensor to pair; a shows all devices, q quits.")
  }

  private func showAsLine(_ found: FoundRecord) {
    guard let index = finds.all.firstIndex(where: { $0.address == found.address }) else { return }
    let row = found.row(nameWidth: max(16, found.shownName.columns), columns: 80, session.style)
    session.output.note("\(index + 1 < 10 ? " " : "")\(index + 1)  \(row.text(style: session.style))")
  }

  private mutating func type(_ text: String) throws(Failure) -> FoundRecord? {
    hint = ""
    switch text {
    case "": return nil
    case "q": throw Failure.left
    case "a":
      try showAll()
      return nil
    default:
      guard let number = Int(text), finds.all.indices.contains(number - 1) else {
        session.output.note("  enter a number from 1 to \(finds.all.count)")
        return nil
      }
      let found = accept(finds.all[number - 1])
      if !hint.isEmpty { session.output.note("  \(hint)") }
      return found
    }
  }
}
