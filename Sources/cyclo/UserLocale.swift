// The user's locale: which characters can be shown, and which units are common. Only the variables
// are read: a locale's data may not be installed, and a static program could not load it.

import Linux

struct UserLocale: Equatable {
  /// Whether text is UTF-8. Otherwise only ASCII is printed.
  let isUnicode: Bool
  /// `US` of `en_US.UTF-8`; empty if there is none.
  let measuringTerritory: String

  static let current = UserLocale { ProcessEnvironment.variable($0) }

  init(_ variable: (String) -> String?) {
    func known(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    func setting(_ category: String) -> String { known("LC_ALL") ?? known(category) ?? known("LANG") ?? "" }
    let encoding = part(of: setting("LC_CTYPE")[...], behind: ".").lowercased()
    isUnicode = encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8")
    let language = setting("LC_MEASUREMENT").prefix { $0 != "." && $0 != "@" }
    measuringTerritory = String(part(of: language, behind: "_"))
  }
}

/// Empty if there is no such letter.
private func part(of text: Substring, behind letter: Character) -> Substring {
  guard let place = text.firstIndex(of: letter) else { return "" }
  return text[text.index(after: place)...]
}
