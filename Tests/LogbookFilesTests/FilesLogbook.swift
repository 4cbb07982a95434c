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

  func begin(_ bytes: [UInt8], as target: ImportTarget? = nil, named name: String = "ride.fit") throws -> ImportWork {
    try ImportWork(
      path: try upload(bytes), name: name, target: target, in: database, now: WallTime(seconds: 1_777_777_777))
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

  var editor: ActivityEditor {
    get throws { try ActivityEditor(ActivityCatalogue(database)) }
  }

  func crop(_ id: Int64, from: Double? = nil, to: Double? = nil) throws {
    var request = CropRequest()
    (request.id, request.fromS, request.toS) = (Int(id), from, to)
    try compute(try editor.crop(request))
  }

  /// Returns the id of the second part.
  func split(_ id: Int64, at second: Double) throws -> Int64 {
    var request = SplitRequest()
    (request.id, request.atS) = (Int(id), second)
    let edit = try editor.split(request)
    try compute(edit)
    return edit.added[0]
  }

  func join(_ ids: Int64...) throws { try compute(try editor.join(JoinRequest(ids: ids.map { Int($0) }))) }

  func revert(_ id: Int64) throws { try compute(try editor.revert(RevertRequest(id: Int(id)))) }

  private func compute(_ edit: ActivityEdit) throws {
    for id in edit.changed {
      let work = try TotalsWork(id, in: database)
      while try work.step() {}
    }
  }

  /// How many rows the tables have that an import can fill.
  func rowCount() throws -> Int64 {
    try ["activity", "stream", "second", "lap", "event", "route", "route_point", "cue"].reduce(0) { sum, table in
      sum + (try database.integer("SELECT count(*) FROM \(table)") ?? 0)
    }
  }

  func export(route id: Int, _ format: RouteFormat = .json, inPieces size: Int = 45_000) throws -> [UInt8] {
    let book = try RouteBook(database)
    let work = try RouteExport(try book.find(id), as: format, book.table)
    while try work.step() {}
    var bytes: [UInt8] = []
    while let piece = try work.next(atMost: size) { bytes += piece }
    return bytes
  }

  func row(_ id: Int64) throws -> StoredActivity? { try ActivityTable(database).find(id) }

  func change(_ id: Int64, _ body: (inout StoredActivity) -> Void) throws {
    let table = try ActivityTable(database)
    guard var row = try table.find(id) else { return }
    body(&row)
    try table.replace(row)
  }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}
