// How long a connected sensor may be silent before the daemon reconnects. That helps if BlueZ only
// believes that it has subscribed. It does not help a strap in a drawer, so each reconnect in a row
// without effect doubles the time.

struct SilenceBackOff: Equatable {
  /// The time stops growing after this many reconnects.
  static let mostDoublings = 5

  private var reconnects = 0

  /// `first`: the initial time, which the plugin sets.
  func limit(_ first: Duration) -> Duration { first * (1 << min(reconnects, Self.mostDoublings)) }

  mutating func reconnected() { reconnects += 1 }

  /// Values arrived on one link for this long. A single value after each connect does not reset the
  /// back-off.
  mutating func streamed(for time: Duration, _ first: Duration) {
    if time >= first { reconnects = 0 }
  }
}
