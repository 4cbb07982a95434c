// Reads a QR code as a camera's program does, after ISO/IEC 18004, without correcting errors. It
// reads versions 1 to 5 of the lowest level of correction, whose bytes are in one block.

struct CodeReader {
  private let rows: [[Bool]]
  private var size: Int { rows.count }
  private var version: Int { (size - 17) / 4 }

  init(_ rows: [String]) {
    self.rows = rows.map { $0.utf8.map { $0 == UInt8(ascii: "1") } }
  }

  /// Nil if these rows are not a code of bytes.
  func text() -> String? {
    guard (1...5).contains(version), rows.allSatisfy({ $0.count == size }), hasFinders else { return nil }
    let format = (0..<5).reduce(0) { $0 << 1 | (rows[8][$1] ? 1 : 0) } ^ 0b10101
    guard format >> 3 == 0b01 else { return nil }
    var bits = dataBits(mask: format & 7)[...]
    guard number(&bits, of: 4) == 0b0100 else { return nil }
    let count = number(&bits, of: 8)
    guard bits.count >= count * 8 else { return nil }
    return String(validating: (0..<count).map { _ in UInt8(number(&bits, of: 8)) }, as: UTF8.self)
  }

  /// The squares in three corners, by which a code is found and turned upright.
  private var hasFinders: Bool {
    let last = size - 7
    return [(0, 0), (0, last), (last, 0)].allSatisfy { top, left in
      (0..<7).allSatisfy { row in
        (0..<7).allSatisfy { column in
          let ring = max(abs(row - 3), abs(column - 3))
          return rows[top + row][left + column] == (ring != 2)
        }
      }
    }
  }

  private func number(_ bits: inout ArraySlice<Bool>, of count: Int) -> Int {
    defer { bits = bits.dropFirst(count) }
    return bits.prefix(count).reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
  }

  /// In pairs of columns from the right, up and down in turn.
  private func dataBits(mask: Int) -> [Bool] {
    var bits: [Bool] = []
    var isUpward = true
    var right = size - 1
    while right > 0 {
      if right == 6 { right -= 1 }
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isReserved(row, column) {
          bits.append(rows[row][column] != Self.inverts(mask, row, column))
        }
      }
      isUpward.toggle()
      right -= 2
    }
    return bits
  }

  private func isReserved(_ row: Int, _ column: Int) -> Bool {
    let isCorner = row < 9 && column < 9 || row < 9 && column >= size - 8 || row >= size - 8 && column < 9
    let isAlignment = version > 1 && abs(row - (size - 7)) <= 2 && abs(column - (size - 7)) <= 2
    return isCorner || isAlignment || row == 6 || column == 6
  }

  private static func inverts(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
    switch mask {
    case 0: (row + column) % 2 == 0
    case 1: row % 2 == 0
    case 2: column % 3 == 0
    case 3: (row + column) % 3 == 0
    case 4: (row / 2 + column / 3) % 2 == 0
    case 5: row * column % 2 + row * column % 3 == 0
    case 6: (row * column % 2 + row * column % 3) % 2 == 0
    default: ((row + column) % 2 + row * column % 3) % 2 == 0
    }
  }
}
