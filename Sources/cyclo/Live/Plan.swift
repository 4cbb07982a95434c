// Decides how large values are and how many are next to each other. If not all can be large, the
// most important ones are, and the rest are lines.

import Linux

struct Plan: Equatable {
  let size: TileSize
  let across: Int
  /// How many have that size.
  var large: Int
  let linesAcross: Int

  private init(_ size: TileSize, across: Int, large: Int, columns: Int) {
    (self.size, self.across, self.large) = (size, across, large)
    linesAcross = Self.mostAcross(.line, columns)
  }

  var largeRows: Int { (large + across - 1) / across * size.rows }

  func lineRows(others: Int) -> Int {
    (others - large + linesAcross - 1) / linesAcross
  }

  func rows(roads: Int, others: Int) -> Int {
    roads * size.roadRows + largeRows + lineRows(others: others)
  }

  /// The large ones and the lines, each in their original order.
  func parted(_ tiles: [Tile]) -> (large: [Tile], lines: [Tile]) {
    let ranks = tiles.map { firstKinds.firstIndex(of: $0.reading.sample.kind) ?? firstKinds.count }
    let chosen = Set(tiles.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.prefix(large))
    return (
      tiles.indices.filter(chosen.contains).map { tiles[$0] },
      tiles.indices.filter { !chosen.contains($0) }.map { tiles[$0] }
    )
  }
}

/// The most important values are large first.
let firstKinds = ["speed", "power", "heart_rate", "cadence"]

extension Plan {
  /// The largest size in which the `first` kinds fit, with the rest in that size or as lines; of
  /// those plans the one with the widest spark lines. Large digits for some are better than lines
  /// for all.
  static func best(roads: Int, others: Int, first: Int, in room: Terminal.Size) -> Plan {
    let digits: [TileSize] = [.huge, .large, .middle, .small, .compact]
    func plan(_ sizes: [TileSize], large: [Int]) -> Plan? {
      for size in sizes where size.leastColumns <= room.columns {
        // A line would be lost next to huge digits.
        for count in size == .huge ? large.prefix(1) : large[...] {
          for across in 1...mostAcross(size, room.columns) {
            let plan = Plan(size, across: across, large: count, columns: room.columns)
            if plan.rows(roads: roads, others: others) <= room.rows { return plan }
          }
        }
      }
      return nil
    }
    // A line has a minimum width too.
    let hasLines = TileSize.line.leastColumns <= room.columns
    let counts = hasLines && first > 0 && first < others ? [others, first] : [others]
    if let plan = plan(digits, large: counts) { return plan.filled(roads: roads, others: others, rows: room.rows) }
    var some = min(firstKinds.count, others - 1)
    while some > 0, hasLines {
      if let plan = plan(digits, large: [some]) {
        return plan.filled(roads: roads, others: others, rows: room.rows)
      }
      some -= 1
    }
    return plan([.airyLine, .line], large: [others])
      ?? Plan(.line, across: mostAcross(.line, room.columns), large: others, columns: room.columns)
  }

  /// With as many large ones as fit, row by row.
  private func filled(roads: Int, others: Int, rows: Int) -> Plan {
    var plan = self
    while plan.rows(roads: roads, others: others) <= rows {
      var next = plan
      next.large = min(others, (plan.large / across + 1) * across)
      guard next.large > plan.large, next.rows(roads: roads, others: others) <= rows else { break }
      plan = next
    }
    return plan
  }

  private static func mostAcross(_ size: TileSize, _ columns: Int) -> Int {
    max(1, (columns + 3) / (size.leastColumns + 3))
  }
}
