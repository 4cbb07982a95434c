// What a download consists of. It is made piece by piece, when the client has read the piece before.

import JSON
import Logbook
import LogbookFiles
import LogbookWire
import Wire

/// `step` prepares it; then `next` makes the pieces.
protocol TransferSource: SlicedWork {
  var name: String? { get }
  var leftOut: [String] { get }
  /// The next piece, which may be empty; nil at the end.
  func next(atMost count: Int) throws(Refusal) -> [UInt8]?
  /// It is not needed any longer.
  func close()
}

extension TransferSource {
  var name: String? { nil }
  var leftOut: [String] { [] }
  func close() {}
}

/// A file that is made by work of its own.
final class ExportSource: TransferSource {
  private let work: ExportWork

  init(_ work: ExportWork) { self.work = work }

  var name: String? { work.name }
  var leftOut: [String] { work.leftOut }

  func step() throws(Refusal) -> Bool { try work.step() }

  func next(atMost count: Int) throws(Refusal) -> [UInt8]? { try work.next(atMost: count) }
}

/// A route as a file or a document.
final class RouteSource: TransferSource {
  private let work: RouteExport

  init(_ work: RouteExport) { self.work = work }

  var name: String? { work.name }
  var leftOut: [String] { work.leftOut }

  func step() throws(Refusal) -> Bool { try work.step() }

  func next(atMost count: Int) throws(Refusal) -> [UInt8]? { try work.next(atMost: count) }
}

/// The document of a segment, which is made while it is sent.
final class SegmentSource: TransferSource {
  private let work: SegmentDetail

  init(_ work: SegmentDetail) { self.work = work }

  func step() throws(Refusal) -> Bool { try work.step() }

  func next(atMost count: Int) -> [UInt8]? { work.next(atMost: count) }
}

/// A copy of the logbook, which is removed afterwards.
final class BackupSource: TransferSource {
  private let work: BackupWork
  private let remove: () -> Void

  init(_ work: BackupWork, remove: @escaping () -> Void) {
    self.work = work
    self.remove = remove
  }

  var name: String? { work.name }

  func step() throws(Refusal) -> Bool { try work.step() }

  func next(atMost count: Int) throws(Refusal) -> [UInt8]? { try work.next(atMost: count) }

  func close() { remove() }
}

/// Bytes that are in memory when the work is done.
final class BytesSource: TransferSource {
  let name: String?
  private let work: any SlicedWork
  private let content: () throws(Refusal) -> [UInt8]
  private var rest: ArraySlice<UInt8>?

  init(name: String? = nil, after work: any SlicedWork, content: @escaping () throws(Refusal) -> [UInt8]) {
    (self.name, self.work, self.content) = (name, work, content)
  }

  /// A document is one JSON object.
  convenience init(_ work: any SlicedWork, document: @escaping () -> some WireObject) {
    self.init(after: work) { () throws(Refusal) in
      var writer = JSONWriter()
      document().write(into: &writer)
      return writer.bytes
    }
  }

  func step() throws(Refusal) -> Bool { try work.step() }

  func next(atMost count: Int) throws(Refusal) -> [UInt8]? {
    let bytes = if let rest { rest } else { try content()[...] }
    rest = bytes.dropFirst(count)
    return bytes.isEmpty ? nil : Array(bytes.prefix(count))
  }
}
