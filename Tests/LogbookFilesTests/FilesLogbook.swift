// A logbook in a folder of its own, with imports and exports that run to their end.

import ActivityFiles
import ActivityVectors
import JSON
import Linux
import Logbook
import LogbookFiles
import LogbookWire
import SQLite
import TestSupport
import Time
import Wire

final class FilesLogbook {
  let folder: TemporaryFolder
  let file: LogbookFile
  let routes = RouteList()
  private var uploads = 0

  var database: Database { file.database }

  init() throws {
    folder = try TemporaryFolder()
    file = try LogbookFile(folder.file("logbook.db"))
  }

  /// Returns the path of an upload with these bytes.
  func upload(_ bytes: [UInt8]) throws -> String {
    uploads += 1
    let path = folder.file("upload-\(uploads)")
    try Files.replace(path, with: bytes, mode: 0o600)
    return path
  }

  @discardableResult
  func `import`(_ bytes: [UInt8], as target: ImportTarget? = nil) throws -> PutReply {
    let work = try begin(bytes, as: target)
    while try work.step() {}
    return work.reply
  }

  func begin(_ bytes: [UInt8], as target: ImportTarget? = nil) throws -> ImportWork {
    try ImportWork(
      path: try upload(bytes), name: "ride.fit", target: target, in: database, now: WallTime(seconds: 1_777_777_777),
      routes: routes)
  }

  struct Export: Equatable {
    var name = ""
    var leftOut: [String] = []
    var bytes: [UInt8] = []
  }

  func export(
    _ id: Int64, _ format: ExportFormat, start: WallTime? = nil, inPieces size: Int = 45_000
  ) throws -> Export {
    let work = try ExportWork(id, format: format, start: start, in: database)
    while try work.step() {}
    var export = Export(name: work.name, leftOut: work.leftOut)
    while let piece = try work.next(atMost: size) { export.bytes += piece }
    return export
  }

  /// How many rows the tables have that an import can fill.
  func rowCount() throws -> Int64 {
    try ["activity", "stream", "second", "lap", "event", "route"].reduce(0) { sum, table in
      sum + (try database.integer("SELECT count(*) FROM \(table)") ?? 0)
    }
  }

  func row(_ id: Int64) throws -> StoredActivity? { try ActivityTable(database).find(id) }

  func change(_ id: Int64, _ body: (inout StoredActivity) -> Void) throws {
    let table = try ActivityTable(database)
    guard var row = try table.find(id) else { return }
    body(&row)
    try table.replace(row)
  }
}

/// Keeps routes in memory.
final class RouteList: RouteReceiver {
  private(set) var routes: [ImportedRoute] = []

  func add(_ route: ImportedRoute) throws(Refusal) -> AddedRoute {
    if let known = routes.firstIndex(where: { $0.hash == route.hash }) { return .duplicate(known + 1) }
    routes.append(route)
    return .added(routes.count)
  }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}
