// The write-ahead log of a damaged database. SQLite reads it up to the first frame that is not as it
// was written. What comes after that is found here as well.

import Linux

struct DamagedLog {
  struct Frame: Equatable {
    let index: Int
    let page: Int
    /// Whether its checksum is right.
    let isWhole: Bool
  }

  private typealias Sums = (UInt32, UInt32)

  static let headLength = 32
  private static let frameHead = 24
  static let frameLength = frameHead + DamagedPage.size

  /// By page: the newest frame that SQLite would read.
  private(set) var current: [Int: Int] = [:]
  /// Older versions of those.
  private(set) var superseded: [Frame] = []
  /// In the order of the file: all that SQLite would not read.
  private(set) var strays: [Frame] = []

  /// Nil if the head is damaged.
  private var salts: [UInt8]?
  private var isBigEndian = false
  /// Of the chain, as long as it is unbroken.
  private var sums: Sums?
  /// As the frame before says.
  private var storedSums: Sums?
  private var uncommitted: [Frame] = []
  private(set) var next = 0
  /// How many transactions end after the first frame that SQLite would not read. A power cut leaves
  /// one at most: each is on the device before the next one is written.
  private(set) var strayCommits = 0
  /// The last frames in a row that are left over from earlier use.
  private(set) var foreign = 0

  init(head: [UInt8]) {
    guard head.count == Self.headLength else { return }
    isBigEndian = head[3] & 1 == 1
    let stored = Self.sums(in: head.span, at: 24)
    storedSums = stored
    let found = sum(head.span.extracting(..<24), from: (0, 0))
    // Little-endian sums follow the magic number 0x377f0682, and big-endian ones 0x377f0683.
    guard head.span.bigEndian(at: 0, count: 4).map({ $0 & ~1 }) == 0x377f_0682, found == stored else { return }
    salts = Array(head[16..<24])
    sums = found
  }

  static func offset(ofFrame index: Int) -> Int64 { Int64(headLength) + Int64(index) * Int64(frameLength) }

  /// Frames must come in order.
  mutating func add(_ frame: [UInt8]) {
    let bytes = frame.span
    let frameSalts = Array(frame[8..<16])
    // Without a head, the first frame says which ones belong together.
    if salts == nil { salts = frameSalts }
    let stored = Self.sums(in: bytes, at: 16)
    let belongs = frameSalts == salts
    let page = Int(bytes.bigEndian(at: 0, count: 4) ?? 0)
    let own = storedSums.map { sum(bytes.extracting(Self.frameHead...), from: sum(bytes.extracting(..<8), from: $0)) }
    let found = Frame(index: next, page: page, isWhole: belongs && own.map { $0 == stored } ?? false)
    next += 1
    if let sums, let before = storedSums, sums == before, found.isWhole {
      self.sums = stored
      uncommitted.append(found)
      if bytes.bigEndian(at: 4, count: 4) != 0 { commit() }
    } else {
      sums = nil
      strays.append(found)
      if found.isWhole, bytes.bigEndian(at: 4, count: 4) != 0 { strayCommits += 1 }
      foreign = belongs ? 0 : foreign + 1
    }
    storedSums = stored
  }

  mutating func finish() {
    strays = uncommitted + strays
    uncommitted = []
  }

  private mutating func commit() {
    for frame in uncommitted {
      let older = current.updateValue(frame.index, forKey: frame.page)
      if let older { superseded.append(Frame(index: older, page: frame.page, isWhole: true)) }
    }
    uncommitted.removeAll(keepingCapacity: true)
  }

  private static func sums(in bytes: Span<UInt8>, at place: Int) -> Sums {
    (
      UInt32(bytes.bigEndian(at: place, count: 4) ?? 0), UInt32(bytes.bigEndian(at: place + 4, count: 4) ?? 0)
    )
  }

  private func sum(_ bytes: Span<UInt8>, from start: Sums) -> Sums {
    var (first, second) = start
    for place in stride(from: 0, to: bytes.count - 7, by: 8) {
      first &+= word(bytes, at: place) &+ second
      second &+= word(bytes, at: place + 4) &+ first
    }
    return (first, second)
  }

  private func word(_ bytes: Span<UInt8>, at place: Int) -> UInt32 {
    let word =
      UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
      | UInt32(bytes[place + 3]) << 24
    return isBigEndian ? word.byteSwapped : word
  }
}
