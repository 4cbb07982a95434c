// The names of a stream's fields as text in the table: a JSON array of the names as lines have them.

enum FieldNames {
  static func text(_ names: [[UInt8]]) -> String {
    var text = [UInt8(ascii: "[")]
    for (index, name) in names.enumerated() {
      text.append(contentsOf: index == 0 ? "\"".utf8 : ",\"".utf8)
      text.append(contentsOf: name)
      text.append(UInt8(ascii: "\""))
    }
    text.append(UInt8(ascii: "]"))
    return String(decoding: text, as: UTF8.self)
  }

  /// Up to the first mistake.
  static func names(_ text: [UInt8]) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var scanner = TokenScanner()
    guard scanner.skip("[", in: text.span) else { return [] }
    while let name = scanner.string(in: text.span) {
      names.append(Array(text[(name.lowerBound + 1)..<(name.upperBound - 1)]))
      guard scanner.skip(",", in: text.span) else { break }
    }
    return names
  }
}
