// The methods whose results or parameters are files: they begin transfers.

import EventLoop
import Logbook
import LogbookFiles
import LogbookWire
import ProgramKit
import SQLite
import Serving
import Wire

final class TransferRequests {
  private let loop: EventLoop
  private let database: Database
  private let queue: WorkQueue
  private let spool: SpoolFolder
  private let table = TransferTable()
  /// What an import added.
  private let imported: (PutReply) -> Void

  init(
    loop: EventLoop, _ database: Database, _ queue: WorkQueue, _ spool: SpoolFolder,
    imported: @escaping (PutReply) -> Void
  ) {
    (self.loop, self.database, self.queue, self.spool) = (loop, database, queue, spool)
    self.imported = imported
  }

  /// A transfer to the client.
  func send(_ asker: Asker, _ make: @escaping Download.Make) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    _ = try Download(to: client, asker, table, queue, loop: loop, make: make)
    return .later
  }

  func series(_ request: SeriesRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try send(asker) { [database] () throws(Refusal) in
      let work = try SeriesWork(request, in: database)
      return BytesSource(work) { work.document }
    }
  }

  func track(_ request: TrackRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try send(asker) { [database] () throws(Refusal) in
      let work = try TrackWork(request, in: database)
      return BytesSource(work) { work.document }
    }
  }

  func export(_ request: ExportRequest, _ asker: Asker) throws(Refusal) -> Answer {
    try send(asker) { [database] () throws(Refusal) in
      ExportSource(
        try ExportWork(Int64(request.id), format: request.format, start: request.start, in: database))
    }
  }

  func backup(_ asker: Asker) throws(Refusal) -> Answer {
    try send(asker) { [database, spool] () throws(Refusal) in
      let path = spool.newPath()
      do throws(Refusal) {
        return BackupSource(try BackupWork(of: database, to: path, now: Clock.calendar)) { spool.remove(path) }
      } catch {
        spool.remove(path)
        throw error
      }
    }
  }

  func `import`(_ request: ImportRequest, _ asker: Asker) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    let make: Upload.Make = { [database] path, request throws(Refusal) in
      try ImportWork(path: path, name: request.name, target: request.target, in: database, now: Clock.wallTime)
    }
    let upload = try Upload(request, from: client, table, queue, spool, loop: loop, make: make, imported: imported)
    return .reply(TransferReply(transfer: upload.number))
  }

  func put(_ request: PutRequest, _ asker: Asker) throws(Refusal) -> Answer {
    guard let upload = asker.client?.operation as? Upload, upload.number == request.transfer else {
      throw Refusal(.badRequest, "this connection has no upload \(request.transfer)")
    }
    return try upload.put(request, asker)
  }
}
