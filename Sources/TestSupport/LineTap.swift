// What a client of the tests sends and hears, line by line, in a file of the folder that CYCLOMETER_TEST_LINES names:
// scripts/check-lines holds all of it against docs/schema. Without that variable it writes nothing.
//
// A line of the file is the connection's name, `>` for what the client sent or `<` for what it heard, and the line itself.

internal import Glibc
internal import Linux

public final class LineTap {
  /// Who is at the other end.
  public enum Server: String, Sendable {
    case daemon
    /// One that a test scripted: only what it is asked is of interest.
    case standIn = "stand-in"
  }

  private let name: [UInt8]
  private var unfinished: [Direction: [UInt8]] = [:]

  private enum Direction: UInt8 {
    case sent = 0x3e
    case heard = 0x3c
  }

  public init(_ server: Server = .daemon) {
    name = Array("\(server.rawValue)-\(getpid())-\(UInt64.random(in: .min ... .max)) ".utf8)
  }

  public func sent(_ bytes: some Sequence<UInt8>) { note(bytes, .sent) }
  public func heard(_ bytes: some Sequence<UInt8>) { note(bytes, .heard) }

  private func note(_ bytes: some Sequence<UInt8>, _ direction: Direction) {
    guard let file else { return }
    let lineFeed = UInt8(ascii: "\n")
    var lines = (unfinished[direction] ?? []) + bytes
    while let end = lines.firstIndex(of: lineFeed) {
      let entry = name + [direction.rawValue, UInt8(ascii: " ")] + lines[...end]
      // One write, so that the lines of tests that run beside each other do not mix.
      _ = try? writeDescriptor(file, entry.span)
      lines.removeSubrange(...end)
    }
    unfinished[direction] = lines
  }
}

/// Open for as long as the tests run.
private let file: Int32? = {
  guard let value = unsafe getenv("CYCLOMETER_TEST_LINES") else { return nil }
  // The environment is not changed while tests run.
  let path = unsafe "\(String(cString: value))/\(getpid()).lines"
  let number = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
  precondition(number >= 0, "CYCLOMETER_TEST_LINES names no folder that can be written to")
  return number
}()
