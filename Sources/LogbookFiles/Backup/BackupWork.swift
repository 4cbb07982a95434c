// A copy of the whole logbook for a transfer: a file of the state folder that is removed afterwards.

import Linux
import Logbook
package import SQLite
package import Time
package import Wire

/// Call `step` until it returns false; then `next` reads the copy.
package final class BackupWork: SlicedWork {
  private static let pages: Int32 = 64

  /// Such as `logbook-2026-05-03.db`.
  package let name: String
  private let path: String
  private var copy: Backup?
  private var file: FileDescriptorBox?
  private var chunk: [UInt8] = []

  /// `path` is that of a file that does not exist.
  package init(of database: Database, to path: String, now: WallTime) throws(Refusal) {
    name = "logbook-\(now.isoText.prefix(10)).db"
    self.path = path
    do throws(SQLiteError) { copy = try Backup(of: database, to: path) } catch { throw Refusal(storage: error) }
  }

  deinit {
    copy = nil
    try? Files.remove(path)
  }

  package func step() throws(Refusal) -> Bool {
    guard let copy else { return false }
    do throws(SQLiteError) {
      if try copy.step(pages: Self.pages) { return true }
    } catch {
      throw Refusal(storage: error)
    }
    self.copy = nil
    do throws(SystemError) {
      file = FileDescriptorBox(try Files.openForReading(path))
    } catch {
      throw Refusal(.storage, "the copy cannot be read: \(error.reason)")
    }
    return false
  }

  /// The next piece; nil at the end.
  package func next(atMost count: Int) throws(Refusal) -> [UInt8]? {
    guard let file else { return nil }
    if chunk.count != count { chunk = [UInt8](repeating: 0, count: count) }
    do throws(SystemError) {
      guard case .done(let read) = try readDescriptor(file.number, into: &chunk), read > 0 else { return nil }
      return Array(chunk[..<read])
    } catch {
      throw Refusal(.storage, "the copy cannot be read: \(error.reason)")
    }
  }
}
