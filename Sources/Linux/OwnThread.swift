// A thread of its own, for what has to wait in the kernel beside a program that must not: the daemon has one thread and never
// needs this.

internal import CLinux

public enum OwnThread {
  /// Runs `body` on a new thread, which no signal interrupts.
  public static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // The thread takes over the reference that `passRetained` gives; where it does not come about, that is given back here.
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe cyclometer_start_thread(runWork, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw SystemError(call: "pthread_create", code: code)
    }
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

private func runWork(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let pointer = unsafe pointer else { return nil }
  // `start` passed exactly one reference, which ends with the work.
  let work = unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
  work.body()
  return nil
}
