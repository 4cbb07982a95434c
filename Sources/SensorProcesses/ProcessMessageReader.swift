// Reads the lines of a program. A line that is not a message is a fault, which ends the conversation.
// A number beyond the range of a double is JSON, so a record with one is refused without ending it.
// Reading an answer to a packet allocates nothing unless it has writes.

internal import DeclaredSensors
internal import JSON
internal import SensorKit
internal import Vocabulary

struct ProcessMessageReader {
  /// What the file allows; nil until the program has registered.
  private var program: ProcessProgram?
  private var records: RecordReader?
  private var json = JSONReader(hugeNumbers: .infinite)

  static let mostLogBytes = 200
  static let shortestTick = 100
  private static let mostBytesOfWrite = 64

  /// The members of messages, in the order of `Name`.
  private static let names: [Word] = [
    "class", "id", "plugin", "packet", "records", "refused", "at", "writes", "tick_ms", "command", "tick", "answers",
    "error", "text",
  ]

  private enum Name: Int {
    case className, id, plugin, packet, records, refused, at, writes, tickAfter, command, tick, answers, error, text
  }

  /// Where the values of a line's members begin; 0 for none. Of two with one name the last one counts.
  private struct Places {
    private var offsets = InlineArray<14, Int>(repeating: 0)

    subscript(_ name: Name) -> Int? {
      get { offsets[name.rawValue] == 0 ? nil : offsets[name.rawValue] }
      set { offsets[name.rawValue] = newValue ?? 0 }
    }
  }

  mutating func use(_ program: ProcessProgram) {
    self.program = program
    records = RecordReader(program)
  }

  /// Fills `batch`, which must be empty, with the records and writes of an answer.
  mutating func read(_ line: Span<UInt8>, into batch: inout Batch) throws(ProcessFault) -> ProcessMessage {
    do throws(JSONError) {
      try json.check(line)
    } catch {
      throw ProcessFault(.badJSON, "\(error)")
    }
    let places = try places(line)
    guard try string(places[.className], "class", line) else { throw ProcessFault(.badRequest, "a line has no class") }
    if ("done" as Word).isSpelled(json.scratch) { return .done(try done(places, line, into: &batch)) }
    if ("said" as Word).isSpelled(json.scratch) { return .said(try said(places, line, into: &batch)) }
    if ("log" as Word).isSpelled(json.scratch) { return .log(try log(places, line)) }
    guard ("register" as Word).isSpelled(json.scratch) else {
      throw ProcessFault(.badRequest, "the classes are register, done, said and log")
    }
    guard let id = try text(places[.id], "id", line), let version = try text(places[.plugin], "plugin", line) else {
      throw ProcessFault(.badRequest, "register has id and plugin")
    }
    return .register(id: id, version: version)
  }
}

// MARK: Messages

extension ProcessMessageReader {
  private mutating func done(
    _ places: Places, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(ProcessFault) -> ProcessMessage.Done {
    guard let packet = try whole(places[.packet], "packet", line) else {
      throw ProcessFault(.badRequest, "done has no packet")
    }
    var done = ProcessMessage.Done(packet: packet)
    if try string(places[.refused], "refused", line) {
      guard places[.records] == nil else { throw ProcessFault(.badRequest, "done has both refused and records") }
      guard let reason = DecodeError.Reason.allCases.first(where: { json.scratch.elementsEqual($0.rawValue.utf8) })
      else { throw ProcessFault(.badRequest, "refused has a word that is not a reason") }
      let offset = try whole(places[.at], "at", line) ?? 0
      guard offset < 512 else { throw ProcessFault(.badRequest, "at is a number from 0 to 511") }
      done.refusal = DecodeError(reason, at: offset)
    }
    done.tickAfter = try tickAfter(places, line)
    if try !readRecords(places[.records], answersOnly: false, line, into: &batch) {
      done.refusal = DecodeError(.outOfRange, at: 0)
      done.isOutsideOfFile = true
    }
    try addWrites(places[.writes], line, into: &batch, isChecked: done.isOutsideOfFile)
    return done
  }

  private mutating func said(
    _ places: Places, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(ProcessFault) -> ProcessMessage.Said {
    guard places[.records] == nil else { throw ProcessFault(.badRequest, "said has no records: only packets have") }
    let command = try whole(places[.command], "command", line)
    let tick = try whole(places[.tick], "tick", line)
    var said: ProcessMessage.Said
    switch (command, tick) {
    case (let command?, nil): said = .init(subject: .command(command))
    case (nil, let tick?): said = .init(subject: .tick(tick))
    default: throw ProcessFault(.badRequest, "said has either command or tick")
    }
    said.error = try text(places[.error], "error", line)
    said.tickAfter = try tickAfter(places, line)
    said.isOutsideOfFile = try !readRecords(places[.answers], answersOnly: true, line, into: &batch)
    try addWrites(places[.writes], line, into: &batch, isChecked: said.isOutsideOfFile)
    return said
  }

  private mutating func log(_ places: Places, _ line: Span<UInt8>) throws(ProcessFault) -> String {
    guard let text = try text(places[.text], "text", line), text.utf8.count <= Self.mostLogBytes else {
      throw ProcessFault(.badRequest, "log has a text of at most \(Self.mostLogBytes) bytes")
    }
    return text
  }

  private mutating func readRecords(
    _ place: Int?, answersOnly: Bool, _ line: Span<UInt8>, into batch: inout Batch
  ) throws(ProcessFault) -> Bool {
    guard let place else { return true }
    // Nothing was asked of a program that has not registered.
    guard records != nil else { return false }
    do throws(JSONError) {
      if try records?.read(at: place, answersOnly: answersOnly, line, into: &batch) == true { return true }
    } catch {
      throw ProcessFault(.badJSON, "\(error)")
    }
    batch.removeAll()
    return false
  }

  private mutating func tickAfter(_ places: Places, _ line: Span<UInt8>) throws(ProcessFault) -> Duration? {
    guard let milliseconds = try whole(places[.tickAfter], "tick_ms", line) else { return nil }
    guard Self.shortestTick...86_400_000 ~= milliseconds else {
      throw ProcessFault(.badRequest, "tick_ms is a number from \(Self.shortestTick) to 86400000")
    }
    return .milliseconds(Int64(milliseconds))
  }
}

// MARK: Members

extension ProcessMessageReader {
  private mutating func places(_ line: Span<UInt8>) throws(ProcessFault) -> Places {
    var places = Places()
    json.restart()
    guard (try? json.kind(line)) == .object else { throw ProcessFault(.badRequest, "a line is an object") }
    do throws(JSONError) {
      try json.enter(line)
      while try json.nextMember(line) {
        if let index = Self.names.firstIndex(where: { $0.isSpelled(json.scratch) }), let name = Name(rawValue: index) {
          places[name] = json.offset
        }
        try json.skipValue(line)
      }
    } catch {
      throw ProcessFault(.badJSON, "\(error)")
    }
    return places
  }

  private mutating func go(
    to place: Int, _ kind: JSONReader.Kind, _ name: String, _ line: Span<UInt8>
  ) throws(ProcessFault) {
    json.restart(at: place)
    guard (try? json.kind(line)) == kind else { throw ProcessFault(.badRequest, "\(name) has the wrong type") }
  }

  /// Puts a string into the scratch of the reader; false if there is none.
  private mutating func string(
    _ place: Int?, _ name: String, _ line: Span<UInt8>
  ) throws(ProcessFault) -> Bool {
    guard let place else { return false }
    try go(to: place, .string, name, line)
    return (try? json.readString(line)) != nil
  }

  private mutating func text(_ place: Int?, _ name: String, _ line: Span<UInt8>) throws(ProcessFault) -> String? {
    try string(place, name, line) ? String(decoding: json.scratch, as: UTF8.self) : nil
  }

  private mutating func whole(_ place: Int?, _ name: String, _ line: Span<UInt8>) throws(ProcessFault) -> Int? {
    guard let place else { return nil }
    try go(to: place, .number, name, line)
    guard let number = try? json.readNumber(line), let whole = Int(exactly: number), whole >= 0 else {
      throw ProcessFault(.badRequest, "\(name) is a whole number")
    }
    return whole
  }
}

// MARK: Writes

extension ProcessMessageReader {
  /// Adds the writes to the batch. `isChecked`: only checks them, because nothing of the answer is done.
  private mutating func addWrites(
    _ place: Int?, _ line: Span<UInt8>, into batch: inout Batch, isChecked: Bool
  ) throws(ProcessFault) {
    guard let place, let program else { return }
    try go(to: place, .array, "writes", line)
    let writes: JSONValue
    do throws(JSONError) {
      try json.skipValue(line)
      writes = try JSONReader.document(line.extracting(place..<json.offset), hugeNumbers: .infinite)
    } catch {
      throw ProcessFault(.badJSON, "\(error)")
    }
    for write in writes.items ?? [] {
      guard let service = write["service"]?.text.flatMap({ BluetoothUUID($0) }),
        let characteristic = write["characteristic"]?.text.flatMap({ BluetoothUUID($0) }),
        let bytes = write["hex"]?.text.flatMap(Self.bytes)
      else { throw ProcessFault(.badRequest, "a write has service, characteristic and hex") }
      guard program.writableServices.contains(service) else {
        throw ProcessFault(.denied, "the file does not allow writes to the service \(service)")
      }
      if !isChecked { batch.write(bytes.span, to: service, characteristic) }
    }
    if batch.overflowed { throw ProcessFault(.badRequest, "an answer has too many writes") }
  }

  /// 1 to 64 pairs of hex digits.
  private static func bytes(_ text: String) -> [UInt8]? {
    guard 2...2 * mostBytesOfWrite ~= text.utf8.count else { return nil }
    return JSON.bytes(ofHex: text)
  }
}
