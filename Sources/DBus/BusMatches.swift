// Match rules. Each is sent to the bus once, however many handlers use it, and again on every new
// connection.

public final class Match {
  let rule: MatchRule
  let handler: (BusMessage) -> Void
  private var senderWatch: NameWatch?
  private(set) var isActive = true
  private weak var bus: Bus?

  init(bus: Bus, rule: MatchRule, handler: @escaping (BusMessage) -> Void) {
    self.bus = bus
    self.rule = rule
    self.handler = handler
  }

  /// The owner of the sender's name.
  func follow(_ watch: NameWatch) { senderWatch = watch }

  func endFollowing() {
    senderWatch?.cancel()
    senderWatch = nil
  }

  public func cancel() {
    guard isActive else { return }
    isActive = false
    bus?.remove(self)
  }
}

/// The matches in the order they were added, grouped by rule.
struct MatchTable {
  private var groups: [(rule: MatchRule, matches: [Match])] = []

  var rules: [MatchRule] { groups.map(\.rule) }

  /// Returns whether the rule is new.
  mutating func insert(_ match: Match) -> Bool {
    if let index = groups.firstIndex(where: { $0.rule == match.rule }) {
      groups[index].matches.append(match)
      return false
    }
    groups.append((match.rule, [match]))
    return true
  }

  /// Returns whether the rule is not used any more.
  mutating func remove(_ match: Match) -> Bool {
    guard let index = groups.firstIndex(where: { $0.rule == match.rule }) else { return false }
    groups[index].matches.removeAll { $0 === match }
    guard groups[index].matches.isEmpty else { return false }
    groups.remove(at: index)
    return true
  }

  func fitting(_ signal: SignalHeader, ownerOf: (String) -> String?) -> [Match] {
    groups.filter { $0.rule.fits(signal, ownerOf: ownerOf) }.flatMap(\.matches)
  }
}
