// Whether another bridge uses the same name at the broker. A broker closes the connection of the one
// when the other connects, and not every broker gives that as the reason: Debian's Mosquitto 2.0.11
// does not. But with each new connection a bridge gets the status that was published last under its
// name, and knows if that was not its own.

import Fleet
import Time
import Wire

struct NameWatch {
  /// So many connections of another bridge within this time, and what it has published is current.
  private static let proof = (most: 2, within: Duration.seconds(300))
  /// A broker that has crashed may know one that is not the newest.
  private static let mostOwn = 8

  /// When this bridge connected, each time.
  private var own: [WallTime] = []
  private var others: [(since: WallTime, received: MonotonicTime)] = []

  mutating func published(_ status: ReceiverStatus) {
    guard let since = status.since, own.last != since else { return }
    own = own.suffix(Self.mostOwn - 1) + [since]
  }

  /// Returns whether this bridge has to give up, so that the other one can go on. Both decide alike.
  mutating func mustGiveUp(after status: ReceiverStatus, own current: ReceiverStatus, at now: MonotonicTime) -> Bool {
    // Before the second connection, it may be of an earlier run.
    guard status.state.known != .offline, own.count > 1, let since = status.since, !own.contains(since) else {
      return false
    }
    others.removeAll { now - $0.received >= Self.proof.within || $0.since == since }
    others.append((since, now))
    guard others.count >= Self.proof.most else { return false }
    return Self.key(current) > Self.key(status)
  }

  private static func key(_ status: ReceiverStatus) -> String { (status.boot ?? "") + (status.instance ?? "") }
}
