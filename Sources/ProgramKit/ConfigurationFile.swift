// Reads the configuration file and its drop-ins. An error names its file and line;
// nothing of a configuration with such a line is used.

import IniFile
import Linux

public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  public let file: String
  public let line: Int
  public let problem: String

  public var description: String { line > 0 ? "\(file):\(line): \(problem)" : "\(file): \(problem)" }
}

extension Configuration {
  /// Reads the file, then every `*.conf` in the drop-in folder next to it, in alphabetical order. A
  /// missing file is not an error.
  public static func load(_ path: String) throws(ConfigurationError) -> Self {
    var configuration = Self()
    if Files.exists(path) { try configuration.read(path) }
    let folder = Files.parent(of: path) + "/" + dropInFolder
    for name in try names(folder) where name.hasSuffix(".conf") {
      try configuration.read(folder + "/" + name)
    }
    if let conflict = configuration.conflict { throw ConfigurationError(file: path, line: 0, problem: conflict) }
    return configuration
  }

  private static func names(_ folder: String) throws(ConfigurationError) -> [String] {
    do throws(SystemError) {
      return try Files.names(in: folder)
    } catch {
      throw ConfigurationError(file: folder, line: 0, problem: error.reason)
    }
  }

  private mutating func read(_ path: String) throws(ConfigurationError) {
    let content: [UInt8]
    do throws(SystemError) {
      content = try Files.read(path, atMost: 1 << 20)
    } catch {
      throw ConfigurationError(file: path, line: 0, problem: error.reason)
    }
    let file = IniText(content)
    var problems = file.problems.compactMap { problem in problem.text.map { (line: problem.line, text: $0) } }
    var configuration = self
    for section in file.sections {
      if section.line > 0, !Self.sections.contains(section.name) {
        problems.append((section.line, "[\(section.name)]: \(Self.whichSections)"))
        continue
      }
      for entry in section.entries {
        guard let expected = configuration.set(section: section.name, key: entry.key, value: entry.value) else {
          continue
        }
        problems.append((entry.line, "\(entry.key)=\(entry.value): \(expected)"))
      }
    }
    // A line that is wrong in itself gives the better reason.
    if let first = problems.enumerated().min(by: { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }) {
      throw ConfigurationError(file: path, line: first.element.line, problem: first.element.text)
    }
    self = configuration
  }
}

extension IniText.Problem {
  /// Nil for what libinih ignores and a configuration may have.
  fileprivate var text: String? {
    switch cause {
    case .zeroByte: "expected text, not a zero byte"
    case .lineTooLong: "a line can have at most \(IniText.longestLine) bytes"
    case .nameTooLong: "a name can have at most \(IniText.longestName) bytes"
    case .openHeader, .noKey: "expected [Section] or Key=value"
    case .indented, .notUTF8, .unprintable, .textAfterHeader: nil
    }
  }
}
