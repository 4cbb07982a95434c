// Uploads lie in a folder next to the database until they are imported, and so do copies for
// backups. They never take the space that a recording may need.

import Linux
import LogbookWire
import ProgramKit
import Wire

final class SpoolFolder {
  /// What transfers leave free: recordings and the import itself need it.
  private static let spared: Int64 = 32 << 20
  private let folder: String
  private var lastNumber = 0

  /// Removes what an earlier process left.
  init(_ folder: String, log: Log) {
    self.folder = folder
    do throws(SystemError) {
      try Files.createDirectory(folder, mode: 0o700)
      for name in try Files.names(in: folder) { try Files.remove(folder + "/" + name) }
    } catch {
      log.warning("spool: cannot be cleared (\(error))")
    }
  }

  /// The path of a file that does not exist.
  func newPath() -> String {
    lastNumber += 1
    return "\(folder)/\(lastNumber)"
  }

  func requireRoom(for bytes: Int) throws(Refusal) {
    do throws(SystemError) {
      guard try Files.space(at: folder) - Self.spared < Int64(bytes) else { return }
    } catch {
      throw Refusal(.storage, "the storage failed: \(error)")
    }
    throw Refusal(.storage, "there is not enough space for \(bytes >> 20) MiB; recordings go first")
  }

  func remove(_ path: String) {
    try? Files.remove(path)
    // The database's files for a copy.
    for suffix in ["-journal", "-wal", "-shm"] where Files.exists(path + suffix) { try? Files.remove(path + suffix) }
  }
}
