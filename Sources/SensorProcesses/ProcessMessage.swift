// The lines that a program sends, once they have been read. Records and writes are in a batch.

internal import SensorKit

enum ProcessMessage: Equatable {
  case register(id: String, version: String)
  case done(Done)
  case said(Said)
  case log(String)

  /// The answer to a packet.
  struct Done: Equatable {
    let packet: Int
    /// The program, or the daemon for its sake, refuses the packet.
    var refusal: DecodeError?
    /// It published what its file does not have.
    var isOutsideOfFile = false
    var tickAfter: Duration?
  }

  /// The answer to a command or a tick.
  struct Said: Equatable {
    enum Subject: Equatable { case command(Int), tick(Int) }

    let subject: Subject
    /// Why the command cannot be done.
    var error: String?
    var isOutsideOfFile = false
    var tickAfter: Duration?
  }
}
