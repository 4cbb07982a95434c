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
  private let paired: [SensorRecord]
  private var finds = ScanResults()
  private var commands: PluginCommands
  private var showsAll = false
  /// The row that was chosen in vain.
  private var refused: Int?

  /// The daemon's longest scan is an hour; then a new one starts.
  private static let seconds = 600.0

  init(_ session: Session, _ connection: Connection, _ conversation: Conversation) throws(Failure) {
    self.session = session
    self.connection = connection
    self.conversation = conversation
    paired = try session.sensors(connection)
    commands = PluginCommands(session)
  }

  mutating func pick() throws(Failure) -> FoundRecord {
    try begin()
    guard conversation.means == .keys else { return try end(with: pickByNumber()) }
    let (conversation, connection) = (conversation, connection)
    let index = try conversation.choose(from: &self, connection)
    return try end(with: finds.all[index])
  }

  private func begin() throws(Failure) {
    try beginScan(session, connection, seconds: Self.seconds, all: showsAll)
  }

  /// Ends the scan before pairing and skips its remaining records.
  private func end(with found: FoundRecord) throws(Failure) -> FoundRecord {
    try session.ask(connection, .cancel)
    return found
  }

  /// What is new about a device.
  private mutating func find(in record: ReceivedRecord) throws(Failure) -> FoundRecord? {
    switch record.message {
    case .error: throw Failure(record.refusal)
    case .scanEnded: try begin()
    case .found(let found):
      commands.learn(found)
      return finds.take(found) ? found : nil
    default: break
    }
    return nil
  }

  private mutating func showAll() throws(Failure) {
    showsAll = true
    try session.ask(connection, .cancel)
    // The record at the end of that scan, still to be read, starts the next one.
  }
}

// MARK: As a redrawn list

extension Picker: Menu {
  var question: String { "Which sensor do you want to pair?" }
  var count: Int { finds.all.count }
  var whileEmpty: String { "Looking for sensors. " + howToWake }
  var otherKeys: String { showsAll ? "" : "; a shows all devices" }

  func row(_ index: Int, columns: Int) -> Line {
    finds.all[index].row(nameWidth: finds.nameWidth, columns: columns, session.style)
  }

  /// Why it cannot be chosen, or details that do not fit its row.
  func remark(on index: Int, columns: Int) -> (text: String, colour: Style.Colour)? {
    guard finds.all.indices.contains(index) else { return ("", .faint) }
    if refused == index, let hint = hint(on: index) { return (hint, .warning) }
    let found = finds.all[index]
    let commands = found.commands(commands)
    let parts = columns < 60 ? [found.abilities, commands] : [commands]
    return (printable(found.address) + parts.filter { !$0.isEmpty }.map { "; " + $0 }.joined(), .faint)
  }

  mutating func press(_ key: Character) throws(Failure) {
    if key == "a" { try showAll() }
  }

  /// Not a sensor that is already paired and has no error.
  mutating func accepts(_ index: Int) -> Bool {
    refused = hint(on: index) == nil ? nil : index
    return refused == nil
  }

  private func hint(on index: Int) -> String? {
    let found = finds.all[index]
    guard let sensor = paired.first(where: { $0.address == found.address }), sensor.state?.known != .error else {
      return nil
    }
    return "Already paired: cyclo show \(sensor.id)"
  }

  mutating func take(_ record: ReceivedRecord, _ choice: inout Choice) throws(Failure) {
    _ = try find(in: record)
    choice.grow(to: count)
    choice.suggest(finds.all.firstIndex { !$0.isPaired })
  }
}

// MARK: As lines

extension Picker {
  private mutating func pickByNumber() throws(Failure) -> FoundRecord {
    session.output.note("Looking for sensors. \(howToWake)")
    session.output.note("Type the number of the sensor to pair; a shows all devices, q quits.")
    while true {
      switch try conversation.next(connection, until: .now + Conversation.tick) {
      case .record(let record): if let found = try find(in: record) { showAsLine(found) }
      case .line(let text): if let found = try type(text) { return found }
      case .ended: throw Failure.left
      case .keys, .time: break
      }
    }
  }

  private func showAsLine(_ found: FoundRecord) {
    guard let index = finds.all.firstIndex(where: { $0.address == found.address }) else { return }
    let row = found.row(nameWidth: max(16, found.shownName.columns), columns: 80, session.style)
    session.output.note("\(String(index + 1).leading(2))  \(row.text(style: session.style))")
  }

  private mutating func type(_ text: String) throws(Failure) -> FoundRecord? {
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
      guard let hint = hint(on: number - 1) else { return finds.all[number - 1] }
      session.output.note("  \(hint)")
      return nil
    }
  }
}
