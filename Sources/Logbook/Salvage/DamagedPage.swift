// A page of a damaged database: what it contains, by itself and without the tree that it was in.

/// A row as it is stored.
struct DamagedCell {
  /// Nil in tables without one.
  let rowID: Int64?
  let values: [DamagedValue]
}

struct DamagedPage {
  private enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case index = 10
    case table = 13
  }

  static let size = 4096
  /// Longer rows are not in a logbook.
  private static let longestRow = 2 << 20

  let bytes: [UInt8]
  /// Where the page's content begins: after the head of the file on the first one.
  private let start: Int
  private let kind: Kind?
  /// Where the rows are, by the page's own directory; nil if that is damaged.
  private let places: [Int]?
  /// A page that continues a row.
  private let overflow: (UInt32) -> [UInt8]?

  init(_ bytes: [UInt8], number: Int, overflow: @escaping (UInt32) -> [UInt8]?) {
    (self.bytes, self.overflow) = (bytes, overflow)
    start = number == 1 ? 100 : 0
    let kind = Kind(rawValue: bytes[start])
    self.kind = kind
    places = if let kind { Self.places(kind, bytes.span, start) } else { nil }
  }

  private static func places(_ kind: Kind, _ bytes: Span<UInt8>, _ start: Int) -> [Int]? {
    let head = start + (kind == .table || kind == .index ? 8 : 12)
    guard let count = bytes.bigEndian(at: start + 3, count: 2), Int(count) <= (size - head) / 4 else { return nil }
    var places: [Int] = []
    for index in 0..<Int(count) {
      guard let place = bytes.bigEndian(at: head + 2 * index, count: 2), place >= UInt64(head) + 2 * count else {
        return nil
      }
      places.append(Int(place))
    }
    return places
  }

  /// The rows that the page's directory leads to, in order, and whether all could be read.
  func cells() -> (cells: [DamagedCell], isComplete: Bool) {
    guard let kind, let places else { return ([], false) }
    if kind == .tableInterior { return ([], true) }
    let cells = places.compactMap { cell(at: $0 + (kind == .indexInterior ? 4 : 0), hasRowID: kind == .table) }
    return (cells, cells.count == places.count)
  }

  /// All that looks like a row, wherever it is. Some of it may have been removed or replaced.
  func remains() -> [DamagedCell] {
    var cells: [DamagedCell] = []
    // A shorter row has no values.
    for place in 0..<Self.size - 4 where bytes[place] > 2 {
      for hasRowID in [false, true] {
        if let cell = cell(at: place, hasRowID: hasRowID) { cells.append(cell) }
      }
    }
    return cells
  }

  private func cell(at start: Int, hasRowID: Bool) -> DamagedCell? {
    var place = start
    guard let length = bytes.span.variable(at: &place), length >= 2, length <= UInt64(Self.longestRow) else {
      return nil
    }
    var rowID: Int64?
    if hasRowID {
      guard let id = bytes.span.variable(at: &place) else { return nil }
      rowID = Int64(bitPattern: id)
    }
    guard DamagedValue.isRecord(bytes.span, at: place, length: Int(length)),
      let payload = payload(Int(length), at: place, hasRowID), let values = DamagedValue.record(payload)
    else {
      return nil
    }
    return DamagedCell(rowID: rowID, values: values)
  }

  /// How much of a long row lies in its page is in section 1.6 of the file format.
  private func payload(_ length: Int, at place: Int, _ hasRowID: Bool) -> [UInt8]? {
    let most = hasRowID ? Self.size - 35 : (Self.size - 12) * 64 / 255 - 23
    guard length > most else {
      return place + length <= Self.size ? Array(bytes[place..<place + length]) : nil
    }
    let least = (Self.size - 12) * 32 / 255 - 23
    let rest = least + (length - least) % (Self.size - 4)
    let local = rest <= most ? rest : least
    guard place + local <= Self.size, var next = bytes.span.bigEndian(at: place + local, count: 4) else { return nil }
    var payload = Array(bytes[place..<place + local])
    while payload.count < length {
      guard let page = overflow(UInt32(truncatingIfNeeded: next)) else { return nil }
      next = page.span.bigEndian(at: 0, count: 4) ?? 0
      payload += page[4..<min(Self.size, 4 + length - payload.count)]
    }
    return payload
  }
}
