// Divides a line at spaces. Bytes are compared, because characters take many times as long, and a
// daemon reads up to 64 files before it listens.

extension String {
  var words: [Substring] { self[...].words }
}

extension Substring {
  var words: [Substring] { utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) } }

  /// Empty parts too.
  func parts(at mark: Unicode.Scalar) -> [Substring] {
    utf8.split(separator: UInt8(ascii: mark), omittingEmptySubsequences: false).map { Substring($0) }
  }
}
