// `map`: adds, lists and removes the maps of the dashboard.

import CommandTable
import CycloCommands
import JSON
import Linux
import LogbookWire

func map(_ session: Session) throws(Failure) {
  guard let action = session.invocation.words.first.flatMap(MapAction.init) else { return }
  let word = session.invocation.words.dropFirst().first
  switch (action, word) {
  case (.list, nil): try MapActions(session).list()
  case (.list, let word?): throw Failure(usage: .map, "'\(word)' is an unexpected argument")
  case (.add, let path?): try MapActions(session).add(MapFile(path))
  case (.remove, let name?): try MapActions(session).remove(name)
  case (.add, nil): throw Failure(usage: .map, "'add' needs a FILE")
  case (.remove, nil): throw Failure(usage: .map, "'remove' needs the NAME of a map")
  }
}

/// A file to be sent.
private struct MapFile {
  let path: String
  let name: String
  let size: Int

  private static let longestName = 32
  /// How every SQLite database begins.
  private static let start = Array("SQLite format 3\0".utf8)

  /// Checks what can be checked before anything is sent.
  init(_ path: String) throws(Failure) {
    self.path = path
    guard let size = Files.size(of: path), !Files.isDirectory(path) else {
      throw Failure(.failed, "cannot read \(path): there is no such file")
    }
    self.size = Int(size)
    name = Self.name(of: path)
    guard !name.isEmpty else {
      throw Failure(.failed, "\(path) has no name for a map", advice: ["Rename it, such as alps.mbtiles"])
    }
    var isDatabase = false
    try read(pieces: Self.start.count) { (piece) throws(Failure) in
      isDatabase = piece.elementsEqual(Self.start)
      return false
    }
    guard isDatabase else { throw Failure(.failed, "\(path) is not an MBTiles file") }
  }

  /// `/home/me/Alps 2026.mbtiles` -> `alps-2026`
  private static func name(of path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    let base = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    let words = base.lowercased().split { !("a"..."z" ~= $0 || "0"..."9" ~= $0) }
    return String(words.joined(separator: "-").prefix(longestName))
  }

  /// Until `use` returns false or the file ends.
  func read(pieces length: Int, _ use: (ArraySlice<UInt8>) throws(Failure) -> Bool) throws(Failure) {
    var piece = [UInt8](repeating: 0, count: length)
    let file: FileDescriptor
    do throws(SystemError) {
      file = try Files.openForReading(path)
    } catch {
      throw Failure(.failed, "cannot read \(path): \(error.reason)")
    }
    while true {
      let count: Int
      do throws(SystemError) {
        guard case .done(let some) = try file.read(into: &piece) else { return }
        count = some
      } catch {
        throw Failure(.failed, "cannot read \(path): \(error.reason)")
      }
      if count == 0 { return }
      guard try use(piece[..<count]) else { return }
    }
  }
}

private struct MapActions {
  private let web: WebSession
  private var session: Session { web.session }
  private var output: Output { session.output }

  init(_ session: Session) throws(Failure) { web = try WebSession(session) }

  func add(_ file: MapFile) throws(Failure) {
    _ = try web.ask(
      "map_add", [JSONValue.Member("name", .string(file.name)), JSONValue.Member("bytes", .number(Double(file.size)))])
    defer { output.eraseProgress() }
    var sent = 0
    var added: JSONValue?
    try file.read(pieces: Piece.mostBytes) { (piece) throws(Failure) in
      let text = String(decoding: Base64.encode(piece), as: UTF8.self)
      let reply = try web.ask(
        "map_put", [JSONValue.Member("offset", .number(Double(sent))), JSONValue.Member("base64", .string(text))])
      sent += piece.count
      added = reply["map"]
      output.progress("\(file.name): \(Self.size(sent)) of \(Self.size(file.size))")
      return added == nil
    }
    output.eraseProgress()
    guard let added else { throw Failure(.failed, "\(file.path) became shorter while it was read") }
    if session.isJSON { return output.line(added.encoded) }
    output.line("Added the map \(file.name): zoom levels \(zooms(added)), \(Self.size(file.size)).")
    if added["attribution"] == nil {
      output.note("The file does not name its source. A map from OpenStreetMap data has to.")
    }
  }

  func list() throws(Failure) {
    let maps = try web.ask("maps")["maps"]?.items ?? []
    if session.isJSON {
      for map in maps { output.line(map.encoded) }
      return
    }
    if maps.isEmpty { return output.note("There are no maps. 'cyclo map add FILE' adds one.") }
    var table = Table(
      heading: ["NAME", "ZOOM", "SIZE", "FORMAT", "SOURCE"], dispensable: ["SOURCE", "FORMAT"], isShortened: true)
    for map in maps {
      table.rows.append([
        Cell(map["name"]?.text ?? "", .strong), Cell(zooms(map)), Cell(Self.size(map["bytes"]?.integer ?? 0)),
        Cell(map["format"]?.text ?? ""), Cell(map["attribution"]?.text ?? ""),
      ])
    }
    output.table(table)
  }

  func remove(_ name: String) throws(Failure) {
    let reply = try web.ask("map_remove", [JSONValue.Member("name", .string(name))])
    output.line(session.isJSON ? reply.encoded : "Removed the map \(printable(name)).")
  }

  private func zooms(_ map: JSONValue) -> String {
    "\(map["min_zoom"]?.integer ?? 0) to \(map["max_zoom"]?.integer ?? 0)"
  }

  private static func size(_ bytes: Int) -> String { "\(Quantity.decimal(Double(bytes) / 1e6, places: 1)) MB" }
}
