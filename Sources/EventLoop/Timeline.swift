// Which time a loop lives in: the boot clock's, or a twin that passes only when nothing else can happen.

public import Linux

public enum Timeline {
  case boot
  case virtual(VirtualTime)

  var twin: VirtualTime? {
    if case .virtual(let twin) = self { twin } else { nil }
  }

  var start: BootTime {
    if case .virtual(let twin) = self { twin.start } else { BootTime.now }
  }
}

public final class VirtualTime {
  public enum Quiescence {
    /// Nothing happens before the next deadline.
    case settled
    /// Another process has still to answer.
    case underway
  }

  public let start: BootTime
  /// Asked when no descriptor is ready. A test with a bus says `underway` until the bus has answered everybody.
  public var quiescence: () -> Quiescence = { .settled }
  /// For how many real milliseconds an answer may be under way before `lostPatience`.
  public var patience: Int32 = 20_000
  public var lostPatience: () -> Void = { preconditionFailure("virtual time: no answer came from the other process") }

  /// How often the loop may turn while no time passes: a descriptor that is ready for ever would hang the test.
  public var mostTurnsAtOneMoment = 500_000
  public var runsInCircles: () -> Void = { preconditionFailure("virtual time: the loop turns and time does not pass") }
  private var turns = 0
  private var slept = Duration.zero

  /// The computer sleeps that long before the loop's next turn: what was due meanwhile is late.
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

  public init(start: BootTime = BootTime(nanoseconds: 1_000_000_000_000)) {
    self.start = start
  }
}
