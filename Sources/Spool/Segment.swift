// One segment of the spool: a file that only grows, or memory while the disk takes nothing.

import Compression
import JSON
import Linux

final class Segment {
  /// The format, as 8 bytes at the beginning of a file; the last one is its version.
  static let mark: [UInt8] = Array("cyspool".utf8) + [1]
  private static let suffix = ".batches"
  private static let digits = 12

  /// The mark, the number of the first batch, the boot, and a checksum of all.
  static let headerLength = mark.count + 16

  let path: String
  /// Counts the segments of a spool.
  let index: UInt64
  /// The number that its first batch has or would have, so that numbers go on when nothing waits; 0
  /// if that cannot be read.
  private(set) var first: UInt64
  /// A checksum of the boot that it is from; 0 if that is unknown.
  private(set) var boot: UInt32 = 0
  /// Of its last batch; 0 if it has none.
  private(set) var last: UInt64 = 0
  /// Its batches that are neither acknowledged nor lost.
  private(set) var waiting = SpoolCounts()
  /// Up to where its entries are whole.
  private(set) var length: Int64
  /// Nil for a file.
  private(set) var memory: [UInt8]?
  private var writer: FileDescriptorBox?
  private var reader: FileDescriptorBox?
  /// Whether something was written since the last sync.
  private(set) var isDirty = false

  var isInMemory: Bool { memory != nil }
  /// Memory is given up in small pieces.
  var limit: Int64 { isInMemory ? 256 << 10 : 1 << 20 }
  /// Nothing is appended after a piece of an entry, nor to a file of an earlier run.
  var isOpen: Bool { isInMemory || writer != nil }

  private init(_ path: String, index: UInt64, first: UInt64, length: Int64, memory: [UInt8]?) {
    (self.path, self.index, self.first) = (path, index, first)
    (self.length, self.memory) = (length, memory)
  }

  /// A new file.
  static func create(in folder: String, index: UInt64, first: UInt64, boot: UInt32) throws(SystemError) -> Segment {
    let segment = Segment(path(in: folder, index), index: index, first: first, length: 0, memory: nil)
    try segment.makeFile(header(first, boot))
    return segment
  }

  static func inMemory(in folder: String, index: UInt64, first: UInt64, boot: UInt32) -> Segment {
    let header = header(first, boot)
    return Segment(
      path(in: folder, index), index: index, first: first, length: Int64(header.count), memory: header)
  }

  /// A file of an earlier run; nil if its name is another one.
  static func existing(_ name: String, in folder: String) -> Segment? {
    guard name.hasSuffix(suffix), name.utf8.count == digits + suffix.utf8.count,
      let index = UInt64(name.dropLast(suffix.utf8.count))
    else { return nil }
    let path = folder + "/" + name
    return Segment(path, index: index, first: 0, length: Files.size(of: path) ?? 0, memory: nil)
  }

  enum Format { case known, newer, damaged }

  /// Reads the header of a file of an earlier run.
  func readHeader() throws(SystemError) -> Format {
    var header = [UInt8](repeating: 0, count: Self.headerLength)
    guard try read(into: &header, at: 0) == header.count, header.starts(with: Self.mark.dropLast()) else {
      return .damaged
    }
    guard header[Self.mark.count - 1] == Self.mark[Self.mark.count - 1] else { return .newer }
    func number(at place: Int, _ count: Int) -> UInt64 {
      header[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let first = number(at: Self.mark.count, 8)
    let boot = UInt32(number(at: Self.mark.count + 8, 4))
    guard header == Self.header(first, boot) else { return .damaged }
    (self.first, self.boot) = (first, boot)
    return .known
  }

  private static func header(_ first: UInt64, _ boot: UInt32) -> [UInt8] {
    func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
    let header = mark + bytes(first, 8) + bytes(UInt64(boot), 4)
    return header + bytes(UInt64(crc32(header.span)), 4)
  }

  private static func path(in folder: String, _ index: UInt64) -> String {
    var name: [UInt8] = []
    name.appendPadded(index, width: digits)
    return folder + "/" + String(decoding: name, as: UTF8.self) + suffix
  }

  private func makeFile(_ content: [UInt8]) throws(SystemError) {
    let file = FileDescriptorBox(try Files.create(path, mode: 0o600))
    do throws(SystemError) {
      try Self.write(content.span, to: file.number)
    } catch {
      // There is no room for it, so the next try begins again.
      try? Files.remove(path)
      throw error
    }
    (writer, length, isDirty) = (file, Int64(content.count), true)
  }
}

// MARK: Writing

extension Segment {
  /// Throws if the bytes are not in it as a whole. Nothing can be appended after that.
  func append(_ bytes: Span<UInt8>) throws(SystemError) {
    if memory != nil {
      memory?.append(bytes)
    } else if let writer {
      isDirty = true
      do throws(SystemError) {
        try Self.write(bytes, to: writer.number)
      } catch {
        self.writer = nil
        throw error
      }
    }
    length += Int64(bytes.count)
  }

  private static func write(_ bytes: Span<UInt8>, to file: Int32) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      if case .done(let count) = try writeDescriptor(file, bytes.extracting(written...)) { written += count }
    }
  }

  /// Returns whether there was something to sync.
  @discardableResult
  func sync() throws(SystemError) -> Bool {
    guard isDirty, let writer else { return false }
    try syncDescriptor(writer.number)
    isDirty = false
    return true
  }

  /// What was kept in memory becomes a file.
  func moveToFile() throws(SystemError) {
    guard let memory else { return }
    try makeFile(memory)
    self.memory = nil
  }

  /// It has the batch of this number.
  func contain(_ number: UInt64) { last = max(last, number) }

  func count(_ batch: SpoolEntry, _ change: Int) {
    waiting.batches += change
    waiting.records += change * (batch.records ?? 0)
  }

  /// Nothing more is appended to it.
  func seal() throws(SystemError) {
    try sync()
    writer = nil
  }

  /// Readers and writers are closed first.
  func remove() throws(SystemError) {
    (writer, reader, isDirty) = (nil, nil, false)
    if !isInMemory { try Files.remove(path) }
  }

  /// The rest of a file of an earlier run is a piece of an entry.
  func cut(to length: Int64) { self.length = min(length, self.length) }
}

// MARK: Reading

extension Segment {
  /// Fills the buffer from a place on, as far as there are bytes. Returns how many.
  func read(into buffer: inout [UInt8], at place: Int64) throws(SystemError) -> Int {
    let wanted = Int(max(0, min(Int64(buffer.count), length - place)))
    if let memory {
      for index in 0..<wanted { buffer[index] = memory[Int(place) + index] }
      return wanted
    }
    guard wanted > 0 else { return 0 }
    let reader = try openReader()
    guard case .done(let count) = try readDescriptor(reader.number, into: &buffer, at: place) else { return 0 }
    return min(count, wanted)
  }

  private func openReader() throws(SystemError) -> FileDescriptorBox {
    if let reader { return reader }
    let new = FileDescriptorBox(try Files.openForReading(path))
    reader = new
    return new
  }

  /// The descriptor is opened again when something is read.
  func closeReader() { reader = nil }
}
