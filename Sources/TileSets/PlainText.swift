// Texts of a tile set, which are often HTML: only what a browser would show of them is kept, as text.

import Text

enum PlainText {
  /// In Unicode scalars: a character can have any number of them.
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
    let words = withoutEntities(text).printable.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return String(String.UnicodeScalarView(words.unicodeScalars.prefix(most)))
  }

  /// An entity of an entity stays as it is.
  private static let entities: [(name: String, meaning: String)] = [
    ("&copy;", "©"), ("&#169;", "©"), ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""),
    ("&amp;", "&"),
  ]

  private static func withoutEntities(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let character = rest.first {
      let entity = character == "&" ? entities.first(where: { rest.hasPrefix($0.name) }) : nil
      result += entity?.meaning ?? String(character)
      rest.removeFirst(entity?.name.count ?? 1)
    }
    return result
  }
}
