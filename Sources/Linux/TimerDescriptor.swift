// A timerfd on the boot clock, readable once its time has come.

internal import CLinux
public import Time

public struct TimerDescriptor: ~Copyable {
  public let descriptor: FileDescriptor

  public init() throws(SystemError) {
    descriptor = FileDescriptor(
      owning: try systemCall("timerfd_create") { timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC)) })
  }

  /// Nil disarms it. A time in the past fires at once.
  public func arm(at time: MonotonicTime?) throws(SystemError) {
    var setting = itimerspec()
    if let time {
      // All zeros would disarm it.
      let moment = max(time.nanoseconds, 1)
      setting.it_value.tv_sec = Int(moment / 1_000_000_000)
      setting.it_value.tv_nsec = Int(moment % 1_000_000_000)
    }
    try systemCall("timerfd_settime") {
      unsafe timerfd_settime(descriptor.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
  }

  /// Makes it unreadable until it fires again.
  public func acknowledge() throws(SystemError) {
    var count: UInt64 = 0
    _ = try attempt("read") { unsafe read(descriptor.number, &count, 8) }
  }
}
