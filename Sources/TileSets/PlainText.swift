// Texts of a tile set, which are often HTML: only what a browser would show of them is kept, as text.

import Text

enum PlainText {
  private static let most = 200

  /// Without tags, with the usual entities replaced. What looks like a tag afterwards is text.
  static func of(html: String) -> String {
    var text = ""
    var isInTag = false
    for character in html {
      switch character {
      case "<": isInTag = true
      case ">" where isInTag: isInTag = false
      default: if !isInTag { text.append(character) }
      }
    }
    for (entity, character) in entities { text = replacing(entity, with: character, in: text) }
    let words = text.printable.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return String(words.prefix(most))
  }

  /// An entity of an entity stays as it is.
  private static let entities = [
    ("&copy;", "©"), ("&#169;", "©"), ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&"),
  ]

  private static func replacing(_ entity: String, with character: String, in text: String) -> String {
    var rest = text[...]
    var result = ""
    while let found = rest.firstRange(of: entity) {
      result += rest[..<found.lowerBound] + character
      rest = rest[found.upperBound...]
    }
    return result + rest
  }
}
