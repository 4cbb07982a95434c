// Match rules. Each is sent to the bus once, however many handlers use it, and again on every new
// connection.

extension Bus {
  /// Calls the handler for every matching signal, on this and all later connections, until the
  /// match is cancelled.
  public func addMatch(_ rule: MatchRule, _ handler: @escaping (BusMessage) -> Void) -> Match {
    let match = Match(bus: self, rule: rule, handler: handler)
    // The owner is requested before the rule is set, so that it is known when the first signal
    // arrives.
    if let name = rule.wellKnownSender { match.senderWatch = watchName(name) { _ in } }
    if matches.insert(match) { tellBus(rule) }
    return match
  }

  func remove(_ match: Match) {
    match.senderWatch?.cancel()
    match.senderWatch = nil
    guard matches.remove(match), isConnected, let connection else { return }
    let call = BusNames.call("RemoveMatch", .string(match.rule.text))
    // The reply would only confirm that the rule existed.
    connection.call(call) { _ in }
  }

  func renewMatches(_ isWanted: (MatchRule) -> Bool) {
    for rule in matches.rules where isWanted(rule) { tellBus(rule) }
  }

  /// A connection that misses signals is worse than none, so it is dropped and retried with
  /// back-off. A rule that is invalid for every bus stays without effect.
  private func tellBus(_ rule: MatchRule) {
    guard isConnected, let connection else { return }
    connection.call(BusNames.call("AddMatch", .string(rule.text))) { [weak connection] result in
      if case .failure(let error) = result, error.name != .matchRuleInvalid { connection?.lose(error) }
    }
  }

  func deliver(_ signal: BusMessage) {
    let header = SignalHeader(signal)
    for match in matches.fitting(header, ownerOf: { names[$0]?.owner }) where match.isActive {
      match.handler(signal)
    }
  }
}

public final class Match {
  let rule: MatchRule
  let handler: (BusMessage) -> Void
  var senderWatch: NameWatch?
  private(set) var isActive = true
  private weak var bus: Bus?

  init(bus: Bus, rule: MatchRule, handler: @escaping (BusMessage) -> Void) {
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
