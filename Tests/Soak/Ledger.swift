// The results: the number of faults per row, and the time until all sensors streamed again.

import Linux

struct Ledger {
  struct Entry {
    var faults = 0
    var recoveries: [Duration] = []
  }

  private(set) var rows: [String: Entry] = [:]

  var faults: Int { rows.values.reduce(0) { $0 + $1.faults } }

  mutating func begun(_ row: String) {
    rows[row, default: Entry()].faults += 1
  }

  mutating func recovered(_ row: String, after span: Duration) {
    rows[row, default: Entry()].recoveries.append(span)
  }

  mutating func add(_ other: Ledger) {
    for (row, entry) in other.rows {
      rows[row, default: Entry()].faults += entry.faults
      rows[row, default: Entry()].recoveries += entry.recoveries
    }
  }

  /// One line per row: the number of faults, the number of single ones, and the median and longest
  /// time from the end of the fault until the last sensor's next sample.
  var table: [String] {
    let titles = "row                                          faults  alone  median s  longest s"
    return [titles]
      + rows.sorted { $0.key < $1.key }.map { row, entry in
        let times = entry.recoveries.sorted()
        let median = times.isEmpty ? "-" : seconds(times[times.count / 2])
        let longest = times.last.map(seconds) ?? "-"
        return pad(row, to: -43) + pad("\(entry.faults)", to: 8) + pad("\(times.count)", to: 7) + pad(median, to: 10)
          + pad(longest, to: 11)
      }
  }
}

private func pad(_ text: String, to width: Int) -> String {
  let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
  return width < 0 ? text + spaces : spaces + text
}
