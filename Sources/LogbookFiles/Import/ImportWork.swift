// Adds what a file contains: activities, routes, or all that a backup has and the logbook lacks.

import ActivityFiles
import Logbook
package import LogbookWire
package import SQLite
package import Time
package import Wire

/// Call `step` until it returns false or throws, also after `cancel`. Nothing of a file that fails
/// stays.
package final class ImportWork: SlicedWork {
  private enum Phase {
    case beginning
    case file(FileImport)
    case backup(BackupMerge)
    case removing(RowRemoval, Refusal)
    case finished
  }

  private let database: Database
  private let file: UploadedFile
  private let path: String
  private let target: ImportTarget?
  private let name: String
  private let now: WallTime?
  private var phase = Phase.beginning
  /// Complete when `step` has returned false.
  package private(set) var reply = PutReply()

  private static let piece = 8192

  /// `path` is that of the uploaded file, and `name` its name at the client, which a route gets that has
  /// none. The content decides what it is.
  package init(
    path: String, name: String, target: ImportTarget?, in database: Database, now: WallTime?
  ) throws(Refusal) {
    (self.path, self.name, self.target, self.database, self.now) = (path, name, target, database, now)
    file = try UploadedFile(path, pieces: Self.piece)
  }

  package func step() throws(Refusal) -> Bool {
    if case .removing(let removal, let refusal) = phase {
      if try removal.step() { return true }
      phase = .finished
      throw refusal
    }
    do throws(Refusal) {
      return try advance()
    } catch {
      return try fail(error)
    }
  }

  package func cancel() {
    _ = try? fail(Refusal(.cancelled, "the import was cancelled"))
  }

  private func advance() throws(Refusal) -> Bool {
    switch phase {
    case .beginning: phase = try begin()
    case .file(let work):
      if try work.step() { return true }
      reply = work.reply
      phase = .finished
    case .backup(let work):
      if try work.step() { return true }
      reply = work.reply
      phase = .finished
    case .removing, .finished: break
    }
    if case .finished = phase { return false }
    return true
  }

  private func begin() throws(Refusal) -> Phase {
    let beginning = try file.next() ?? []
    try file.rewind()
    guard ActivityFormat(content: Array(beginning).span) == .backup else {
      return .file(FileImport(file, named: name, target, database, now: now))
    }
    guard target == nil else {
      throw Refusal(.badFile, "this is a backup of a logbook: import it without as")
    }
    return .backup(try BackupMerge(path, into: database))
  }

  /// Removes what was added, if anything was.
  private func fail(_ refusal: Refusal) throws(Refusal) -> Bool {
    let rows =
      switch phase {
      case .file(let work): work.unfinished
      case .backup(let work): work.unfinished
      case .beginning, .finished, .removing: RowRemoval.Rows()
      }
    guard !rows.isEmpty else {
      phase = .finished
      throw refusal
    }
    phase = .removing(RowRemoval(rows, in: database), refusal)
    return true
  }
}
