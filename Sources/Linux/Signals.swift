// Signals through a descriptor, so that the loop handles them and they interrupt nothing.

internal import CLinux

public enum Signal: Int32, Sendable {
  case hangUp = 1
  case interrupt = 2
  case terminate = 15
}

public struct SignalDescriptor: ~Copyable {
  public let descriptor: FileDescriptor

  /// Blocks the normal delivery of these signals to this thread and receives them here.
  public init(_ signals: [Signal]) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal.rawValue) }
    try systemCall("sigprocmask") { unsafe sigprocmask(SIG_BLOCK, &set, nil) }
    descriptor = FileDescriptor(
      owning: try systemCall("signalfd") { unsafe signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC)) })
  }

  /// The next pending signal, if any.
  public func next() throws(SystemError) -> Signal? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard case .done = try attempt("read", { unsafe read(descriptor.number, &info, size) }) else { return nil }
    return Signal(rawValue: Int32(info.ssi_signo))
  }
}

extension Signal {
  public func send(toProcess number: Int32) throws(SystemError) {
    // 0 and negative numbers are groups of processes.
    guard number > 0 else { throw SystemError(call: "kill", code: ESRCH) }
    try systemCall("kill") { kill(number, rawValue) }
  }
}

/// Makes writing to a closed peer an error instead of ending the process.
public func ignoreBrokenPipes() {
  cyclometer_ignore_signal(SIGPIPE)
}
