// A number with how much it can be trusted: 1 of a full window without an artefact, down to 0.

struct Estimate: Equatable, Sendable {
  var value: Double
  var confidence: Double
}
