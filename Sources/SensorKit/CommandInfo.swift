// A command that a plugin's sensors take, as a user is told of it.

public struct CommandInfo: Equatable, Sendable {
  /// `[a-z0-9_]+`; scripts call it so.
  public let name: String
  /// One line, without a full stop.
  public let summary: String
  public let parameters: [Parameter]
  /// What the user should see to first: whole sentences, or nothing.
  public let preparation: String
  /// The fact that shows whether a sensor supports it; nil if no fact does.
  public private(set) var requirement: Requirement?

  public struct Requirement: Equatable, Sendable {
    public let fact: Field
    /// The bit of a fact that is a number; nil for a fact that is true or false.
    public let bit: Int?
  }

  public struct Parameter: Equatable, Sendable {
    public let name: String
    /// What it is, in which unit.
    public let meaning: String
    public let isRequired: Bool

    public init(_ name: String, _ meaning: String, required: Bool = false) {
      self.name = name
      self.meaning = meaning
      isRequired = required
    }
  }

  public init(_ name: String, _ summary: String, _ parameters: [Parameter] = [], preparation: String = "") {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.preparation = preparation
  }

  /// Of a command that takes one number.
  public init(_ name: String, _ summary: String, value meaning: String, preparation: String = "") {
    self.init(name, summary, [Parameter("value", meaning, required: true)], preparation: preparation)
  }

  /// The same, of sensors only that support it according to a fact.
  public func requiring(_ fact: Field, bit: Int? = nil) -> CommandInfo {
    var info = self
    info.requirement = Requirement(fact: fact, bit: bit)
    return info
  }
}
