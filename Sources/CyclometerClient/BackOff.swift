// The delay before the next attempt. It doubles each time, up to a limit.

package struct BackOff {
  static let first = Duration.milliseconds(250)
  static let longest = Duration.seconds(4)

  private var pause = first

  package init() {}

  package mutating func next() -> Duration {
    defer { pause = min(pause * 2, Self.longest) }
    return pause
  }

  /// A connection that is lost at once does not reset the delay, so that a failing daemon is not
  /// flooded.
  package mutating func connectionLasted(_ time: Duration) {
    if time >= Self.longest { pause = Self.first }
  }
}
