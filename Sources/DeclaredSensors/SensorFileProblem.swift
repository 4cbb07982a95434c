// What is wrong with a declared sensor, and what would be right.

/// A line of the file, counted from 1, and a sentence without its full stop.
public struct SensorFileProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public let line: Int
  public let text: String

  public init(line: Int, _ text: String) {
    self.line = line
    self.text = text
  }

  public var description: String { "\(line): \(text)" }
}

/// A problem whose line the caller knows.
struct Mistake: Error {
  let text: String

  init(_ text: String) { self.text = text }
}

/// Collects the problems of a file.
final class ProblemList {
  private var problems: [SensorFileProblem] = []
  /// The last line that has a problem.
  private(set) var lastLine = 0

  /// In the order of their lines, without repetitions.
  var inOrder: [SensorFileProblem] {
    var result: [SensorFileProblem] = []
    for (_, problem) in problems.enumerated().sorted(by: { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
    )
    where result.last != problem { result.append(problem) }
    return result
  }

  var isEmpty: Bool { problems.isEmpty }

  func replaceAll(with problem: SensorFileProblem) {
    problems = [problem]
  }

  func add(_ line: Int, _ text: String) {
    problems.append(SensorFileProblem(line: line, text))
    lastLine = max(lastLine, line)
  }

  /// Nil if `body` throws, which adds a problem.
  func collect<Value>(_ line: Int, _ label: String = "", _ body: () throws(Mistake) -> Value) -> Value? {
    do throws(Mistake) {
      return try body()
    } catch {
      add(line, label.isEmpty ? error.text : "\(label): \(error.text)")
      return nil
    }
  }
}
