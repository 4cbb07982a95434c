// Reads the configuration file and its drop-ins through libinih. An error names its file and line;
// nothing of a configuration with such a line is used.

internal import CInih
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
    if let problem = Self.firstProblem(in: content) {
      throw ConfigurationError(file: path, line: problem.line, problem: problem.text)
    }
    var configuration = self
    let parse = Parse(content) { configuration.set(section: $0, key: $1, value: $2) }
    // libinih calls both functions during this call only, with the pointer it is given.
    let line = unsafe ini_parse_stream(
      { unsafe Parse.readLine($0, $1, $2) },
      unsafe Unmanaged.passUnretained(parse).toOpaque(),
      { unsafe Parse.take($0, $1, $2, $3) }, unsafe Unmanaged.passUnretained(parse).toOpaque())
    // libinih returns the line of its first failure. If a key was rejected, that is the line of
    // `problem` as well.
    if let problem = parse.problem, line <= 0 || Int(line) >= problem.line {
      throw ConfigurationError(file: path, line: problem.line, problem: problem.text)
    }
    guard line == 0 else {
      throw ConfigurationError(file: path, line: Int(line), problem: "expected [Section] or Key=value")
    }
    self = configuration
  }
}

extension Configuration {
  /// Checks for errors that libinih ignores. A zero byte ends its line, and a line longer than its
  /// buffer is cut in two. It reports a section only with its first key.
  private static func firstProblem(in content: [UInt8]) -> (line: Int, text: String)? {
    for (index, line) in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if line.contains(0) { return (index + 1, "expected text, not a zero byte") }
      if line.count > Parse.longestLine { return (index + 1, "a line can have at most \(Parse.longestLine) bytes") }
      if let problem = problem(ofSection: line) { return (index + 1, problem) }
    }
    return nil
  }

  /// Nil unless the line starts an unknown section.
  private static func problem(ofSection line: ArraySlice<UInt8>) -> String? {
    // libinih skips leading blanks too.
    let line = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let name = String(decoding: line[(line.startIndex + 1)..<end], as: UTF8.self)
    return sections.contains(name) ? nil : "[\(name)]: \(whichSections)"
  }
}

/// One run of the parser: the remaining lines and the first problem.
private final class Parse {
  /// libinih's buffer has 200 bytes, which include the line feed and the terminating zero.
  static let longestLine = 198

  private(set) var problem: (line: Int, text: String)?
  private let content: [UInt8]
  private let set: (_ section: String, _ key: String, _ value: String) -> String?
  private var place = 0
  private var line = 0

  init(_ content: [UInt8], _ set: @escaping (_ section: String, _ key: String, _ value: String) -> String?) {
    self.content = content
    self.set = set
  }

  /// Works like `fgets`: one line with its line feed, or null at the end.
  static func readLine(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutablePointer<CChar>? {
    guard let buffer = unsafe buffer, let context = unsafe context else { return nil }
    let parse = unsafe Unmanaged<Parse>.fromOpaque(context).takeUnretainedValue()
    guard parse.place < parse.content.count, size > 1 else { return nil }
    var count = 0
    while count < Int(size) - 1, parse.place < parse.content.count {
      let byte = parse.content[parse.place]
      unsafe buffer[count] = CChar(bitPattern: byte)
      count += 1
      parse.place += 1
      if byte == UInt8(ascii: "\n") { break }
    }
    unsafe buffer[count] = 0
    parse.line += 1
    return unsafe buffer
  }

  /// Called for each key. Returning 0 makes libinih continue and report the line, without the
  /// reason that `problem` has.
  static func take(
    _ context: UnsafeMutableRawPointer?, _ section: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
  ) -> Int32 {
    guard let context = unsafe context, let section = unsafe section, let key = unsafe key else { return 0 }
    let parse = unsafe Unmanaged<Parse>.fromOpaque(context).takeUnretainedValue()
    guard parse.problem == nil else { return 0 }
    let keyText = unsafe String(cString: key)
    let valueText = unsafe value.map { unsafe String(cString: $0) } ?? ""
    if let expected = unsafe parse.set(String(cString: section), keyText, valueText) {
      parse.problem = (parse.line, "\(keyText)=\(valueText): \(expected)")
      return 0
    }
    return 1
  }
}
