// A parsed and validated command line. Numbers have been checked.

public struct Invocation: Sendable {
  /// Nil for a program without verbs.
  public let verb: Verb?
  /// The arguments in order.
  public internal(set) var words: [String] = []
  var values: [Setting] = []

  struct Setting: Sendable {
    let option: String
    let value: String?
  }

  init(verb: Verb?) {
    self.verb = verb
  }

  public func has(_ option: Option) -> Bool {
    values.contains { $0.option == option.name }
  }

  /// The last value given, so that the command line overrides an alias.
  public func text(_ option: Option) -> String? {
    texts(option).last
  }

  public func texts(_ option: Option) -> [String] {
    values.compactMap { $0.option == option.name ? $0.value : nil }
  }

  public func number(_ option: Option) -> Double? {
    text(option).flatMap(decimal)
  }

  public func count(_ option: Option) -> Int? {
    text(option).flatMap { CommandTable.count($0) }
  }
}

/// What a command line asks for.
public enum Intent: Sendable {
  /// The text to print on standard output.
  case help(String)
  case version(String)
  case run(Invocation)
}

/// A command line that cannot be understood. The exit status is 2.
public struct UsageError: Error, Equatable, Sendable {
  public static let exitStatus: Int32 = 2

  public let message: String
  /// Where to read more: a sentence, or the help itself.
  public let hint: String

  /// For standard error; ends with a newline.
  public func text(program: String) -> String {
    (message.isEmpty ? "" : "\(program): \(message)\n") + hint + "\n"
  }
}
