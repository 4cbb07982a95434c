// A file of `[Section]` and `key = value`, read by libinih. Everything that libinih ignores without
// a word is a problem with its line: a zero byte, a line that is cut in two, a name that is cut, a
// continued line. The sections keep their order, also those without keys.

private import Text

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
      /// A control character, or one that turns or hides text. libinih passes these on.
      case unprintable
      case lineTooLong
      /// The name of a section or a key is longer than libinih stores.
      case nameTooLong
      /// After a key, libinih would take the line for the rest of its value.
      case indented
      /// The header of a section does not end.
      case openHeader
      /// Something that is not a comment follows the header of a section. libinih ignores it.
      case textAfterHeader
      /// Neither a header, a key, a comment nor blank.
      case noKey
    }

    public let line: Int
    public let cause: Cause

    /// libinih reads the line all the same.
    public var isIgnored: Bool {
      switch cause {
      case .indented, .notUTF8, .unprintable, .textAfterHeader: true
      case .zeroByte, .lineTooLong, .nameTooLong, .openHeader, .noKey: false
      }
    }

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

  /// A byte-order mark at the beginning is ignored.
  public init(_ content: [UInt8]) {
    let content = content.starts(with: Self.byteOrderMark) ? Array(content.dropFirst(3)) : content
    let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() { check(line, number: index + 1) }
    let parser = IniParser(content)
    if let failure = parser.run() { addFailure(failure) }
    add(parser.entries)
  }

  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// A line that libinih cannot read. The causes that libinih ignores do not explain that.
  private mutating func addFailure(_ line: Int) {
    if problems.contains(where: { $0.line == line && !$0.isIgnored }) { return }
    problems.removeAll { $0.line == line }
    problems.append(Problem(line: line, cause: .noKey))
    problems.sort { $0.line < $1.line }
  }

  /// Both entries and sections are in the order of their lines.
  private mutating func add(_ entries: [Entry]) {
    var section = 0
    for entry in entries {
      while section + 1 < sections.count, sections[section + 1].line < entry.line { section += 1 }
      sections[section].entries.append(entry)
    }
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
    // Also the header of a line with a problem begins a section.
    let headerCause = first == UInt8(ascii: "[") ? header(content, number: number) : nil
    if line.contains(0) { return .zeroByte }
    if line.count > Self.longestLine { return .lineTooLong }
    let textCause = Self.textCause(line)
    if first == UInt8(ascii: "#") || first == UInt8(ascii: ";") { return textCause }
    let isIndented = content.startIndex != line.startIndex
    let ownCause = first == UInt8(ascii: "[") ? headerCause : isIndented ? nil : key(content)
    return ownCause ?? textCause ?? (isIndented ? .indented : nil)
  }

  private mutating func header(_ line: ArraySlice<UInt8>, number: Int) -> Problem.Cause? {
    let name = line.dropFirst().prefix { $0 != UInt8(ascii: "]") }
    sections.append(Section(name: String(decoding: name, as: UTF8.self), line: number))
    guard name.endIndex < line.endIndex else { return .openHeader }
    let rest = line[(name.endIndex + 1)...].drop(while: Self.isBlank)
    guard rest.first.map({ $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: ";") }) ?? true else {
      return .textAfterHeader
    }
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

  /// Blanks at the end, such as a carriage return, are not part of the text.
  private static func textCause(_ line: ArraySlice<UInt8>) -> Problem.Cause? {
    if line.allSatisfy({ 0x20...0x7e ~= $0 || $0 == UInt8(ascii: "\t") }) { return nil }
    guard (try? UTF8Span(validating: line.span)) != nil else { return .notUTF8 }
    let end = line.lastIndex { !isBlank($0) } ?? line.startIndex
    let text = String(decoding: line[...end], as: UTF8.self)
    return text.unicodeScalars.contains { $0.isUnprintable && $0 != "\t" } ? .unprintable : nil
  }

  /// As C's `isspace`, without the line feed.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || 9...13 ~= byte }
}
