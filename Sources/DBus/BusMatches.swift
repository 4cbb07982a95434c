// Match rules: each is told to the bus once, however many handlers want it, and again on every new connection.

extension Bus {
  /// Calls for every signal that fits, from now on and on every connection to come, until the match is cancelled.
  public func addMatch(_ rule: MatchRule, _ handler: @escaping (Message) -> Void) -> Match {
    let match = Match(bus: self, rule: rule, handler: handler)
    // The owner is asked for before the rule is set, so it is known when the first signal comes.
    if let name = rule.wellKnownSender { match.senderWatch = watchName(name) { _ in } }
    if matches.insert(match) { tellBus(rule) }
    return match
  }

  func remove(_ match: Match) {
    match.senderWatch?.cancel()
    match.senderWatch = nil
    guard matches.remove(match), isConnected, let connection else { return }
    let call = BusNames.call("RemoveMatch", .string(match.rule.text))
    // An answer would say only that the rule was there.
    connection.call(call) { _ in }
  }

  func renewMatches(_ isWanted: (MatchRule) -> Bool) {
    for rule in matches.rules where isWanted(rule) { tellBus(rule) }
  }

  /// A connection that is deaf to a rule is worse than none: it is given up, and tried again with back-off. A rule that no
  /// bus would take fits nothing, and stays without effect.
  private func tellBus(_ rule: MatchRule) {
    guard isConnected, let connection else { return }
    connection.call(BusNames.call("AddMatch", .string(rule.text))) { [weak connection] result in
      if case .failure(let error) = result, error.name != .matchRuleInvalid { connection?.lose(error) }
    }
  }

  func deliver(_ signal: Message) {
    let header = SignalHeader(signal)
    for match in matches.fitting(header, ownerOf: { names[$0]?.owner }) where match.isActive {
      match.handler(signal)
    }
  }
}

public final class Match {
  let rule: MatchRule
  let handler: (Message) -> Void
  var senderWatch: NameWatch?
  private(set) var isActive = true
  private weak var bus: Bus?

  init(bus: Bus, rule: MatchRule, handler: @escaping (Message) -> Void) {
    self.bus = bus
    self.rule = rule
    self.handler = handler
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

  /// Whether the rule is a new one.
  mutating func insert(_ match: Match) -> Bool {
    if let index = groups.firstIndex(where: { $0.rule == match.rule }) {
      groups[index].matches.append(match)
      return false
    }
    groups.append((match.rule, [match]))
    return true
  }

  /// Whether nobody wants the rule any more.
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
