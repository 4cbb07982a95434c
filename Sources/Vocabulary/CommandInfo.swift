// The description of a command for users.

public struct CommandInfo: Equatable, Sendable {
  /// `[a-z0-9_]+`, as used in scripts.
  public let name: String
  /// One line, without a full stop.
  public let summary: String
  public let parameters: [Parameter]
  /// What the user should do first, in complete sentences; may be empty.
  public let preparation: String
  /// The fact that shows whether a sensor supports it; nil if no fact does.
  public private(set) var requirement: Requirement?

  public struct Requirement: Equatable, Sendable {
    public let fact: Field
    /// The bit of a fact that is a number; nil for a fact that is true or false.
    public let bit: Int?
  }

  /// A number that the command takes.
  public struct Parameter: Equatable, Sendable {
    public let name: String
    /// One line, without a full stop. Nil if the command's own summary is enough.
    public let summary: String?
    public let unit: String?
    public let range: ClosedRange<Double>
    public let isRequired: Bool

    public init(
      _ name: String, _ summary: String? = nil, in range: ClosedRange<Double>, _ unit: String? = nil,
      required: Bool = false
    ) {
      self.name = name
      self.summary = summary
      self.unit = unit
      self.range = range
      isRequired = required
    }

    /// Summary, range and unit in one line.
    public var meaning: String {
      let bounds = "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
      return [summary, unit.map { "\(bounds) \($0)" } ?? bounds].compactMap(\.self).joined(separator: ", ")
    }

    private static func text(_ bound: Double) -> String { Int(exactly: bound).map(String.init) ?? "\(bound)" }
  }

  public init(_ name: String, _ summary: String, _ parameters: [Parameter] = [], preparation: String = "") {
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.preparation = preparation
  }

  /// A command with a single number; `meaning` explains it.
  public init(
    _ name: String, _ summary: String, value range: ClosedRange<Double>, _ unit: String? = nil,
    meaning: String? = nil
  ) {
    self.init(name, summary, [Parameter("value", meaning, in: range, unit, required: true)])
  }

  /// The same command, but only for sensors that support it according to a fact.
  public func requiring(_ fact: Field, bit: Int? = nil) -> CommandInfo {
    var info = self
    info.requirement = Requirement(fact: fact, bit: bit)
    return info
  }
}
