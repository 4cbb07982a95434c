// The devices of a scan, in the order in which they were found, and how each is shown: as a row of a
// redrawn list, as permanent lines, or as a line in a pipe.

import Text
import Vocabulary
import Wire

struct ScanResults {
  private(set) var all: [FoundRecord] = []

  /// Whether something besides the signal is new.
  @discardableResult
  mutating func take(_ found: FoundRecord) -> Bool {
    guard let index = all.firstIndex(where: { $0.address == found.address }) else {
      all.append(found)
      return true
    }
    var former = all[index]
    all[index] = found
    // A connected sensor does not advertise, so keep what its last advertisement contained.
    all[index].rssiDBm = found.rssiDBm ?? former.rssiDBm
    former.rssiDBm = found.rssiDBm
    return former != found
  }

  var nameWidth: Int { all.map { $0.shownName.columns }.max() ?? 0 }
}

extension FoundRecord {
  /// A device without a name is shown by its address.
  var shownName: String {
    let name = printable(name ?? "").trimmed
    return name.isEmpty ? address : name
  }

  /// What Cyclometer reads from it: `heart rate, battery`.
  var abilities: String {
    if plugins.isEmpty { return "not a known sensor" }
    return distinct(kinds).map { Quantity.label(printable($0)) }.joined(separator: ", ")
  }

  /// Its capabilities if they are few, otherwise their number.
  func commands(_ known: PluginCommands) -> String {
    let names = distinct(known.of(plugins).map(\.name))
    return names.count > 2 ? "takes \(names.count) commands" : names.map { Quantity.label($0) }.joined(separator: ", ")
  }

  /// A row of a redrawn list: name, bar, signal if there is room, whether it is paired, capabilities.
  func row(nameWidth: Int, columns: Int, _ style: Style) -> Line {
    let nameWidth = min(nameWidth, max(12, columns * 2 / 5))
    var line = Line(shownName.fitted(to: nameWidth, style), .strong)
    line.fill(to: nameWidth + 2)
    line.append(signal(withNumber: columns >= 60))
    line.add("  ")
    if isPaired { line.add("paired  ", .good) }
    line.add(abilities, plugins.isEmpty ? .faint : .plain)
    return line
  }

  func signal(withNumber: Bool) -> Line {
    let width = withNumber ? 12 : 4
    guard let rssiDBm else { return Line(String(repeating: " ", count: width)) }
    var line = Line(SignalBar.text(rssiDBm), SignalBar.colour(rssiDBm))
    if withNumber {
      line.add(" \(rssiDBm) dBm")
      if line.width < width { line.fill(to: width) }
    }
    return line
  }

  /// Permanent lines, with the address to copy and all capabilities.
  func lines(nameWidth: Int, columns: Int, style: Style, commands known: PluginCommands) -> [String] {
    let nameWidth = min(nameWidth, columns - 16)
    var head = Line(shownName.fitted(to: nameWidth, style), .strong)
    head.fill(to: nameWidth + 2)
    head.append(signal(withNumber: true))
    if isPaired, columns >= 60 { head.add("  paired as \(id)", .good) }
    let rest = [abilities, commands(known)].filter { !$0.isEmpty }.joined(separator: "; ")
    let first = head.text(columns: columns, style: style)
    let start = "  \(printable(address))  "
    guard columns >= 60 else {
      let paired = isPaired ? "; paired as \(printable(id))" : ""
      return [first, start.trimmedAtEnd] + (rest + paired).wrapped(to: columns - 5).map { "    " + $0 }
    }
    let pieces = rest.wrapped(to: columns - start.columns - 1)
    let margin = String(repeating: " ", count: start.columns)
    return [first] + pieces.enumerated().map { ($0 == 0 ? start : margin) + $1 }
  }

  /// For a pipe, one line per device: address, signal in dBm, `paired` or `new`, and kinds, which
  /// have no spaces and are never empty; the rest is the name.
  var plainLine: String {
    let kinds = kinds.isEmpty ? "-" : distinct(kinds).map(printable).joined(separator: ",")
    let signal = rssiDBm.map { "\($0)" } ?? "-"
    return [
      printable(address).padded(to: 17), signal.padded(to: 4), (isPaired ? "paired" : "new").padded(to: 6),
      kinds.padded(to: 28), printable(name ?? ""),
    ].joined(separator: "  ").trimmedAtEnd
  }
}

private func distinct(_ names: [String]) -> [String] {
  names.reduce(into: []) { all, name in if !all.contains(name) { all.append(name) } }
}
