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
    guard !part.isEmpty, let start = utf8.indices.first(where: { utf8[$0...].starts(with: part.utf8) }) else {
      return nil
    }
    return start..<utf8.index(start, offsetBy: part.utf8.count)
  }
}
