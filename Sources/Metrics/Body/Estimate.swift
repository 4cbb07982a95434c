// A number with its confidence: 1 for a full window without artefacts, down to 0.

struct Estimate: Equatable, Sendable {
  var value: Double
  var confidence: Double
}
