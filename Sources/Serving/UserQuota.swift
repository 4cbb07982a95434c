// Limits what one user can use, over all its connections: bytes queued for its clients, and
// requests per second. A long request or reply costs more than one. The kernel identifies the user
// (SO_PEERCRED). Asking too fast is not an error: further requests wait until the quota allows
// them.

import EventLoop
import Linux
package import Time

package final class UserQuota {
  package private(set) var clients = 0
  private var queuedBytes = 0
  private var requests = UserQuota.burst
  private var countedAt: MonotonicTime

  /// For all clients of one user together. Each may have 64 KiB, but few leave much of it unread.
  static let queueLimit = 4 << 20
  /// This many requests are answered at once; `perSecond` more follow each second.
  static let burst = 2000.0
  static let perSecond = 1000.0

  init(at now: MonotonicTime) {
    countedAt = now
  }

  package func join() {
    clients += 1
  }

  package func leave(withQueued bytes: Int) {
    clients -= 1
    queuedBytes -= bytes
  }

  package func changeQueue(by bytes: Int) {
    queuedBytes += bytes
  }

  /// Whether the user's limit is reached and this client holds more than its share of it.
  package func isExhausted(for queued: Int) -> Bool {
    queuedBytes >= Self.queueLimit && queued >= Self.queueLimit / max(1, clients)
  }

  /// Whether a request is left.
  package func hasRequests(at now: MonotonicTime) -> Bool {
    refill(now)
    return requests >= 1
  }

  /// Takes a request, which costs one plus one per KiB. Returns false if none is left. A request
  /// that costs more than what is left is accepted, and later ones wait for it.
  func admitRequest(bytes: Int = 0, at now: MonotonicTime) -> Bool {
    guard hasRequests(at: now) else { return false }
    requests -= 1
    charge(bytes: bytes)
    return true
  }

  /// One request for each whole KiB that was read, or written for this user alone.
  package func charge(bytes: Int) {
    requests -= Double(bytes >> 10)
  }

  /// A full quota is the same as that of a new user, so it need not be kept.
  func isWhole(at now: MonotonicTime) -> Bool {
    refill(now)
    return requests >= Self.burst
  }

  private func refill(_ now: MonotonicTime) {
    let passed = Double((now - countedAt).wholeNanoseconds) / 1e9
    requests = min(Self.burst, requests + passed * Self.perSecond)
    countedAt = now
  }

  /// Time to refill 50 requests.
  package static let pause = Duration.milliseconds(50)
}
