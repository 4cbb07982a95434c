// What each kind of sample consists of: the source of docs/schema/kind.json, and through it of the
// typed samples of the clients.

public struct KindInfo: Sendable {
  public let name: String
  public let meaning: String
  public let needs: Needs
  /// Whether a number may have a companion with its trend, whose name ends in `_trend`.
  public let hasTrends: Bool
  public let fields: [FieldInfo]

  /// What every sample of the kind has.
  public enum Needs: Sendable {
    case nothing
    case all([String])
    case oneOf([String])
  }

  init(_ name: String, _ meaning: String, needs: Needs = .nothing, hasTrends: Bool = false, _ fields: [FieldInfo]) {
    self.name = name
    self.meaning = meaning
    self.needs = needs
    self.hasTrends = hasTrends
    self.fields = fields
  }

  /// In the order of the documentation.
  public static var all: [KindInfo] { ofSensors + ofRide + ofGuide }
}

public struct FieldInfo: Sendable {
  public let name: String
  public let form: Form
  /// Of a number; 1 for counts, ratios and scales of a maker.
  public let unit: String?
  public let meaning: String

  public enum Form: Sendable {
    case number(Bounds = Bounds())
    case count(Bounds = Bounds())
    /// A list of numbers, each within the bounds.
    case numbers(Bounds = Bounds(), exactly: Int? = nil)
    /// A list of groups of numbers.
    case groups(of: Int)
    case flag
    /// A flag that is left out while it is false.
    case onlyTrue
    case words([String])
    /// A text; `like` is a regular expression.
    case text(like: String? = nil)
    /// A value that docs/schema/common.json describes.
    case shared(String)
    /// A list of objects.
    case objects(needs: [String], [FieldInfo])
  }

  /// Nil where there is no limit.
  public struct Bounds: Sendable {
    public let lowest: Double?
    public let highest: Double?

    public init(_ lowest: Double? = nil, _ highest: Double? = nil) {
      (self.lowest, self.highest) = (lowest, highest)
    }
  }

  init(_ name: String, _ form: Form, _ unit: String, _ meaning: String) {
    (self.name, self.form, self.unit, self.meaning) = (name, form, unit, meaning)
  }

  /// A field without a unit.
  init(_ name: String, _ form: Form, _ meaning: String) {
    (self.name, self.form, unit, self.meaning) = (name, form, nil, meaning)
  }

  /// Of a derived sample.
  static let source = FieldInfo(
    "source", .shared("sensor_id"),
    "The sensor, or `gps` for a receiver, that a derived value comes from. Derived samples (sensor `ride`) only.")
}

extension FieldInfo.Form {
  static func number(_ range: ClosedRange<Double>) -> Self { .number(FieldInfo.Bounds(range)) }
  static func number(_ range: PartialRangeFrom<Double>) -> Self { .number(FieldInfo.Bounds(range.lowerBound)) }
  static func count(_ range: ClosedRange<Double>) -> Self { .count(FieldInfo.Bounds(range)) }
  static func count(_ range: PartialRangeFrom<Double>) -> Self { .count(FieldInfo.Bounds(range.lowerBound)) }
  static func numbers(_ range: PartialRangeFrom<Double>, exactly count: Int? = nil) -> Self {
    .numbers(FieldInfo.Bounds(range.lowerBound), exactly: count)
  }

}

extension FieldInfo.Bounds {
  fileprivate init(_ range: ClosedRange<Double>) { self.init(range.lowerBound, range.upperBound) }
}
