// Tests run on Dispatch's threads, which block all signals, and child processes inherit that. A
// shell then waits for its children forever, and programs ignore SIGTERM.

internal import Glibc

/// Starts a process with the signal mask that it would have in a terminal.
public func withSignalsUnblocked<Result>(_ start: () throws -> Result) rethrows -> Result {
  var (none, before) = (sigset_t(), sigset_t())
  // Both sets are local and outlive the calls.
  unsafe sigemptyset(&none)
  unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  return try start()
}
