// An activity as FIT, GPX, TCX or CSV. It is read twice: first for what the format leaves out and, in
// FIT, for the size that comes first in the file. The frame is read once, so both are the same.

import ActivityFiles
import Logbook
import SQLite
import Time
import Wire

final class ItemExport: ExportPieces {
  private enum Phase {
    case devices(RecordedDevices)
    case counting(ActivityFrame, ItemSequence)
    case writing(ItemSequence)
    case finished
  }

  private static let portion = 60
  /// Late samples can still change the last seconds of a recording.
  private static let unsettledMS: Int64 = 6000

  private let database: Database
  private let row: StoredActivity
  private let start: WallTime?
  private let format: ActivityFormat
  private let toMS: Int64
  private var phase: Phase
  private var contents = ActivityContents()
  private var counter = FITWriter()
  private var writer: any ActivityWriter
  private(set) var leftOut: [String] = []

  init(_ row: StoredActivity, _ format: ActivityFormat, start: WallTime?, in database: Database) throws(Refusal) {
    guard let writer = format.makeWriter() else { throw Refusal(.badRequest, "\(format) files cannot be written") }
    var row = row
    if row.state == .recording { row.endMS = max(0, row.endMS - Self.unsettledMS) }
    (self.row, self.format, self.start, self.database) = (row, format, start, database)
    self.writer = writer
    toMS = row.state == .recording ? row.endMS : .max
    do throws(SQLiteError) {
      phase = .devices(try RecordedDevices(row.shownSpans, toMS: toMS, in: database))
    } catch {
      throw Refusal(storage: error)
    }
  }

  func prepare() throws(Refusal) -> Bool {
    var discarded: [UInt8] = []
    do throws(ExportFailure) {
      switch phase {
      case .devices(let devices):
        if try stored({ () throws(SQLiteError) in try devices.step(Self.portion) }) { return true }
        try begin(devices)
        return true
      case .counting(let frame, let items):
        let isFIT = format == .fit
        let hasMore = try items.next(Self.portion) { item throws(ActivityFileError) in
          contents.add(item)
          if isFIT { try counter.write(item, into: &discarded) }
          discarded.removeAll(keepingCapacity: true)
        }
        if !hasMore { try finishCounting(frame, items.damaged) }
        return hasMore
      case .writing, .finished: return false
      }
    } catch {
      throw Refusal(export: error)
    }
  }

  private func begin(_ devices: RecordedDevices) throws(ExportFailure) {
    let end = Int(row.endMS.rounded(to: 1000))
    let frame = try stored { () throws(SQLiteError) in
      try ActivityFrame(row, start: start, devices: devices.devices(end: end), in: database)
    }
    phase = .counting(frame, try sequence(frame))
  }

  private func sequence(_ frame: ActivityFrame) throws(ExportFailure) -> ItemSequence {
    try stored { () throws(SQLiteError) in try ItemSequence(frame, row.shownSpans, toMS: toMS, in: database) }
  }

  private func finishCounting(_ frame: ActivityFrame, _ damaged: Int) throws(ExportFailure) {
    if let sentence = format.refusal(for: contents) { throw .file(ActivityFileError(sentence)) }
    leftOut = format.omissions(for: contents)
    if damaged > 0 { leftOut.append("\(damaged) damaged \(damaged == 1 ? "second" : "seconds")") }
    if format == .fit {
      var discarded: [UInt8] = []
      do throws(ActivityFileError) { try counter.finish(into: &discarded) } catch { throw .file(error) }
      writer = FITWriter(dataSize: counter.dataSize)
    }
    phase = .writing(try sequence(frame))
  }

  func write(into buffer: inout [UInt8]) throws(Refusal) -> Bool {
    guard case .writing(let items) = phase else { return false }
    do throws(ExportFailure) {
      let hasMore = try items.next(Self.portion) { item throws(ActivityFileError) in
        try writer.write(item, into: &buffer)
      }
      if hasMore { return true }
      phase = .finished
      do throws(ActivityFileError) { try writer.finish(into: &buffer) } catch { throw .file(error) }
      return false
    } catch {
      throw Refusal(export: error)
    }
  }

  private func stored<Result>(_ body: () throws(SQLiteError) -> Result) throws(ExportFailure) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .storage(error) }
  }
}

extension Refusal {
  fileprivate init(export failure: ExportFailure) {
    switch failure {
    case .storage(let error): self.init(storage: error)
    case .file(let error): self.init(.badRequest, error.description)
    }
  }
}
