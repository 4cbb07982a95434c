// A time on a clock that never goes back. The caller chooses its origin: the daemon counts from
// boot, a capture from its first line. This target never reads a clock.

public struct MonotonicTime: Comparable, Hashable, Sendable {
  public let nanoseconds: Int64

  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  @inlinable
  public init(seconds: Double) {
    nanoseconds = Int64((seconds * 1e9).rounded())
  }

  @inlinable
  public var seconds: Double { Double(nanoseconds) / 1e9 }

  @inlinable
  public func seconds(since earlier: MonotonicTime) -> Double {
    Double(nanoseconds - earlier.nanoseconds) / 1e9
  }

  @inlinable
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  @inlinable
  public static func + (time: MonotonicTime, span: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds + span.wholeNanoseconds)
  }

  @inlinable
  public static func - (later: MonotonicTime, earlier: MonotonicTime) -> Duration {
    .nanoseconds(later.nanoseconds - earlier.nanoseconds)
  }
}

extension Duration {
  @inlinable
  public var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
