// How long a connected sensor may be silent before the daemon ends its link and connects again. That helps where BlueZ only believes that it
// has subscribed. It does not help a strap that lies in a drawer, so each reconnect in a row that changes nothing doubles the time.

struct SilenceBackOff: Equatable {
  /// The time stops to grow after so many reconnects.
  static let mostDoublings = 5

  private var reconnects = 0

  /// `first`: the time of the sensor's kind.
  func limit(_ first: Duration) -> Duration { first * (1 << min(reconnects, Self.mostDoublings)) }

  mutating func reconnected() { reconnects += 1 }

  /// Values arrived on one link for that long. A single value after each connect is not a cure.
  mutating func streamed(for time: Duration, _ first: Duration) {
    if time >= first { reconnects = 0 }
  }
}
