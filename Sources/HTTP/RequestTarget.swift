// What a request asks for, decoded: `/rides/12?format=gpx`. Only the origin form is accepted, which
// browsers use. A path that means another one to somebody else is refused: with `.` or `..`, an
// empty segment, or an encoded slash.

import JSON

public struct RequestTarget: Equatable, Sendable {
  public struct Parameter: Equatable, Sendable {
    public let name: String
    public let value: String
  }

  /// The segments of the path; none for `/`. A slash at the end is an empty last segment.
  public let path: [String]
  public let query: [Parameter]

  /// The value of the first parameter with this name.
  public func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

  init(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) {
    guard bytes.first == UInt8(ascii: "/") else {
      throw HTTPRefusal(.badRequest, "the target does not begin with a slash")
    }
    guard bytes.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw HTTPRefusal(.badRequest, "the target has a byte that must be encoded")
    }
    let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
    path = try Self.segments(bytes[..<mark].dropFirst())
    query = try Self.parameters(mark < bytes.endIndex ? bytes[(mark + 1)...] : [])
  }

  private static func segments(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> [String] {
    if bytes.isEmpty { return [] }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var segments: [String] = []
    for (index, part) in parts.enumerated() {
      let segment = try decoded(part)
      let isOdd = segment.isEmpty && index < parts.count - 1 || segment == "." || segment == ".."
      guard !isOdd, !segment.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) else {
        throw HTTPRefusal(.badRequest, "the path is ambiguous")
      }
      segments.append(segment)
    }
    return segments
  }

  private static func parameters(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> [Parameter] {
    var parameters: [Parameter] = []
    for part in bytes.split(separator: UInt8(ascii: "&")) {
      let sign = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      let value = try decoded(sign < part.endIndex ? part[(sign + 1)...] : [], plusIsSpace: true)
      parameters.append(Parameter(name: try decoded(part[..<sign], plusIsSpace: true), value: value))
    }
    return parameters
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) throws(HTTPRefusal) -> String {
    var text: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
          throw HTTPRefusal(.badRequest, "the target has a percent sign without two hexadecimal digits")
        }
        text.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace:
        text.append(UInt8(ascii: " "))
      default:
        text.append(byte)
      }
    }
    guard let string = String(validating: text, as: UTF8.self), !text.contains(where: { $0 < 0x20 || $0 == 0x7f })
    else {
      throw HTTPRefusal(.badRequest, "the target is not text in UTF-8")
    }
    return string
  }
}
