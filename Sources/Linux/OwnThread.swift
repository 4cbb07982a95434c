// A separate thread for blocking work in programs that must not block. The daemon has a single
// thread and does not use this.

internal import CLinux

public enum OwnThread {
  /// Runs `body` on a new thread with all signals blocked.
  public static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // The thread takes over the reference from `passRetained`. If it cannot be started, the
    // reference is released here.
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
  // `start` passed exactly one reference, which is released when the work ends.
  let work = unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
  work.body()
  return nil
}
