// What a command needs of the terminal, and how it ends: at once when interrupted, with the terminal as it was found. Stopped
// (Ctrl-Z) it gives the terminal back as well, and takes it again when it goes on.

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

  /// Of the terminal on this descriptor; nil where it is none, or does not know.
  public static func size(_ descriptor: Int32) -> Size? {
    let size = cyclometer_terminal_size(descriptor)
    guard size.ws_col > 0, size.ws_row > 0 else { return nil }
    return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// From now on Ctrl-C ends the process with status 130, also in the middle of a read or write that blocks.
  public static func endOnInterrupt() {
    cyclometer_end_on_interrupt()
  }

  /// What is drawn that an end must undo.
  public enum Drawing: Int32, Sendable {
    case nothing, line, below, screen, question
  }

  /// Says how it is drawn from now on, and prepares the terminal for it: without a cursor `below`, on the alternate
  /// `screen`. What went before is undone, but a line, which whoever drew it erases.
  public static func draw(_ drawing: Drawing) {
    cyclometer_terminal_draw(drawing.rawValue)
  }

  /// How many of the lines drawn `below`, after the first, stay where the program is interrupted; until something else is
  /// drawn.
  public static func keep(lines: Int) {
    cyclometer_terminal_keep(Int32(clamping: lines))
  }

  /// Whether each key of standard input is read when it is pressed, without being shown. False where it is no terminal.
  @discardableResult
  public static func readKeys(_ reads: Bool) -> Bool {
    cyclometer_terminal_read_keys(reads ? 1 : 0) == 0
  }

  /// Wakes whoever waits whenever there is such a change, until another is named.
  public static func wakeOnChange(_ waker: Waker?) {
    cyclometer_terminal_wake(waker?.far.number ?? 0)
  }

  /// Whether this process may read from standard input's terminal and change it; one that may not is stopped when it does.
  public static var isInForeground: Bool { tcgetpgrp(0) == getpgrp() }

  /// Whether what is on the screen has to be drawn anew since this was asked last.
  public static func takeChange() -> Bool {
    cyclometer_terminal_was_changed() != 0
  }
}

extension ProcessEnvironment {
  /// Opens what is closed of the three standard descriptors onto nothing: a socket that took the number of standard output
  /// would be sent what was meant to be printed.
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

  /// Ends the process, and gives the terminal back.
  public static func exit(_ status: Int32) -> Never {
    cyclometer_terminal_give_back()
    CLinux.exit(status)
  }
}
