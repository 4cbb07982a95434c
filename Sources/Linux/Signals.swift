// Signals as a descriptor to read, so that they are handled in the loop's turn and never in the middle of something.

internal import CLinux

public enum Signal: Int32, Sendable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

public struct SignalDescriptor: ~Copyable {
  public let descriptor: FileDescriptor

  /// Blocks the usual delivery of these signals to this thread, and catches them here.
  public init(_ signals: [Signal]) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal.rawValue) }
    try systemCall("sigprocmask") { unsafe sigprocmask(SIG_BLOCK, &set, nil) }
    descriptor = FileDescriptor(
      owning: try systemCall("signalfd") { unsafe signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC)) })
  }

  /// The next signal that came, if any.
  public func next() throws(SystemError) -> Signal? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard case .done = try attempt("read", { unsafe read(descriptor.number, &info, size) }) else { return nil }
    return Signal(rawValue: Int32(info.ssi_signo))
  }
}

/// A write to a peer that went is an error to handle, not a reason to die.
public func ignoreBrokenPipes() {
  cyclometer_ignore_signal(SIGPIPE)
}
