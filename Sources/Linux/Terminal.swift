// Terminal handling for commands. When interrupted, a command ends at once and restores the
// terminal. When stopped (Ctrl-Z) it also restores the terminal, and takes it again when it
// continues.

internal import CLinux

public enum Terminal {
  public struct Size: Equatable, Sendable {
    public let columns: Int
    public let rows: Int

    public init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// The size of the terminal on this descriptor; nil if it is not a terminal or the size is
  /// unknown.
  public static func size(_ descriptor: Int32) -> Size? {
    let size = cyclometer_terminal_size(descriptor)
    guard size.ws_col > 0, size.ws_row > 0 else { return nil }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// From now on Ctrl-C ends the process with status 130, even during a blocking read or write.
  public static func endOnInterrupt() {
    cyclometer_end_on_interrupt()
  }

  /// What is drawn on the terminal and has to be undone at the end.
  public enum Drawing: Int32, Sendable {
    case nothing, line, below, screen, question
  }

  /// Sets what is drawn from now on and prepares the terminal for it: `below` without a cursor,
  /// `screen` on the alternate screen. The previous drawing is undone, except for a line, which is
  /// erased by its author.
  public static func draw(_ drawing: Drawing) {
    cyclometer_terminal_draw(drawing.rawValue)
  }

  /// How many of the lines drawn `below`, after the first, remain on the terminal after an
  /// interrupt. Reset by the next `draw`.
  public static func keep(lines: Int) {
    cyclometer_terminal_keep(Int32(clamping: lines))
  }

  /// Whether keys on standard input are read as they are pressed, without echo. Returns false if it
  /// is not a terminal.
  @discardableResult
  public static func readKeys(_ reads: Bool) -> Bool {
    cyclometer_terminal_read_keys(reads ? 1 : 0) == 0
  }

  /// Wakes this waker at every change of the terminal, until another one is set.
  public static func wakeOnChange(_ waker: Waker?) {
    cyclometer_terminal_wake(waker?.far.number ?? 0)
  }

  /// Whether this process may read and change the terminal of standard input. Otherwise trying it
  /// would stop the process.
  public static var isInForeground: Bool { tcgetpgrp(0) == getpgrp() }

  /// Whether the screen has to be redrawn since the last call.
  public static func takeChange() -> Bool {
    cyclometer_terminal_was_changed() != 0
  }
}

extension ProcessEnvironment {
  /// Opens missing standard descriptors on /dev/null. Otherwise a socket could get the number of
  /// standard output and receive what is printed.
  public static func openStandardDescriptors() {
    while true {
      let number = unsafe cyclometer_open("/dev/null", O_RDWR, 0)
      guard number > 2 else {
        if number < 0 { return }
        continue
      }
      _ = close(number)
      return
    }
  }

  /// Restores the terminal and ends the process.
  public static func exit(_ status: Int32) -> Never {
    cyclometer_terminal_give_back()
    CLinux.exit(status)
  }
}
