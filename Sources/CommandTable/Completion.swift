// Candidates for the word at the cursor, for shell completion. Made from the table alone; what only a daemon
// or the file system knows is left to the caller (`wanted`). Earlier words may be wrong; they are skipped.

public struct Completion: Equatable, Sendable {
  public struct Candidate: Equatable, Sendable {
    public let word: String
    public let meaning: String

    public init(_ word: String, _ meaning: String = "") {
      self.word = word
      self.meaning = meaning
    }
  }

  /// Candidates from the table.
  public internal(set) var candidates: [Candidate] = []
  /// What else is accepted there.
  public internal(set) var wanted: UserWord.Kind?
  /// What was typed of it, and what comes before that in the same word: `--sensor=`.
  public internal(set) var stem: String
  public internal(set) var lead = ""
  /// The arguments of the verb before it.
  public internal(set) var arguments: [String] = []
  var values: [String: String] = [:]

  /// The value of an option before it.
  public func text(_ option: Option) -> String? { values[option.name] }
}

extension Program {
  /// `words` follow the program's name. The last one, which may be empty, is at the cursor.
  public func completion(of words: [String]) -> Completion {
    var reader = Reader(program: self, completion: Completion(stem: words.last ?? ""))
    for word in words.dropLast() { reader.pass(word) }
    reader.complete()
    return reader.completion
  }
}

private struct Reader {
  let program: Program
  var completion: Completion
  var verb: Verb?
  /// The option whose value comes next.
  var open: Option?
  var given: Set<String> = []
  var areOptionsOver = false
  /// The verb is unknown, so nothing after it can be completed.
  var isLost = false

  private var options: [Option] { program.options + (verb?.options ?? []) }

  mutating func pass(_ word: String) {
    if let option = open {
      completion.values[option.name] = word
      open = nil
    } else if areOptionsOver || !isOption(word) {
      if verb == nil, !program.verbs.isEmpty {
        verb = program.verb(named: word)
        isLost = verb == nil
      } else {
        completion.arguments.append(word)
      }
    } else if word == "--" {
      areOptionsOver = true
    } else {
      let (option, value) = option(in: word)
      guard let option else { return }
      given.insert(option.name)
      completion.values[option.name] = value
      if value == nil, case .required = option.value { open = option }
    }
  }

  /// The option that a word names, the last of a cluster, and the value that is attached to it.
  private func option(in word: String) -> (Option?, value: String?) {
    if word.hasPrefix("--") {
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (options.first { $0.name == parts[0] }, parts.count > 1 ? String(parts[1]) : nil)
    }
    var rest = word.dropFirst()
    var last: Option?
    while let letter = rest.popFirst() {
      last = options.first { $0.short == letter }
      if let last, last.value != .none, !rest.isEmpty { return (last, String(rest)) }
    }
    return (last, nil)
  }

  mutating func complete() {
    let typed = completion.stem
    if isLost { return }
    if let open {
      offer(open.value.word)
    } else if !areOptionsOver, typed.hasPrefix("--"), let equals = typed.firstIndex(of: "=") {
      completion.lead = String(typed[...equals])
      completion.stem = String(typed[typed.index(after: equals)...])
      offer(options.first { "--\($0.name)=" == completion.lead }?.value.word)
    } else if !areOptionsOver, typed.hasPrefix("-") {
      let left = options.filter { $0.isRepeated || !given.contains($0.name) }
      add(left.map { Completion.Candidate("--\($0.name)", $0.summary) })
    } else if verb == nil, !program.verbs.isEmpty {
      offer(UserWord("VERB", .verb))
    } else if let verb {
      let place = completion.arguments.count
      let argument = place < verb.arguments.count ? verb.arguments[place] : verb.arguments.last { $0.isRepeated }
      offer(argument?.word)
    }
  }

  private mutating func offer(_ word: UserWord?) {
    switch word?.kind {
    case .oneOf(let words): add(words.map { Completion.Candidate($0) })
    case .verb: add(program.shownVerbs.map { Completion.Candidate($0.name, $0.summary) })
    // Only the user knows these.
    case nil, .text, .address, .seconds, .count, .factor: break
    case .file, .parameter, .known: completion.wanted = word?.kind
    }
  }

  private mutating func add(_ candidates: [Completion.Candidate]) {
    completion.candidates = candidates.filter { $0.word.hasPrefix(completion.stem) }
  }
}
