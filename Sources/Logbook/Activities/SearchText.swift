// What a search looks at. It is stored in one case, because SQLite knows that of ASCII only.

enum SearchText {
  static func of(_ activity: StoredActivity) -> String? {
    let texts = [activity.name, activity.note].compactMap(\.self)
    return texts.isEmpty ? nil : fold(texts.joined(separator: "\n"))
  }

  /// By way of capitals, which make one letter of σ and ς, and two of ß.
  static func fold(_ text: String) -> String { text.uppercased().lowercased() }
}
