// The help texts, made from the table. They fit 80 columns and are plain ASCII.

private let columns = 79

extension Program {
  /// The program's help, or one verb's; ends with a newline.
  public func help(_ verb: Verb?) -> String {
    guard let verb else { return help }
    var text = "Usage: \(name) \(verb.synopsis)\n\n\(verb.summary).\n"
    for paragraph in verb.details { text += "\n" + wrapped(paragraph) }
    if !verb.options.isEmpty { text += "\nOptions:\n" + table(verb.options) }
    text += "\nOptions of every verb:\n" + table(options)
    if !verb.examples.isEmpty { text += "\nExamples:\n" }
    for example in verb.examples { text += "  \(example.command)\n" + wrapped(example.meaning, indent: 6) }
    return text
  }

  private var help: String {
    var text = "Usage: \(name) [OPTION]...\(verbs.isEmpty ? "" : " VERB [ARGUMENT]...")\n\n" + wrapped(summary + ".")
    for group in groups where shownVerbs.contains(where: { $0.group == group }) {
      text += "\n\(group.title):\n"
      text += rows(shownVerbs.filter { $0.group == group }.map { ($0.name, $0.summary) }, width: verbWidth)
    }
    text += "\nOptions:\n" + table(options)
    if verbs.isEmpty { return text }
    return text + "\n'\(name) help VERB' shows help for a verb; see also 'man \(name)'.\n"
  }

  private var verbWidth: Int { shownVerbs.map(\.name.count).max() ?? 0 }
}

extension Verb {
  /// `watch [OPTION]... [KIND]...`
  public var synopsis: String {
    ([name] + (options.isEmpty ? [] : ["[OPTION]..."]) + arguments.map(\.synopsis)).joined(separator: " ")
  }
}

extension Argument {
  var synopsis: String {
    (isRequired ? word.name : "[\(word.name)]") + (isRepeated ? "..." : "")
  }
}

extension Option {
  /// `-n, --count COUNT`
  var synopsis: String {
    let value =
      switch value {
      case .none: ""
      case .required(let word): " \(word.name)"
      case .optional(let word): " [\(word.name)]"
      }
    return (short.map { "-\($0), " } ?? "") + "--\(name)\(value)"
  }
}

private func table(_ options: [Option]) -> String {
  rows(options.map { ($0.synopsis, $0.summary) }, width: options.map(\.synopsis.count).max() ?? 0)
}

private func rows(_ rows: [(name: String, meaning: String)], width: Int) -> String {
  rows.reduce(into: "") { text, row in
    let lines = wrapped(row.meaning, indent: width + 4).dropFirst(width + 4)
    text += "  " + row.name + String(repeating: " ", count: width - row.name.count + 2) + lines
  }
}

/// Lines of whole words, each ended by a newline.
private func wrapped(_ text: String, indent: Int = 0) -> String {
  let margin = String(repeating: " ", count: indent)
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, indent + line.count + 1 + word.count > columns {
      lines.append(line)
      line = ""
    }
    line += (line.isEmpty ? "" : " ") + word
  }
  lines.append(line)
  return lines.map { margin + $0 + "\n" }.joined()
}
