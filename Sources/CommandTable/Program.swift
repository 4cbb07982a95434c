// What a program's command line is made of. These values are the only description of it: the parser, the help, the manual
// page's list of verbs and the shell completions are made from them. Nothing here does anything.

public struct Program: Sendable {
  public let name: String
  public let release: String
  /// One line, without a full stop.
  public let summary: String
  /// Taken with every verb, before or after it.
  public let options: [Option]
  /// Empty for a program that does one thing.
  public let verbs: [Verb]

  /// Paragraphs of several verbs that the manual page has once, elsewhere.
  public let explainedOnce: [String]

  @inlinable
  public init(
    name: String, release: String, summary: String, options: [Option], verbs: [Verb] = [],
    explainedOnce: [String] = []
  ) {
    self.name = name
    self.release = release
    self.summary = summary
    self.options = options
    self.verbs = verbs
    self.explainedOnce = explainedOnce
  }

  public func verb(named name: String) -> Verb? {
    verbs.first { $0.name == name }
  }

  /// The verbs that help lists.
  public var shownVerbs: [Verb] { verbs.filter { !$0.isHidden } }

  /// The headings under which help lists the verbs, in the order of the verbs.
  var groups: [Verb.Group] {
    shownVerbs.reduce(into: []) { groups, verb in if !groups.contains(verb.group) { groups.append(verb.group) } }
  }
}

public struct Verb: Sendable {
  public let name: String
  /// One line, without a full stop.
  public let summary: String
  /// Paragraphs. They are composed when they are shown, because every run makes all verbs.
  public var details: [String] { compose() }
  public let group: Group
  public let arguments: [Argument]
  public let options: [Option]
  public let examples: [Example]
  /// For programs to call. Help does not list it.
  public let isHidden: Bool

  /// An option that users try here although another verb has what they look for.
  public let elsewhere: Elsewhere?
  @usableFromInline
  let compose: @Sendable () -> [String]

  /// A heading.
  public struct Group: Equatable, Sendable {
    public let title: String

    @inlinable
    public init(_ title: String) {
      self.title = title
    }
  }

  @inlinable
  public init(
    _ name: String, _ summary: String, group: Group,
    details: @autoclosure @escaping @Sendable () -> [String] = [], arguments: [Argument] = [],
    options: [Option] = [], examples: [Example] = [], elsewhere: Elsewhere? = nil, isHidden: Bool = false
  ) {
    self.name = name
    self.summary = summary
    compose = details
    self.group = group
    self.arguments = arguments
    self.options = options
    self.examples = examples
    self.elsewhere = elsewhere
    self.isHidden = isHidden
  }
}

public struct Argument: Sendable {
  public let word: UserWord
  public let isRequired: Bool
  /// Only the last argument of a verb.
  public let isRepeated: Bool

  @inlinable
  public init(_ name: String, _ kind: UserWord.Kind, required: Bool = true, repeated: Bool = false) {
    word = UserWord(name, kind)
    isRequired = required
    isRepeated = repeated
  }
}

public struct Option: Sendable {
  /// Without the dashes.
  public let name: String
  public let short: Character?
  public let value: Value
  /// One line, without a full stop.
  public let summary: String
  public let isRepeated: Bool

  public enum Value: Sendable, Equatable {
    case none
    case required(UserWord)
    /// Taken from the next word unless that is an option.
    case optional(UserWord)

    public var word: UserWord? {
      switch self {
      case .none: nil
      case .required(let word), .optional(let word): word
      }
    }
  }

  @inlinable
  public init(_ name: String, short: Character? = nil, _ value: Value, _ summary: String, repeated: Bool = false) {
    self.name = name
    self.short = short
    self.value = value
    self.summary = summary
    isRepeated = repeated
  }

  /// Every program has these two.
  public static let help = Option("help", .none, "Show this help and exit")
  public static let version = Option("version", .none, "Show the release and exit")
}

/// An option that a verb does not have, and the verb to use instead.
public struct Elsewhere: Sendable {
  public let option: String
  public let verb: String

  @inlinable
  public init(_ option: String, verb: String) {
    self.option = option
    self.verb = verb
  }
}

public struct Example: Sendable {
  public let command: String
  public let meaning: String

  @inlinable
  public init(_ command: String, _ meaning: String) {
    self.command = command
    self.meaning = meaning
  }
}
