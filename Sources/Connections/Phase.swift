// What a connection is doing, with what only that needs. The payloads are classes, because they are
// changed in place and identify what a late callback belongs to.

import Linux
import Radio
import Time
import Wire

enum Phase {
  case disabled
  case searching(Search)
  case connecting(Attempt)
  case streaming(Flow)
  case stale(Flow)
  case error

  var state: SensorState {
    switch self {
    case .disabled: .disabled
    case .searching: .searching
    case .connecting: .connecting
    case .streaming: .streaming
    case .stale: .stale
    case .error: .error
    }
  }

  // These two are asked for each packet, and comparing states costs more.
  var isStreaming: Bool {
    if case .streaming = self { true } else { false }
  }

  /// The device has sent a value on its link.
  var hasSpoken: Bool {
    switch self {
    case .streaming, .stale: true
    case .disabled, .searching, .connecting, .error: false
    }
  }

  func retryMS(at now: MonotonicTime) -> Int? {
    guard case .searching(let search) = self, let retryAt = search.retryAt, retryAt > now else { return nil }
    return Int((retryAt - now).wholeNanoseconds / 1_000_000)
  }

  func isSame(as other: Phase) -> Bool { state == other.state && payload === other.payload }

  private var payload: AnyObject? {
    switch self {
    case .searching(let search): search
    case .connecting(let attempt): attempt
    case .streaming(let flow), .stale(let flow): flow
    case .disabled, .error: nil
    }
  }
}

/// Where packets come from: an open link, or adverts.
final class Flow {
  /// Nil if the device broadcasts, and once the link is closed.
  var link: (any Link)?
  /// All required subscriptions are done: values are expected, or are arriving.
  var subscribedAt: MonotonicTime?
  var firstValueAt: MonotonicTime?
  /// It has sent something.
  var hasSpoken = false
  /// It was subscribed to again, because it had sent nothing.
  var wasDemanded = false

  init(_ link: (any Link)?) {
    self.link = link
  }
}
