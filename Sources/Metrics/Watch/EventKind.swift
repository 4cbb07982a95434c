// Maps each event to a kind of sample, so that a filter by kind applies to events too. The first
// word of the event's name decides; docs/protocol.md has the same table.

public import Vocabulary

extension RideMetrics {
  /// The kind of an event; `ride` if the first word is unknown.
  public static func kind(ofEvent name: Word) -> SampleKind {
    let first = name.description.prefix { $0 != "_" }
    return eventKinds.first { $0.word == first }?.kind ?? SampleKind("ride")
  }

  private static let eventKinds: [(word: Substring, kind: SampleKind)] = [
    ("radar", SampleKind("radar")), ("tire", SampleKind("tire_pressure")), ("battery", SampleKind("battery")),
    ("wheel", SampleKind("wheel")), ("bike", .bike), ("gps", SampleKind("position")),
  ]
}
