// Dispatch's threads, on which tests run, block every signal, and what they start inherits that: a shell then waits for its
// children for ever, and a program does not end on SIGTERM.

internal import Glibc

/// For the time of starting a process, with the signals of a program that was started from a terminal.
public func withSignalsUnblocked<Result>(_ start: () throws -> Result) rethrows -> Result {
  var (none, before) = (sigset_t(), sigset_t())
  // Both sets are ours, for the time of the calls.
  unsafe sigemptyset(&none)
  unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  return try start()
}
