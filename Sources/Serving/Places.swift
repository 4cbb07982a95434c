// Decides who gets a connection when they are scarce. Values only; the server does the work.
//
// Two guarantees: other clients cannot take the connections reserved for one socket. A user
// with fewer connections than are reserved gets one while any other user has more. Many users
// together can take no more than one user alone.

import EventLoop
import Linux
package import Time

package struct Places: Sendable {
  /// For all sockets of the service together.
  package let limit: Int
  /// Kept free for the reserved socket. The other clients of one user leave as many to other users.
  let reserved: Int
  /// A client that never subscribed can be displaced after this long without a request.
  static let idleTime = Duration.seconds(30)

  package init(limit: Int = 256, reserved: Int = 16) {
    (self.limit, self.reserved) = (limit, reserved)
  }

  /// A connected client, or one that is connecting.
  package struct Place: Equatable {
    let user: UInt32
    let role: SocketRole
    /// Time of its last request, if it never subscribed and waits for nothing.
    var idleSince: MonotonicTime?

    package init(user: UInt32, role: SocketRole, idleSince: MonotonicTime? = nil) {
      self.user = user
      self.role = role
      self.idleSince = idleSince
    }
  }

  package enum Decision: Equatable {
    case free
    /// The client with this index is disconnected.
    case inPlaceOf(Int)
    /// The reason, as the client reads it.
    case full(String)
  }

  /// `present` is sorted, oldest first.
  package func decide(_ newcomer: Place, among present: [Place], at now: MonotonicTime) -> Decision {
    let full = Decision.full("all \(limit) connections are in use")
    let own = present.count { $0.user == newcomer.user }
    let others = present.count { !$0.role.isReserved }
    if !newcomer.role.isReserved, own >= limit - reserved {
      return .full("one user cannot have more connections")
    }
    let isFull = present.count >= limit || !newcomer.role.isReserved && others >= limit - reserved
    guard isFull else { return .free }
    if let idle = Self.longestIdle(for: newcomer, among: present, at: now) { return .inPlaceOf(idle) }
    if newcomer.role.isReserved {
      let ownControl = present.count { $0.user == newcomer.user && $0.role.isReserved }
      guard ownControl < reserved else { return full }
      if let victim = Self.newestOfFullest(among: present, sparing: max(reserved, ownControl + 1)) {
        return .inPlaceOf(victim)
      }
      return Self.newest(isReserved: true, among: present, ofUserWithMoreThan: ownControl + 1).map { .inPlaceOf($0) }
        ?? full
    }
    guard own < reserved else { return full }
    return Self.newest(isReserved: false, among: present, ofUserWithMoreThan: own + 1).map { .inPlaceOf($0) } ?? full
  }

  /// The longest idle client of the user with the most connections. No user loses one to a user who
  /// has more.
  private static func longestIdle(for newcomer: Place, among present: [Place], at now: MonotonicTime) -> Int? {
    let counts = count(present) { _ in true }
    let own = counts[newcomer.user] ?? 0
    var best: (index: Int, held: Int, since: MonotonicTime)?
    for (index, place) in present.enumerated() {
      guard let since = place.idleSince, now - since >= idleTime else { continue }
      // A newcomer on another socket cannot use a connection freed on the reserved one.
      guard newcomer.role.isReserved || !place.role.isReserved else { continue }
      let held = counts[place.user] ?? 0
      guard place.user == newcomer.user || held > own else { continue }
      if let best, best.held > held || best.held == held && best.since <= since { continue }
      best = (index, held, since)
    }
    return best?.index
  }

  /// The newest other client of the user with the most connections, or else the newest reserved
  /// client. A user keeps `spared` reserved clients.
  private static func newestOfFullest(among present: [Place], sparing spared: Int) -> Int? {
    let held = count(present) { _ in true }
    let controls = count(present) { $0.role.isReserved }
    func canGo(_ place: Place) -> Bool { !place.role.isReserved || controls[place.user] ?? 0 > spared }
    guard let most = present.lazy.filter(canGo).compactMap({ held[$0.user] }).max() else { return nil }
    return present.lastIndex { !$0.role.isReserved && held[$0.user] == most }
      ?? present.lastIndex { canGo($0) && held[$0.user] == most }
  }

  /// The newest client on that socket of the user who has the most there.
  private static func newest(isReserved: Bool, among present: [Place], ofUserWithMoreThan least: Int) -> Int? {
    let counts = count(present) { $0.role.isReserved == isReserved }
    guard let most = counts.values.max(), most > least else { return nil }
    return present.lastIndex { $0.role.isReserved == isReserved && counts[$0.user] == most }
  }

  private static func count(_ present: [Place], _ isCounted: (Place) -> Bool) -> [UInt32: Int] {
    var counts: [UInt32: Int] = [:]
    for place in present where isCounted(place) { counts[place.user, default: 0] += 1 }
    return counts
  }
}
