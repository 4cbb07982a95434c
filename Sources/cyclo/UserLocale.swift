// What the environment says about the user: which characters can be shown, and which units are usual where they live. The
// variables alone are read: a locale's data need not be installed, and a static program could not load them.

import Linux

struct UserLocale: Equatable {
  /// Whether text is UTF-8. Else nothing but ASCII is printed.
  let isUnicode: Bool
  /// `US` of `en_US.UTF-8`; empty where none is named.
  let measuringTerritory: String

  static let current = UserLocale { ProcessEnvironment.variable($0) }

  init(_ variable: (String) -> String?) {
    func setting(_ category: String) -> String {
      for name in ["LC_ALL", category, "LANG"] {
        if let value = variable(name), !value.isEmpty { return value }
      }
      return ""
    }
    let encoding = part(of: setting("LC_CTYPE")[...], behind: ".").lowercased()
    isUnicode = encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8")
    let language = setting("LC_MEASUREMENT").prefix { $0 != "." && $0 != "@" }
    measuringTerritory = String(part(of: language, behind: "_"))
  }
}

/// Empty where there is no such letter.
private func part(of text: Substring, behind letter: Character) -> Substring {
  guard let place = text.firstIndex(of: letter) else { return "" }
  return text[text.index(after: place)...]
}
