// The time of a loop: the boot clock, or virtual time that only advances when nothing else can
// happen.

import Linux
public import Time

public enum Timeline {
  case boot
  case virtual(VirtualTime)

  var twin: VirtualTime? {
    if case .virtual(let twin) = self { twin } else { nil }
  }

  var start: MonotonicTime {
    if case .virtual(let twin) = self { twin.start } else { MonotonicTime.now }
  }
}

public final class VirtualTime {
  public enum Quiescence {
    /// Nothing happens before the next deadline.
    case settled
    /// A reply from another process is still expected.
    case underway
  }

  public let start: MonotonicTime
  /// Called when no descriptor is ready. A test with a bus returns `underway` until the bus has
  /// replied to everything.
  public var quiescence: () -> Quiescence = { .settled }
  /// Real milliseconds to wait for a reply before `lostPatience` is called.
  public let timeout: Int32 = 20_000
  public var lostPatience: () -> Void = { preconditionFailure("virtual time: no answer came from the other process") }

  /// How many iterations may pass without time advancing. A descriptor that is always ready would
  /// otherwise hang the test.
  public let mostTurnsAtOneMoment = 500_000
  public var runsInCircles: () -> Void = { preconditionFailure("virtual time: the loop turns and time does not pass") }
  private var turns = 0
  private var slept = Duration.zero

  /// Simulates that the computer sleeps before the next iteration; deadlines in that time are late.
  public func sleep(for span: Duration) {
    slept += span
  }

  func takeSleep() -> Duration {
    defer { slept = .zero }
    return slept
  }

  func countTurn() {
    turns += 1
    if turns > mostTurnsAtOneMoment { runsInCircles() }
  }

  func timePasses() {
    turns = 0
  }

  public init(start: MonotonicTime = MonotonicTime(nanoseconds: 1_000_000_000_000)) {
    self.start = start
  }
}
