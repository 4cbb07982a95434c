// Which sports are the same, as far as finding duplicates goes: sites and devices are more or less
// exact about the same ride.

struct SportFamily: Equatable {
  private let name: String

  /// Parts of the names of sports.
  private static let families = [
    "cycling": ["cycling", "biking", "ride"], "running": ["run"], "swimming": ["swim"], "walking": ["walk", "hik"],
    "skiing": ["ski"],
  ]

  init(_ sport: String) {
    let family = Self.families.first { $0.value.contains { sport.hasPart($0) } }
    name = family?.key ?? sport
  }
}

extension String {
  fileprivate func hasPart(_ part: String) -> Bool {
    var rest = utf8[...]
    while rest.count >= part.utf8.count {
      if rest.starts(with: part.utf8) { return true }
      rest.removeFirst()
    }
    return false
  }
}
