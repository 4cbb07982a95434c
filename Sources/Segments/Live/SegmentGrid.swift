// Finds the segments that begin near a place, however many there are. Pure.
//
// The earth is divided into cells of at least 1.1 km. The start of a segment that is nearer than
// `reach` is in the cell of the place or in one of the eight around it.

import Earth

struct SegmentGrid {
  /// In metres.
  static let reach = 500.0
  /// In degrees.
  private static let height = 0.01
  private static let mostColumns = 36_000.0

  private var cells: [Int: [Int]] = [:]

  mutating func removeAll() { cells = [:] }

  mutating func add(_ number: Int, at start: Coordinate) {
    let row = Self.row(start.latitude)
    cells[Self.key(row, Self.column(start.longitude, in: row)), default: []].append(number)
  }

  func visit(near place: Coordinate, _ body: (Int) -> Void) {
    guard !cells.isEmpty else { return }
    let middle = Self.row(place.latitude)
    for row in middle - 1...middle + 1 {
      let (column, count) = (Self.column(place.longitude, in: row), Self.columns(in: row))
      // At a pole a row has few columns.
      for offset in count < 3 ? 0...count - 1 : -1...1 {
        guard let numbers = cells[Self.key(row, (column + offset + count) % count)] else { continue }
        for number in numbers { body(number) }
      }
    }
  }

  private static func row(_ latitude: Double) -> Int { Int((latitude / height).rounded(.down)) }

  private static func columns(in row: Int) -> Int {
    // Of the edge that is nearer to a pole, where degrees are shorter.
    let latitude = Double(max(abs(row), abs(row + 1))) * height
    guard let edge = Coordinate(latitude: latitude, longitude: 1), let plane = LocalPlane(at: edge) else { return 1 }
    return max(1, Int(mostColumns * plane.east / plane.north))
  }

  private static func column(_ longitude: Double, in row: Int) -> Int {
    let count = columns(in: row)
    return min(count - 1, Int((longitude + 180) / 360 * Double(count)))
  }

  private static func key(_ row: Int, _ column: Int) -> Int { row * 100_000 + column }
}
