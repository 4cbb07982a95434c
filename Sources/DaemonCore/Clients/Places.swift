// Who gets in when places are short. Values only: the server says who is there, this says who makes room.
//
// Always so: places for control.sock cannot be taken by metrics clients, and a user with fewer than 16 of them gets in while any other
// has more. Many users together can take no more than one of them can.

import EventLoop
import Linux

enum Places {
  /// Of both sockets together.
  static let limit = 256
  /// For control.sock alone. A user's metrics clients leave as many to other users.
  static let reserved = 16
  /// After this long without a request, a client that never subscribed makes room for others.
  static let idleTime = Duration.seconds(30)

  /// A client that is there, or wants to be.
  struct Place: Equatable {
    let user: UInt32
    let door: Client.Door
    /// When it asked last, if it never subscribed and waits for nothing.
    var idleSince: BootTime?
  }

  enum Decision: Equatable {
    case free
    /// The client with this index makes room.
    case inPlaceOf(Int)
    /// Why not, as the client reads it.
    case full(String)
  }

  /// `present`: oldest first.
  static func decide(_ newcomer: Place, among present: [Place], at now: BootTime) -> Decision {
    let own = present.count { $0.user == newcomer.user }
    let metrics = present.count { $0.door == .metrics }
    if newcomer.door == .metrics, own >= limit - reserved {
      return .full("the places that one user may take are taken")
    }
    let isFull = present.count >= limit || newcomer.door == .metrics && metrics >= limit - reserved
    guard isFull else { return .free }
    if let idle = longestIdle(for: newcomer, among: present, at: now) { return .inPlaceOf(idle) }
    switch newcomer.door {
    case .control:
      let ownControl = present.count { $0.user == newcomer.user && $0.door == .control }
      guard ownControl < reserved else { break }
      if let victim = newestOfFullest(among: present, sparing: max(reserved, ownControl + 1)) {
        return .inPlaceOf(victim)
      }
      if let victim = newest(.control, among: present, ofUserWithMoreThan: ownControl + 1) { return .inPlaceOf(victim) }
    case .metrics:
      guard own < reserved else { break }
      if let victim = newest(.metrics, among: present, ofUserWithMoreThan: own + 1) { return .inPlaceOf(victim) }
    }
    return .full("all \(limit) places are taken")
  }

  /// The longest idle of the user with the most places. Nobody loses one to a user who has more.
  private static func longestIdle(for newcomer: Place, among present: [Place], at now: BootTime) -> Int? {
    let counts = count(present) { _ in true }
    let own = counts[newcomer.user] ?? 0
    var best: (index: Int, held: Int, since: BootTime)?
    for (index, place) in present.enumerated() {
      guard let since = place.idleSince, now - since >= idleTime else { continue }
      // A place of control.sock is none for metrics.sock.
      guard newcomer.door == .control || place.door == .metrics else { continue }
      let held = counts[place.user] ?? 0
      guard place.user == newcomer.user || held > own else { continue }
      if let best, best.held > held || best.held == held && best.since <= since { continue }
      best = (index, held, since)
    }
    return best?.index
  }

  /// The newest metrics client of the user who has most places of both sockets, or where there is none the newest client of
  /// control.sock. A user keeps `spared` of the latter.
  private static func newestOfFullest(among present: [Place], sparing spared: Int) -> Int? {
    let held = count(present) { _ in true }
    let controls = count(present) { $0.door == .control }
    func canGo(_ place: Place) -> Bool { place.door == .metrics || controls[place.user] ?? 0 > spared }
    guard let most = present.lazy.filter(canGo).compactMap({ held[$0.user] }).max() else { return nil }
    return present.lastIndex { $0.door == .metrics && held[$0.user] == most }
      ?? present.lastIndex { canGo($0) && held[$0.user] == most }
  }

  /// The newest client by that door of the user who has most of them.
  private static func newest(_ door: Client.Door, among present: [Place], ofUserWithMoreThan least: Int) -> Int? {
    let counts = count(present) { $0.door == door }
    guard let most = counts.values.max(), most > least else { return nil }
    return present.lastIndex { $0.door == door && counts[$0.user] == most }
  }

  private static func count(_ present: [Place], _ isCounted: (Place) -> Bool) -> [UInt32: Int] {
    var counts: [UInt32: Int] = [:]
    for place in present where isCounted(place) { counts[place.user, default: 0] += 1 }
    return counts
  }
}
