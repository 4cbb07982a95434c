// A file that declares a sensor, read and checked as the daemon would.

import DeclaredSensors
import JSON
import Linux
import SensorKit
import Text

struct CheckedFile {
  /// As the user wrote it.
  let path: String
  let content: [UInt8]
  /// Nil for a file with problems.
  let program: SensorProgram?
  let problems: [SensorFileProblem]

  /// Without its folder.
  var name: String { fileName(path) }

  init(_ path: String, _ session: Session) throws(Failure) {
    self.path = path
    do throws(SystemError) {
      // Longer than a file may be, so that its problem names the limit.
      content = path == "-" ? try Self.standardInput() : try Files.read(path)
    } catch {
      throw Failure(.failed, "cannot read \(path): \(error.reason)")
    }
    do throws(SensorFile.Problems) {
      let program = try SensorFile(content, words: SensorWords()).program
      // What only shows among the other plugins, such as an id that a built-in plugin has.
      let file = DeclaredSensorSet.File("checked\(DeclaredSensorSet.suffix)", in: .owner, content)
      let all = DeclaredSensorSet([file], builtIn: session.plugins, words: SensorWords())
      problems = all.omitted.flatMap(\.problems)
      self.program = problems.isEmpty ? program : nil
    } catch {
      problems = error.list
      program = nil
    }
  }

  private static func standardInput() throws(SystemError) -> [UInt8] {
    var content: [UInt8] = []
    try readStandardInput { content += $0 }
    return content
  }

  /// Prints the problems if there are any.
  func requireProgram(_ session: Session) throws(Failure) -> SensorProgram {
    if let program { return program }
    try fail(with: problems, session)
  }

  /// Prints what is allowed, and probably not meant.
  func showWarnings(_ session: Session) {
    for warning in program?.warnings ?? [] {
      session.output.line("\(printable(path)):\(warning.line): warning: \(printable(warning.text))")
    }
  }

  /// Prints problems of the file, and fails.
  func fail(with problems: [SensorFileProblem], _ session: Session) throws(Failure) -> Never {
    if session.isJSON {
      session.output.line(SensorFileJSON(path: path, problems: problems).value.encoded)
    } else {
      for problem in problems { session.output.line("\(printable(path)):\(problem.line): \(printable(problem.text))") }
    }
    throw Failure(.failed, "")
  }
}
