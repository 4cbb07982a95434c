// The pages of a database that may be damaged, with those of its log, read without SQLite: it would
// give up where a page that leads to others is damaged.

import Linux

final class DamagedFile {
  private let file: FileDescriptorBox
  /// Nil without one.
  private let logFile: FileDescriptorBox?
  private var log: DamagedLog
  /// In pages.
  private let length: Int
  /// Pages that are not in use, as far as the list of them can be read.
  private(set) var free: Set<Int> = []

  private static let mostPerTrunk = DamagedPage.size / 4 - 2

  init(_ path: String) throws(SystemError) {
    file = FileDescriptorBox(try Files.openForReading(path))
    length = Int((Files.size(of: path) ?? 0) / Int64(DamagedPage.size))
    let logPath = path + "-wal"
    logFile = Files.exists(logPath) ? FileDescriptorBox(try Files.openForReading(logPath)) : nil
    log = DamagedLog(head: [])
    if let head = Self.read(logFile, DamagedLog.headLength, at: 0) { log = DamagedLog(head: head) }
  }

  /// Whether the log has more than SQLite would read of it.
  static func hasDamagedLog(_ path: String) -> Bool {
    let logPath = path + "-wal"
    guard Files.exists(logPath), let opened = try? Files.openForReading(logPath) else { return false }
    let file = FileDescriptorBox(opened)
    guard let head = read(file, DamagedLog.headLength, at: 0) else { return false }
    var log = DamagedLog(head: head)
    while log.foreign < mostForeign, log.strayCommits <= 1,
      let frame = read(file, DamagedLog.frameLength, at: DamagedLog.offset(ofFrame: log.next))
    {
      log.add(frame)
    }
    return log.strayCommits > 1
  }

  /// The log is overwritten from its beginning, and what follows the last frame is old.
  private static let mostForeign = 64

  /// How many pages there are.
  var count: Int { max(length, min(log.current.keys.max() ?? 0, length + log.next)) }
  /// Versions of pages that SQLite would not read, the newest first.
  var strays: [DamagedLog.Frame] { log.strays.reversed() }

  /// Versions of pages that newer ones replaced, the newest first.
  var superseded: [DamagedLog.Frame] { log.superseded.reversed() }
  /// Pages of the file that the log has newer versions of.
  var replaced: [Int] { log.current.keys.filter { 1...max(1, length) ~= $0 }.sorted() }

  /// Reads some frames of the log. Returns whether more are left.
  func readLog(_ frames: Int) -> Bool {
    for _ in 0..<frames {
      guard let frame = Self.read(logFile, DamagedLog.frameLength, at: DamagedLog.offset(ofFrame: log.next)) else {
        log.finish()
        free = findFree()
        return false
      }
      log.add(frame)
    }
    return true
  }

  /// Nil if it cannot be read at all.
  func page(_ number: Int) -> DamagedPage? {
    content(number).map { bytes in
      DamagedPage(bytes, number: number) { [self] in content(Int($0)) }
    }
  }

  /// A version of a page. What it refers to is as new as it is.
  func page(_ frame: DamagedLog.Frame) -> DamagedPage? {
    content(frame).map { bytes in
      DamagedPage(bytes, number: frame.page) { [self] number in
        let same = log.strays.last { $0.page == Int(number) && $0.isWhole }
        return same.flatMap(content) ?? content(Int(number))
      }
    }
  }

  /// As it is in the file, whatever the log has.
  func replacedPage(_ number: Int) -> DamagedPage? {
    fileContent(number).map { bytes in
      DamagedPage(bytes, number: number) { [self] in fileContent(Int($0)) ?? content(Int($0)) }
    }
  }

  private func content(_ number: Int) -> [UInt8]? {
    if let index = log.current[number] { return content(DamagedLog.Frame(index: index, page: number, isWhole: true)) }
    return fileContent(number)
  }

  private func fileContent(_ number: Int) -> [UInt8]? {
    guard number >= 1, number <= length else { return nil }
    return Self.read(file, DamagedPage.size, at: Int64(number - 1) * Int64(DamagedPage.size))
  }

  private func content(_ frame: DamagedLog.Frame) -> [UInt8]? {
    let start = DamagedLog.offset(ofFrame: frame.index) + Int64(DamagedLog.frameLength - DamagedPage.size)
    return Self.read(logFile, DamagedPage.size, at: start)
  }

  /// A list whose length is not the one in the head is not believed.
  private func findFree() -> Set<Int> {
    guard let head = content(1), let first = head.span.bigEndian(at: 32, count: 4),
      let expected = head.span.bigEndian(at: 36, count: 4), expected <= UInt64(count)
    else { return [] }
    var found: Set<Int> = []
    var next = Int(first)
    while next != 0 {
      guard found.count < Int(expected), found.insert(next).inserted, let trunk = content(next),
        let leaves = trunk.span.bigEndian(at: 4, count: 4), leaves <= UInt64(Self.mostPerTrunk)
      else { return [] }
      for index in 0..<Int(leaves) { found.insert(Int(trunk.span.bigEndian(at: 8 + 4 * index, count: 4) ?? 0)) }
      next = Int(trunk.span.bigEndian(at: 0, count: 4) ?? 0)
    }
    return found.count == Int(expected) ? found : []
  }

  private static func read(_ file: FileDescriptorBox?, _ count: Int, at offset: Int64) -> [UInt8]? {
    guard let file else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    guard case .done(count)? = try? readDescriptor(file.number, into: &bytes, at: offset) else { return nil }
    return bytes
  }
}
