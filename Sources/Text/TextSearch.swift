// Replaces `String.contains(String)` and its relatives, which release builds do not have:
// docs/decisions/0010-small-programs.md.

extension String {
  /// False if `part` is empty.
  public func has(_ part: String) -> Bool { place(of: part) != nil }

  public func replacing(each part: String, by other: String) -> String {
    guard let place = place(of: part) else { return self }
    return String(self[..<place.lowerBound]) + other
      + String(self[place.upperBound...]).replacing(each: part, by: other)
  }

  /// What is before and after the first `mark`; all of it and nil if there is none.
  public func divided(at mark: String) -> (front: String, rest: String?) {
    guard let place = place(of: mark) else { return (self, nil) }
    return (String(self[..<place.lowerBound]), String(self[place.upperBound...]))
  }

  private func place(of part: String) -> Range<Index>? {
    guard let first = part.utf8.first else { return nil }
    var rest = utf8[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: part.utf8) { return start..<utf8.index(start, offsetBy: part.utf8.count) }
      rest.removeFirst()
    }
    return nil
  }
}
