// How often a paired screen may change something, and how many streams it may have open. Requests
// without a token share one allowance.

import HTTP
import Time

struct RateLimits {
  static let changesPerSecond = 20
  static let streams = 8

  private static let interval = Duration.seconds(1) / changesPerSecond
  /// Of each phone: when its allowance is whole again.
  private var wholeAgain: [Int?: MonotonicTime] = [:]
  private let counter = StreamCounter()

  mutating func admit(
    _ method: HTTPMethod, _ endpoint: WebEndpoint, _ phone: Int?, at now: MonotonicTime
  ) throws(AccessRefusal) -> StreamPermit? {
    switch method {
    case .head: return nil
    case .get: return endpoint == .events ? try openStream(phone) : nil
    case .post, .put, .patch, .delete:
      try admitChange(phone, at: now)
      return nil
    }
  }

  /// The allowance refills steadily, and a whole one is a burst of a second's worth.
  private mutating func admitChange(_ phone: Int?, at now: MonotonicTime) throws(AccessRefusal) {
    wholeAgain = wholeAgain.filter { $0.value > now }
    let whole = (wholeAgain[phone] ?? now) + Self.interval
    guard whole - now <= .seconds(1) else {
      throw AccessRefusal(
        .tooManyRequests, "more than \(Self.changesPerSecond) changes a second are not accepted", retrySeconds: 1)
    }
    wholeAgain[phone] = whole
  }

  /// A request without a token gets nil, and the gate refuses it next.
  private func openStream(_ phone: Int?) throws(AccessRefusal) -> StreamPermit? {
    guard let phone else { return nil }
    guard counter.count(of: phone) < Self.streams else {
      throw AccessRefusal(.tooManyRequests, "this screen has \(Self.streams) streams open: close one", retrySeconds: 1)
    }
    return StreamPermit(phone, counter)
  }
}

/// Counts a stream of a phone as open while it exists.
public final class StreamPermit {
  private let phone: Int
  private let counter: StreamCounter

  fileprivate init(_ phone: Int, _ counter: StreamCounter) {
    self.phone = phone
    self.counter = counter
    counter.open(phone)
  }

  deinit { counter.close(phone) }
}

private final class StreamCounter {
  private var counts: [Int: Int] = [:]

  func count(of phone: Int) -> Int { counts[phone] ?? 0 }
  func open(_ phone: Int) { counts[phone, default: 0] += 1 }

  func close(_ phone: Int) {
    let rest = count(of: phone) - 1
    counts[phone] = rest > 0 ? rest : nil
  }
}
