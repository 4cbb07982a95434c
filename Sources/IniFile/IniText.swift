// A file of `[Section]` and `key = value`, read by libinih. Everything that libinih ignores without
// a word is a problem with its line: a zero byte, a line that is cut in two, a name that is cut, a
// continued line. The sections keep their order, also those without keys.

public struct IniText: Sendable {
  public struct Entry: Equatable, Sendable {
    public let key: String
    public let value: String
    /// Counted from 1.
    public let line: Int

    public init(key: String, value: String, line: Int) {
      self.key = key
      self.value = value
      self.line = line
    }
  }

  public struct Section: Equatable, Sendable {
    /// Empty for the keys before the first section.
    public let name: String
    /// Of its header, counted from 1; 0 for the keys before the first section.
    public let line: Int
    public fileprivate(set) var entries: [Entry] = []
  }

  public struct Problem: Equatable, Sendable {
    public enum Cause: Equatable, Sendable {
      case zeroByte
      case notUTF8
      case lineTooLong
      /// The name of a section or a key is longer than libinih stores.
      case nameTooLong
      /// After a key, libinih would take the line for the rest of its value.
      case indented
      /// The header of a section does not end, or something follows it.
      case badHeader
      /// Neither a header, a key, a comment nor blank.
      case noKey
    }

    public let line: Int
    public let cause: Cause

    public init(line: Int, cause: Cause) {
      self.line = line
      self.cause = cause
    }
  }

  /// libinih's buffer has 200 bytes, which include the line feed and the terminating zero.
  public static let longestLine = 198
  /// libinih's buffers for names have 50 bytes.
  public static let longestName = 49

  /// In the order of the file. The first one has no name.
  public private(set) var sections = [Section(name: "", line: 0)]
  /// In the order of the file.
  public private(set) var problems: [Problem] = []

  public init(_ content: [UInt8]) {
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() { check(line, number: index + 1) }
    let parser = IniParser(content)
    if let failure = parser.run(), !problems.contains(where: { $0.line == failure }) {
      problems.append(Problem(line: failure, cause: .noKey))
      problems.sort { $0.line < $1.line }
    }
    for entry in parser.entries { add(entry) }
  }

  private mutating func add(_ entry: Entry) {
    guard let section = sections.lastIndex(where: { $0.line < entry.line }) else { return }
    sections[section].entries.append(entry)
  }
}

// MARK: What libinih ignores

extension IniText {
  private mutating func check(_ line: ArraySlice<UInt8>, number: Int) {
    if let cause = cause(line, number: number) { problems.append(Problem(line: number, cause: cause)) }
  }

  private mutating func cause(_ line: ArraySlice<UInt8>, number: Int) -> Problem.Cause? {
    let content = line.drop(while: Self.isBlank)
    guard let first = content.first else { return nil }
    if line.contains(0) { return .zeroByte }
    if (try? UTF8Span(validating: line.span)) == nil { return .notUTF8 }
    if line.count > Self.longestLine { return .lineTooLong }
    if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { return nil }
    let isIndented = content.startIndex != line.startIndex
    if first == UInt8(ascii: "[") { return header(content, number: number) ?? (isIndented ? .indented : nil) }
    if isIndented { return .indented }
    return key(content)
  }

  private mutating func header(_ line: ArraySlice<UInt8>, number: Int) -> Problem.Cause? {
    let name = line.dropFirst().prefix { $0 != UInt8(ascii: "]") }
    sections.append(Section(name: String(decoding: name, as: UTF8.self), line: number))
    guard name.endIndex < line.endIndex else { return .badHeader }
    let rest = line[(name.endIndex + 1)...].drop(while: Self.isBlank)
    guard rest.first.map({ $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ";") }) ?? true else { return .badHeader }
    return name.count > Self.longestName ? .nameTooLong : nil
  }

  /// A key ends with `=` or `:`, unless a comment begins before.
  private func key(_ line: ArraySlice<UInt8>) -> Problem.Cause? {
    var isAfterBlank = false
    for index in line.indices {
      let byte = line[index]
      if byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") {
        var name = line[..<index]
        while let last = name.last, Self.isBlank(last) { name.removeLast() }
        return name.count > Self.longestName ? .nameTooLong : nil
      }
      if isAfterBlank, byte == UInt8(ascii: ";") { return .noKey }
      isAfterBlank = Self.isBlank(byte)
    }
    return .noKey
  }

  /// As C's `isspace`, without the line feed.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || 9...13 ~= byte }
}
