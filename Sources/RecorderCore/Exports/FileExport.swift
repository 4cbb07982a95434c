// Writes one file of an activity. It has a hidden name until it is complete and on the device, so
// that no program picks up half of it.

import Linux
import Logbook
import LogbookFiles
import LogbookWire
import SQLite
import Wire

final class FileExport: SlicedWork {
  private static let pieceLength = 64 << 10
  /// The folder's group reads it.
  private static let mode: UInt32 = 0o640

  private let work: ExportWork
  private let folder: String
  private let hidden: String
  private var file: FileDescriptorBox?
  private var isPrepared = false

  init(_ id: Int64, _ format: ExportFormat, _ folder: String, _ database: Database) throws(Refusal) {
    work = try ExportWork(id, format: format, start: nil, in: database)
    self.folder = folder
    hidden = "\(folder)/.\(work.name).part"
  }

  deinit {
    if file != nil { try? Files.remove(hidden) }
  }

  func step() throws(Refusal) -> Bool {
    if !isPrepared {
      isPrepared = try !work.step()
      return true
    }
    let piece = try work.next(atMost: Self.pieceLength)
    do throws(SystemError) {
      let file = try openFile()
      guard let piece else {
        try complete(file)
        return false
      }
      try write(piece, to: file.number)
      return true
    } catch {
      throw Refusal(.storage, "cannot write to \(folder): \(error.reason)")
    }
  }

  private func openFile() throws(SystemError) -> FileDescriptorBox {
    if let file { return file }
    try Files.createDirectory(folder, mode: 0o750)
    // Left over from a power failure.
    if Files.exists(hidden) { try Files.remove(hidden) }
    let file = FileDescriptorBox(try Files.create(hidden, mode: Self.mode))
    self.file = file
    return file
  }

  private func write(_ piece: [UInt8], to file: Int32) throws(SystemError) {
    var written = 0
    while written < piece.count {
      guard case .done(let count) = try writeDescriptor(file, piece.span.extracting(written...)) else { continue }
      written += count
    }
  }

  private func complete(_ file: FileDescriptorBox) throws(SystemError) {
    try syncDescriptor(file.number)
    try Files.rename(hidden, to: "\(folder)/\(work.name)")
    self.file = nil
    try Files.syncDirectory(folder)
  }
}
