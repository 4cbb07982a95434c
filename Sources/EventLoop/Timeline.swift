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

  public init(start: BootTime = BootTime(nanoseconds: 1_000_000_000_000)) {
    self.start = start
  }
}
