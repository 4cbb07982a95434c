// A write that a file can make, for people who decide whether to install it.

public import SensorKit

public struct DeclaredWrite: Equatable, Sendable {
  /// The services that no file writes to.
  package static var forbiddenServices: [BluetoothUUID] { SourceSyntax.forbiddenServices }

  public enum Occasion: Equatable, Sendable {
    case connected
    case keepAlive(every: Duration)
    case disconnecting
    case command(String)
  }

  public let occasion: Occasion
  public let service: BluetoothUUID
  public let characteristic: BluetoothUUID
  /// As in the file: `01 u8(value) xor`.
  public let bytes: String
  public let line: Int

  /// `text` has the place, a colon and the bytes.
  init(_ occasion: Occasion, _ write: WriteProgram, _ text: String, line: Int) {
    self.occasion = occasion
    service = write.service
    characteristic = write.characteristic
    bytes = String(text.drop { $0 != ":" }.dropFirst().drop { $0 == " " })
    self.line = line
  }
}
