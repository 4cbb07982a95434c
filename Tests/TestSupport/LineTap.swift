// Records the lines that a test's client sends and receives, in a file in the directory named by
// CYCLOMETER_TEST_LINES. scripts/check-lines validates them against docs/schema. Without that
// variable nothing is written.
//
// Each line of the file has the connection's name, `>` for sent or `<` for received, and the line
// itself.

internal import Glibc
internal import Linux

public final class LineTap {
  /// The other end.
  public enum Server: String, Sendable {
    case daemon
    case recorder = "logbook"
    case dashboard = "web"
    case guide
    case bridge = "mqtt"
    /// The daemon, for programs that decode sensors.
    case plugins = "plugin"
    /// Scripted servers: only the client's requests matter.
    case standIn = "stand-in"
    case standInRecorder = "logbook-stand-in"
    case standInDashboard = "web-stand-in"
    case standInGuide = "guide-stand-in"
    case standInBridge = "mqtt-stand-in"
  }

  private let name: [UInt8]
  private var unfinished: [Direction: [UInt8]] = [:]

  private enum Direction: UInt8 {
    case sent = 0x3e
    case received = 0x3c
  }

  public init(_ server: Server = .daemon) {
    name = Array("\(server.rawValue)-\(getpid())-\(UInt64.random(in: .min ... .max)) ".utf8)
  }

  public func sent(_ bytes: some Sequence<UInt8>) { note(bytes, .sent) }
  public func received(_ bytes: some Sequence<UInt8>) { note(bytes, .received) }

  private func note(_ bytes: some Sequence<UInt8>, _ direction: Direction) {
    guard let file else { return }
    let lineFeed = UInt8(ascii: "\n")
    var lines = (unfinished[direction] ?? []) + bytes
    while let end = lines.firstIndex(of: lineFeed) {
      let entry = name + [direction.rawValue, UInt8(ascii: " ")] + lines[...end]
      // A single write, so that lines of parallel tests do not mix.
      _ = try? writeDescriptor(file, entry.span)
      lines.removeSubrange(...end)
    }
    unfinished[direction] = lines
  }
}

/// Stays open until the tests end.
private let file: Int32? = {
  guard let value = unsafe getenv("CYCLOMETER_TEST_LINES") else { return nil }
  // The environment is not changed while tests run.
  let path = unsafe "\(String(cString: value))/\(getpid()).lines"
  let number = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
  precondition(number >= 0, "CYCLOMETER_TEST_LINES names no folder that can be written to")
  return number
}()
