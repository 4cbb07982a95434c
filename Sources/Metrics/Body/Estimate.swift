// A number with its confidence: 1 for a full window without artefacts, down to 0.

/// A computed number and how far to trust it.
public struct Estimate: Equatable, Sendable {
  public var value: Double
  public var confidence: Double
}
