// Writes to a sensor: when the link comes up, before it ends, and by commands.

internal import SensorKit

struct WriteProgram: Sendable {
  let service: BluetoothUUID
  let characteristic: BluetoothUUID
  /// Among the pieces of the program.
  let pieces: Range<Int>

  static let mostBytes = 64
  /// Of [Start], [Stop] and of each command.
  static let mostWrites = 16
}

enum WritePiece: Sendable {
  case byte(UInt8)
  /// A whole number, of that many bytes.
  case number(Code, width: Int, isSigned: Bool)
  case exclusiveOr
  case sum
}

enum StartStep: Sendable {
  case subscribe(service: BluetoothUUID, BluetoothUUID)
  case read(service: BluetoothUUID, BluetoothUUID)
  case write(WriteProgram)
  case keepAlive(WriteProgram, every: Duration)
}

extension [StartStep] {
  /// How the values of a characteristic arrive.
  func verbs(for service: BluetoothUUID, _ characteristic: BluetoothUUID) -> SourceVerbs {
    reduce(into: []) { verbs, step in
      switch step {
      case .subscribe(service, characteristic): verbs.formUnion([.notified, .indicated])
      case .read(service, characteristic): verbs.insert(.read)
      default: break
      }
    }
  }
}

struct CommandProgram: Sendable {
  let name: String
  let takesValue: Bool
  /// What its value can be.
  var range: ClosedRange<Double>?
  /// The numbers of its words, if it takes one of them.
  var rows: Range<Int>?
  let writes: [WriteProgram]
  /// The program in `[Process]` makes its bytes.
  let isOfProcess: Bool
  let answerWithin: Duration?
}
