// What was repaired or left out. All of it has to fit into one line of the protocol.

import ActivityFiles

struct ImportWarnings {
  private static let most = 100
  private static let mostBytes = 20_000

  private var warnings: [String] = []
  private var omissions: [String] = []
  private var bytes = 0

  mutating func add(_ item: ActivityItem) {
    switch item {
    case .warning(let text): add(text)
    case .omission(let text):
      if hasRoom(for: text, omissions.count) { omissions.append(text) }
    default: break
    }
  }

  mutating func add(_ text: String) {
    if hasRoom(for: text, warnings.count), !warnings.contains(text) { warnings.append(text) }
  }

  private mutating func hasRoom(for text: String, _ count: Int) -> Bool {
    guard count < Self.most, bytes + text.utf8.count <= Self.mostBytes else { return false }
    bytes += text.utf8.count
    return true
  }

  var sentences: [String] {
    omissions.isEmpty ? warnings : warnings + ["not imported: \(omissions.joined(separator: ", "))"]
  }
}
