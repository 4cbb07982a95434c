// Writes lines with fields to the system journal, so that `journalctl FIELD=value` finds everything
// about one subject. Each line is a datagram of `NAME=value` lines, as described in systemd's
// documentation of the native journal protocol. These few lines replace a library.

internal import CLinux

public final class Journal {
  private let socket: UnixDatagrams
  private let identifier: String

  /// Nil if standard error does not go to the journal, because users would not look for messages
  /// there.
  public init?(of identifier: String, socket path: String = "/run/systemd/journal/socket") {
    guard Self.isStandardError, let socket = UnixDatagrams(to: path) else { return nil }
    self.socket = socket
    self.identifier = identifier
  }

  /// Returns false if the journal did not accept it. Names consist of capital letters and
  /// underscores. Line feeds in values and the message become spaces.
  public func write(_ message: String, priority: Int, _ fields: [(name: String, value: String)]) -> Bool {
    var text = "MESSAGE=\(Self.line(message))\nPRIORITY=\(priority)\nSYSLOG_IDENTIFIER=\(identifier)\n"
    for field in fields { text += "\(field.name)=\(Self.line(field.value))\n" }
    return socket.send(text)
  }

  /// Text after a line feed would be parsed as another field.
  private static func line(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" ? " " : $0 }))
  }

  /// Whether standard error goes to the journal. JOURNAL_STREAM identifies the original stream,
  /// which a redirection changes.
  public static var isStandardError: Bool {
    guard let stream = ProcessEnvironment.variable("JOURNAL_STREAM") else { return false }
    var status = stat()
    return unsafe fstat(2, &status) == 0 && stream == "\(status.st_dev):\(status.st_ino)"
  }
}
