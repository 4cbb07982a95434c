// Checks the records of a program against its file, for tools that show its lines. The daemon refuses
// such records without telling the program.

public import DeclaredSensors
import SensorKit

public struct AnswerCheck: ~Copyable {
  private var reader = ProcessMessageReader()
  private var batch = Batch()

  public init(_ program: ProcessProgram) {
    reader.use(program)
  }

  /// Whether the line is an answer with a record that the file does not have. False for a line that is
  /// not an answer.
  public mutating func leavesFile(_ line: Span<UInt8>) -> Bool {
    batch.removeAll()
    guard let message = try? reader.read(line, into: &batch) else { return false }
    return switch message {
    case .done(let done): done.isOutsideOfFile
    case .said(let said): said.isOutsideOfFile
    case .register, .log: false
    }
  }
}
