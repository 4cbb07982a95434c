// Command line -> Invocation, GNU style: `--name value`, `--name=value`, `-n value`, `-nvalue`,
// clusters of short flags, options after arguments, `--` to end options. Does no input or output.

extension Program {
  /// `first` is 1 if `arguments` starts with the program's name.
  public func parse(_ arguments: [String], from first: Int = 0) throws(UsageError) -> Intent {
    var parser = Parser(program: self, arguments: arguments, from: first)
    return try parser.parse()
  }
}

private struct Parser {
  let program: Program
  let arguments: [String]
  var next: Int
  var verb: Verb?
  var invocation: Invocation
  var asksForHelp = false
  var asksForVersion = false

  init(program: Program, arguments: [String], from first: Int) {
    self.program = program
    self.arguments = arguments
    next = first
    invocation = Invocation(verb: nil)
  }

  mutating func parse() throws(UsageError) -> Intent {
    var areOptionsOver = false
    // `--help` wins over any mistake in the rest of the line.
    while next < arguments.count, !asksForHelp, !asksForVersion {
      let word = arguments[next]
      next += 1
      if areOptionsOver || !isOption(word) {
        try take(word)
      } else if word == "--" {
        areOptionsOver = true
      } else if word.hasPrefix("--") {
        try takeLong(word.dropFirst(2))
      } else {
        try takeShort(word.dropFirst())
      }
    }
    if asksForHelp { return .help(program.help(verb)) }
    if asksForVersion { return .version("\(program.name) \(program.release)\n") }
    return try finish()
  }

  private func finish() throws(UsageError) -> Intent {
    if verb == nil, !program.verbs.isEmpty { throw UsageError(message: "", hint: program.help(nil)) }
    if let missing = verb?.arguments.dropFirst(invocation.words.count).first(where: \.isRequired) {
      throw complaint("missing \(missing.word.name)")
    }
    if verb?.name == Option.help.name { return .help(try help(about: invocation.words.first)) }
    return .run(invocation)
  }

  private func help(about name: String?) throws(UsageError) -> String {
    guard let name else { return program.help(nil) }
    guard let verb = program.verb(named: name) else { throw unknownVerb(name) }
    return program.help(verb)
  }
}

extension Parser {
  private mutating func take(_ word: String) throws(UsageError) {
    if verb == nil, !program.verbs.isEmpty {
      guard let named = program.verb(named: word) else { throw unknownVerb(word) }
      verb = named
      let before = invocation.values
      invocation = Invocation(verb: named)
      invocation.values = before
      return
    }
    let expected = verb?.arguments ?? []
    let position = invocation.words.count
    let argument = position < expected.count ? expected[position] : expected.last { $0.isRepeated }
    guard let argument else { throw complaint("'\(word)' is an unexpected argument") }
    if let problem = argument.word.complaint(about: word) { throw complaint(problem) }
    invocation.words.append(word)
  }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let attached = parts.count > 1 ? String(parts[1]) : nil
    guard let option = options.first(where: { $0.name == parts[0] }) else {
      throw unknownOption(String(parts[0]), value: attached ?? (next < arguments.count ? arguments[next] : nil))
    }
    if attached != nil, option.value == .none { throw complaint("--\(option.name) takes no value") }
    try set(option, written: "--\(option.name)", attached: attached)
  }

  private mutating func takeShort(_ text: Substring) throws(UsageError) {
    var rest = text
    while let letter = rest.popFirst(), !asksForHelp {
      guard let option = options.first(where: { $0.short == letter }) else {
        throw complaint("unknown option -\(letter)\(verb.map { " for \($0.name)" } ?? "")")
      }
      let attached = option.value == .none || rest.isEmpty ? nil : String(rest)
      if attached != nil { rest = "" }
      try set(option, written: "-\(letter)", attached: attached)
    }
  }

  private mutating func set(_ option: Option, written: String, attached: String?) throws(UsageError) {
    asksForHelp = asksForHelp || option.name == Option.help.name
    asksForVersion = asksForVersion || option.name == Option.version.name
    var value = attached
    switch option.value {
    case .none: break
    case .required(let word):
      if value == nil {
        guard next < arguments.count else { throw complaint("\(written) needs a value: \(word.name)") }
        value = arguments[next]
        next += 1
      }
    case .optional:
      if value == nil, next < arguments.count, !arguments[next].hasPrefix("-") {
        value = arguments[next]
        next += 1
      }
    }
    if let value, let problem = option.value.word?.complaint(about: value) { throw complaint("\(written): \(problem)") }
    invocation.values.append(Invocation.Setting(option: option.name, value: value))
  }

  private var options: [Option] { program.options + (verb?.options ?? []) }
}

// MARK: What was wrong, and where to read more

extension Parser {
  private func complaint(_ message: String) -> UsageError {
    let command = program.verbs.isEmpty ? "\(program.name) --help" : "\(program.name) help"
    let about = verb.map { $0.name == "help" ? "" : " \($0.name)" } ?? ""
    return UsageError(message: message, hint: "Try '\(command)\(about)'.")
  }

  private func unknownVerb(_ word: String) -> UsageError {
    let likely = suggestion(for: word, among: program.shownVerbs.map(\.name))
    return complaint("unknown verb '\(word)'" + (likely.map { "; did you mean '\($0)'?" } ?? ""))
  }

  private func unknownOption(_ word: String, value: String?) -> UsageError {
    if let verb,
      let elsewhere = verb.elsewhere, elsewhere.option == word,
      let other = program.verb(named: elsewhere.verb)
    {
      let words = value ?? other.arguments.first?.word.name ?? ""
      return complaint("unknown option --\(word) for \(verb.name); use '\(program.name) \(other.name) \(words)'")
    }
    if verb == nil, let owner = program.verbs.first(where: { $0.options.contains { $0.name == word } }) {
      return complaint("--\(word) must follow its verb: '\(program.name) \(owner.name) --\(word)'")
    }
    let likely = suggestion(for: word, among: options.map(\.name))
    let place = verb.map { " for \($0.name)" } ?? ""
    return complaint("unknown option --\(word)\(place)" + (likely.map { "; did you mean --\($0)?" } ?? ""))
  }
}

/// Whether `word` is an option. `-` is a file, and a negative number is a value.
func isOption(_ word: String) -> Bool {
  word.hasPrefix("-") && word != "-" && decimal(String(word.dropFirst())) == nil
}
