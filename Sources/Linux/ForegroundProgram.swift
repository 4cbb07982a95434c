// A program that a command starts next to itself: it shares the terminal, and Ctrl-C interrupts both.

internal import CLinux
import Time

public final class ForegroundProgram {
  public enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  private let process: Int32
  private let descriptor: FileDescriptor
  /// Nil while it runs.
  public private(set) var end: End?
  /// Whether it did not end by itself.
  public private(set) var wasStopped = false

  /// Starts a program from PATH.
  public init(_ command: [String]) throws(SystemError) {
    // C requires mutable strings, so they are copied. They live until the child has its own copies.
    var words = unsafe command.map { unsafe strdup($0) }
    unsafe words.append(nil)
    let started = unsafe cyclometer_spawn_in_foreground(words)
    unsafe words.forEach { unsafe free($0) }
    guard started > 0 else { throw SystemError(call: "posix_spawnp", code: -started, subject: command.first) }
    process = started
    do throws(SystemError) {
      descriptor = FileDescriptor(owning: try systemCall("pidfd_open") { cyclometer_open_process(started) })
    } catch {
      // Without the descriptor, its end would not be noticed.
      _ = kill(started, SIGKILL)
      _ = waitpid(started, nil, 0)
      throw error
    }
  }

  /// Readable when the program has ended.
  public var number: Int32 { descriptor.number }

  /// Sets `end` if the program has ended.
  public func check() {
    guard end == nil else { return }
    reap(WNOHANG)
  }

  /// Waits for the end of the program. After that time it is asked to end, and after the same time
  /// again it is killed.
  public func finish(within time: Duration) throws(SystemError) {
    for signal in [SIGTERM, SIGKILL] where end == nil {
      if try !Waiting.untilReadable(number, deadline: .now + time) { stop(signal) }
      check()
    }
    if end == nil { reap(0) }
  }

  /// Asks it to end.
  public func terminate() {
    if end == nil { stop(SIGTERM) }
  }

  private func stop(_ signal: Int32) {
    wasStopped = true
    _ = kill(process, signal)
  }

  private func reap(_ options: Int32) {
    var status: Int32 = 0
    var reaped: Int32
    repeat {
      reaped = unsafe waitpid(process, &status, options)
    } while reaped < 0 && cyclometer_errno() == EINTR
    guard reaped == process else { return }
    let signal = status & 0x7f
    end = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
  }
}
