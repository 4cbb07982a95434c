// When a device becomes stale, and when its link is rebuilt. There is one deadline, and it is set
// again only after it has passed, so packets set no timers.

import EventLoop
import Linux
import Time
import Wire

final class SilenceWatch {
  private let loop: EventLoop
  private var backOff = SilenceBackOff()
  private var deadline: Deadline?
  /// Called when the deadline has passed.
  var judge: () -> Void = {}

  init(loop: EventLoop) {
    self.loop = loop
  }

  func watch(until end: MonotonicTime?) {
    guard let end else { return cancel() }
    if let deadline {
      deadline.set(to: end)
    } else {
      deadline = loop.schedule(at: end) { [weak self] in self?.judge() }
    }
  }

  func cancel() { deadline?.cancel() }

  var isPending: Bool { deadline?.isPending == true }

  func forget() { backOff = SilenceBackOff() }

  func reconnected() { backOff.reconnected() }

  /// How long a link may be silent.
  func linkLimit(_ limits: SilenceLimits) -> Duration? { limits.reconnectAfter.map { backOff.limit($0) } }

  /// When a device becomes stale, or if it is stale, when its link is rebuilt. Before the first
  /// value, packets without a value do not count, so that it does not stay `connecting` for ever.
  func end(of phase: Phase, lastReceived: MonotonicTime, _ limits: SilenceLimits) -> MonotonicTime? {
    let untilStale = limits.staleAfter ?? limits.reconnectAfter
    return switch phase {
    case .stale: linkLimit(limits).map { lastReceived + $0 }
    case .connecting(let attempt): untilStale.map { (attempt.flow?.subscribedAt ?? lastReceived) + $0 }
    default: untilStale.map { lastReceived + $0 }
    }
  }

  /// Values that arrived on this link for a while reset the back-off, even for a later silence on
  /// the same link.
  func record(_ flow: Flow?, lastReceived: MonotonicTime, _ limits: SilenceLimits) {
    guard let firstValueAt = flow?.firstValueAt, let first = limits.reconnectAfter else { return }
    backOff.streamed(for: lastReceived - firstValueAt, first)
  }
}
