// How long to wait before the next attempt: twice as long each time, up to a limit.

struct BackOff {
  static let first = Duration.milliseconds(250)
  static let longest = Duration.seconds(4)

  private var pause = first

  /// The pause before the next attempt.
  mutating func next() -> Duration {
    defer { pause = min(pause * 2, Self.longest) }
    return pause
  }

  /// A connection that was lost at once is no success: a daemon that fails over and over is not hurried.
  mutating func connectionLasted(_ time: Duration) {
    if time >= Self.longest { pause = Self.first }
  }
}
