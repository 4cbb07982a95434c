// What a command needs of the terminal, and how it ends: at once when interrupted, with the line it was drawing erased.

internal import CLinux

public enum Terminal {
  /// The width of the terminal on this descriptor; nil where it is none, or does not know.
  public static func columns(_ descriptor: Int32) -> Int? {
    let columns = Int(cyclometer_terminal_columns(descriptor))
    return columns > 0 ? columns : nil
  }

  /// From now on Ctrl-C ends the process with status 130, also in the middle of a read or write that blocks.
  public static func endOnInterrupt() {
    cyclometer_end_on_interrupt()
  }

  /// Says that standard error shows a line that an interruption must erase.
  public static func setOpenLine(_ isOpen: Bool) {
    cyclometer_set_open_line(isOpen ? 1 : 0)
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

  public static func exit(_ status: Int32) -> Never {
    CLinux.exit(status)
  }
}
