// Samples with a property for each field of their kind. The types in Kinds are generated from
// docs/schema/kind.json.

public import Wire

/// A sample of one kind.
///
///     if let heartRate = HeartRateSample(update.sample), let bpm = heartRate.bpm { … }
///
/// Every field may be missing, so every property is optional. A word that this release does not know
/// reads as nil; `sample` has it as it was sent.
public protocol TypedSample: Equatable, Sendable {
  static var kind: String { get }
  var sample: SampleRecord { get }
  /// Use `init(_:)`, which checks the kind.
  init(checked sample: SampleRecord)
}

extension TypedSample {
  /// Nil if it is a sample of another kind, or none.
  public init?(_ sample: SampleRecord?) {
    guard let sample, sample.kind == Self.kind else { return nil }
    self.init(checked: sample)
  }

  /// Of a derived sample: the sensor that the value comes from.
  public var source: String? { sample.source }
}
