// Reads the text of a declared sensor: all its problems, or a program.

internal import IniFile
internal import SensorKit

public struct SensorFile: Sendable {
  public static let mostBytes = 65_536
  public static let mostPackets = 32
  public static let mostCommands = 32

  public let program: SensorProgram

  public struct Problems: Error, Equatable, Sendable {
    /// In the order of their lines.
    public let list: [SensorFileProblem]

    public init(_ list: [SensorFileProblem]) { self.list = list }
  }

  public init(_ content: [UInt8], words: SensorWords) throws(Problems) {
    let problems = ProblemList()
    guard content.count <= Self.mostBytes else {
      throw Problems([SensorFileProblem(line: 1, "a file has at most \(Self.mostBytes) bytes")])
    }
    var reader = SensorFileReader(IniText(content), words, problems)
    let program = reader.read()
    let list = problems.inOrder
    guard list.isEmpty, let program else { throw Problems(list) }
    self.program = program
  }
}
