// The system's journal, to which a line can be given with fields beside it, so that `journalctl FIELD=value` finds what is about one
// thing. A datagram of `NAME=value` lines each, as systemd's documentation of the journal's native protocol has it: thirty lines that
// spare a library.

internal import CLinux

public final class Journal {
  private let socket: UnixDatagrams
  private let identifier: String

  /// Nil where standard error does not lead to the journal: then nobody would look for lines there.
  public init?(of identifier: String, socket path: String = "/run/systemd/journal/socket") {
    guard Self.isStandardError, let socket = UnixDatagrams(to: path) else { return nil }
    self.socket = socket
    self.identifier = identifier
  }

  /// False where the journal did not take it. Names are of capital letters and underscores; line feeds in values and
  /// the message become spaces.
  public func write(_ message: String, priority: Int, _ fields: [(name: String, value: String)]) -> Bool {
    var text = "MESSAGE=\(Self.line(message))\nPRIORITY=\(priority)\nSYSLOG_IDENTIFIER=\(identifier)\n"
    for field in fields { text += "\(field.name)=\(Self.line(field.value))\n" }
    return socket.send(text)
  }

  /// What follows a line feed would be a field of its own.
  private static func line(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" ? " " : $0 }))
  }

  /// Whether what is written to standard error goes to the journal: it says which file it made, which a redirection changes.
  public static var isStandardError: Bool {
    guard let stream = ProcessEnvironment.variable("JOURNAL_STREAM") else { return false }
    var status = stat()
    return unsafe fstat(2, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
  }
}
