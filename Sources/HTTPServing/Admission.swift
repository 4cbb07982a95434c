// Decides who gets a connection when they are scarce. Values only; the server does the work.
//
// A newcomer displaces the connection that has been idle longest, because browsers keep idle ones
// and open new ones without harm. If all are in use, the newcomer is refused with an answer. If the
// server did not accept it, it would wait in the kernel's queue, and so would the clients after it.

import Linux
import Time

struct Admission {
  struct Place {
    /// Nil for a Unix socket.
    let peer: InternetAddress?
    /// Nil while the connection is in use.
    var idleSince: MonotonicTime?
  }

  enum Decision: Equatable {
    case free
    /// The connection with this index is closed.
    case inPlaceOf(Int)
    /// The reason, as the client reads it.
    case full(String)
  }

  /// The request of a younger one may be on its way.
  static let idleTime = Duration.seconds(1)

  let limits: HTTPLimits

  func decide(_ peer: InternetAddress?, among present: [Place], at now: MonotonicTime) -> Decision {
    let own = present.indices.filter { index in
      peer.flatMap { present[index].peer?.hasSameHost(as: $0) } ?? false
    }
    if own.count >= limits.connectionsOfAddress {
      return idlest(of: own, present, now) ?? .full("your address has all its \(own.count) connections in use")
    }
    guard present.count >= limits.connections else { return .free }
    return idlest(of: Array(present.indices), present, now) ?? .full("all \(limits.connections) connections are in use")
  }

  private func idlest(of indices: [Int], _ present: [Place], _ now: MonotonicTime) -> Decision? {
    let idle = indices.filter { index in present[index].idleSince.map { now - $0 >= Self.idleTime } ?? false }
    return idle.min { one, other in isOlder(present[one], present[other]) }.map { .inPlaceOf($0) }
  }

  private func isOlder(_ one: Place, _ other: Place) -> Bool {
    guard let left = one.idleSince, let right = other.idleSince else { return false }
    return left < right
  }
}
