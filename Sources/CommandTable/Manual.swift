// The list of verbs of the manual page, generated from the table as man(7) source. Options and
// commands are bold, user-supplied words are italic, and each sentence starts a line.

extension Program {
  /// A section for each group of verbs; ends with a newline.
  public var manualVerbs: String {
    var lines: [String] = []
    for group in groups where shownVerbs.contains(where: { $0.group == group }) {
      lines.append(".SS \(group.title)")
      for verb in shownVerbs where verb.group == group { lines += verb.manual(without: explainedOnce) }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The options of every verb.
  public var manualOptions: String {
    options.flatMap(\.manual).map { $0 + "\n" }.joined()
  }
}

extension Verb {
  fileprivate func manual(without omitted: [String]) -> [String] {
    let supplied = (arguments.map(\.word) + options.compactMap(\.value.word)).map(\.name)
    var lines = [".TP", manualSynopsis] + filled(summary + ".", supplied)
    for paragraph in details where !omitted.contains(paragraph) { lines += [".IP"] + filled(paragraph, supplied) }
    if options.isEmpty { return lines }
    return lines + [".RS"] + options.flatMap(\.manual) + [".RE"]
  }

  private var manualSynopsis: String {
    let places = arguments.map { argument in
      let word = italic(argument.word.name)
      return (argument.isRequired ? word : "[\(word)]") + (argument.isRepeated ? "..." : "")
    }
    return ([bold(name)] + (options.isEmpty ? [] : ["[\(italic("OPTION"))]..."]) + places).joined(separator: " ")
  }
}

extension Option {
  fileprivate var manual: [String] {
    let long =
      switch value {
      case .none: bold("--\(name)")
      case .required(let word): "\(bold("--\(name)")) \(italic(word.name))"
      case .optional(let word): "\(bold("--\(name)")) [\(italic(word.name))]"
      }
    let heading = (short.map { bold("-\($0)") + ", " } ?? "") + long
    return [".TP", heading] + filled(summary + ".", value.word.map { [$0.name] } ?? [])
  }
}

private func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
private func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

private func escaped(_ text: String) -> String {
  text.reduce(into: "") { result, letter in
    switch letter {
    case "\\": result += "\\e"
    case "-": result += "\\-"
    case "~": result += "\\(ti"
    default: result.append(letter)
    }
  }
}

/// Marked up, in lines of at most 78 characters.
private func filled(_ text: String, _ supplied: [String]) -> [String] {
  var lines: [String] = []
  var line = ""
  func endLine() {
    // A line that begins with one of these would be a request to the formatter.
    if !line.isEmpty { lines.append([".", "'"].contains(line.first) ? "\\&" + line : line) }
    line = ""
  }
  for (word, endsSentence) in markedUp(text, supplied) {
    if !line.isEmpty, line.count + 1 + word.count > 78 { endLine() }
    line += (line.isEmpty ? "" : " ") + word
    if endsSentence { endLine() }
  }
  endLine()
  return lines
}

/// The words of a text. What is in quotes is a command, and becomes one word.
private func markedUp(_ text: String, _ supplied: [String]) -> [(word: String, endsSentence: Bool)] {
  var words: [(String, Bool)] = []
  var pieces = text.split(separator: " ")[...]
  while var piece = pieces.popFirst().map(String.init) {
    if piece.hasPrefix("'") {
      while !piece.dropFirst().contains("'"), let next = pieces.popFirst() { piece += " " + next }
    }
    words.append((marked(piece, supplied), piece.hasSuffix(".")))
  }
  return words
}

/// A word with the punctuation around it.
private func marked(_ piece: String, _ supplied: [String]) -> String {
  if piece.hasPrefix("'"), let end = piece.dropFirst().firstIndex(of: "'") {
    return bold(String(piece[piece.index(after: piece.startIndex)..<end]))
      + escaped(String(piece[piece.index(after: end)...]))
  }
  let opening = piece.prefix { $0 == "(" }
  let tail = piece.reversed().prefix { ".,;:)".contains($0) }.count
  let core = String(piece.dropFirst(opening.count).dropLast(tail))
  let closing = String(piece.suffix(tail))
  let text =
    isOption(core) ? bold(core) : supplied.contains(core) || core == "KEY=VALUE" ? italic(core) : escaped(core)
  return opening + text + escaped(closing)
}
