// What a parser finds in XML: elements begin and end. There is no tree, so that a file of any size
// is read in little memory.

public enum XMLEvent: Equatable, Sendable {
  case start(XMLName, [XMLAttribute])
  /// With the text since the last start or end of any element. For an element without children,
  /// that is its text.
  case end(XMLName, text: String)
}

/// The name of an element or of an attribute.
public struct XMLName: Hashable, Sendable {
  /// The URI. nil if the name has no prefix and there is no default, or if its prefix is undeclared.
  public let namespace: String?
  /// Without its prefix.
  public let local: String

  public init(_ local: String, namespace: String? = nil) {
    self.namespace = namespace
    self.local = local
  }
}

public struct XMLAttribute: Equatable, Sendable {
  public let name: XMLName
  public let value: String

  public init(_ name: XMLName, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Why XML cannot be read further.
public struct XMLProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Reason: Equatable, Sendable {
    case empty
    /// The file ends before its elements do.
    case truncated
    case documentType
    case tooDeep, tagTooLong, tooManyNames
    case encoding(String)
    /// With the words of the library.
    case malformed(String)
  }

  public let reason: Reason
  /// Counts from 1.
  public let line: Int

  public init(_ reason: Reason, line: Int) {
    self.reason = reason
    self.line = line
  }

  public var description: String {
    switch reason {
    case .empty: "the file is empty"
    case .truncated: "the file is truncated at line \(line)"
    case .documentType:
      "line \(line) has a document type declaration (DOCTYPE), which can hide other files or endless text; remove it"
    case .tooDeep: "elements are nested more than \(XMLLimits.depth) deep at line \(line)"
    case .tagTooLong: "a tag or comment at line \(line) has more than \(XMLLimits.tag / 1024) KiB"
    case .tooManyNames: "the file has too many different names of elements, from line \(line) on"
    case .encoding(let name): "the encoding \(name) is not supported; convert the file to UTF-8"
    case .malformed(let reason): "line \(line) is not valid XML: \(reason)"
    }
  }
}

/// They bound the memory for any input.
enum XMLLimits {
  static let depth = 100
  static let tag = 65_536
  static let text = 65_536
  /// The library keeps every name that it has met.
  static let names = 10_000
  static let nameBytes = 1 << 20
}
