// What a request says about the form of its answer: whether the client has it already, which part
// it wants, and how it may be encoded. RFC 9110: 8.8.3, 12.5.3, 13.1, 14.2.

extension HTTPRequest {
  /// Whether the client has the version with this tag, such as `"a1b2"`, which may be named as a
  /// weak one. GET and HEAD are then answered with `notModified`.
  public func has(_ tag: String) -> Bool {
    fields.elements(of: "if-none-match").contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
  }

  /// Whether the change that is requested builds on the version with this tag; nil if the client
  /// does not say on which.
  public func buildsOn(_ tag: String) -> Bool? {
    guard fields["if-match"] != nil else { return nil }
    return fields.elements(of: "if-match").contains { $0 == "*" || $0 == tag }
  }

  public func accepts(encoding: String) -> Bool {
    for element in fields.elements(of: "accept-encoding") {
      let parts = element.lowercased().utf8.split(separator: UInt8(ascii: ";")).map(text)
      if parts.first == encoding { return !parts.dropFirst().prefix(1).contains { Self.zeros.contains($0) } }
    }
    return false
  }

  /// The weights that refuse an encoding.
  private static let zeros = ["q=0", "q=0.0", "q=0.00", "q=0.000"]

  public enum Part: Equatable, Sendable {
    case whole
    case bytes(Range<Int>)
    /// None of the bytes exists.
    case nothing
  }

  /// What is requested of a file of this size. Several ranges, and those that are not understood,
  /// are answered with the whole file. A range of another version is too.
  public func part(of size: Int, tag: String) -> Part {
    guard method == .get, let text = fields["range"], fields.values(of: "range").count == 1,
      fields["if-range"].map({ $0 == tag }) ?? true, text.utf8.starts(with: "bytes=".utf8)
    else { return .whole }
    let ends = text.utf8.dropFirst(6).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard ends.count == 2 else { return .whole }
    let (first, last) = (Self.number(ends[0]), Self.number(ends[1]))
    switch (first, last) {
    case (.some(let first), .some(let last)) where first <= last:
      return first < size ? .bytes(first..<(min(last, size - 1) + 1)) : .nothing
    case (.some(let first), nil) where ends[1].isEmpty:
      return first < size ? .bytes(first..<size) : .nothing
    case (nil, .some(let count)) where ends[0].isEmpty:
      return count > 0 && size > 0 ? .bytes(max(0, size - count)..<size) : .nothing
    default:
      return .whole
    }
  }

  private static func number(_ digits: Substring.UTF8View) -> Int? {
    guard (1...15).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
