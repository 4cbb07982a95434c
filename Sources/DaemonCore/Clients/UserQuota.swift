// What one user of the machine may take of the daemon, however many connections it takes it with: bytes that wait for its
// clients, and requests a second. A long request, and a long answer, is work for more than one. Users are known by the kernel's word
// (SO_PEERCRED). Asking too fast is not an error: a user without requests left is read again when the next ones are due.

import EventLoop
import Linux

final class UserQuota {
  private(set) var clients = 0
  private var queuedBytes = 0
  private var requests = UserQuota.burst
  private var countedAt: BootTime

  /// What may wait for all clients of one user together: each has 64 KiB, and few leave much of it unread.
  static let queueLimit = 4 << 20
  /// A burst of as many requests is answered at once, and as many follow every second.
  static let burst = 2000.0
  static let perSecond = 1000.0

  init(at now: BootTime) {
    countedAt = now
  }

  func join() {
    clients += 1
  }

  func leave(withQueued bytes: Int) {
    clients -= 1
    queuedBytes -= bytes
  }

  func changeQueue(by bytes: Int) {
    queuedBytes += bytes
  }

  /// Whether a client with so many bytes waiting holds more than its share of what its user has used up.
  func isExhausted(for queued: Int) -> Bool {
    queuedBytes >= Self.queueLimit && queued >= Self.queueLimit / max(1, clients)
  }

  /// Takes a request of so many bytes, which costs one and one more for each KiB; false when there is none left. A request
  /// that costs more than what is left is taken, and the next ones wait for it.
  func takeRequest(bytes: Int = 0, at now: BootTime) -> Bool {
    refill(now)
    guard requests >= 1 else { return false }
    requests -= 1
    charge(bytes: bytes)
    return true
  }

  /// One request's worth for each whole KiB that was read, or written for this user alone.
  func charge(bytes: Int) {
    requests -= Double(bytes >> 10)
  }

  /// It says no more than that of a user who never came.
  func isWhole(at now: BootTime) -> Bool {
    refill(now)
    return requests >= Self.burst
  }

  private func refill(_ now: BootTime) {
    let passed = Double((now - countedAt).wholeNanoseconds) / 1e9
    requests = min(Self.burst, requests + passed * Self.perSecond)
    countedAt = now
  }

  /// How long until a good handful of requests is there again.
  static let pause = Duration.milliseconds(50)
}
