// The kinds of samples and events that the ride publishes.

public import Vocabulary

public enum RideKinds {
  /// Without events.
  public static let all: [SampleKind] = [
    .speed, .cadence, .power, .heartRate, SampleKind("ride"), SampleKind("averages"), SampleKind("lap_averages"),
    SampleKind("zones"), SampleKind("power_zones"), SampleKind("training"), SampleKind("hrv"), SampleKind("position"),
    SampleKind("grade"), SampleKind("wheel"), .bike,
  ]

  /// Milliseconds after which a derived sample is no longer current. Samples of other kinds hold
  /// until the next one.
  public static let staleLimits: [(SampleKind, Int)] = [
    (.speed, 3000), (.cadence, 3000), (.power, 3000), (.heartRate, 5000), (SampleKind("ride"), 5000),
    (SampleKind("averages"), 5000), (SampleKind("lap_averages"), 5000), (SampleKind("zones"), 5000),
    (SampleKind("power_zones"), 5000), (SampleKind("training"), 5000), (SampleKind("hrv"), 10_000),
    (SampleKind("position"), 5000), (SampleKind("grade"), 5000),
  ]

  /// Those that name their source.
  public static let ofOneSource: [SampleKind] = [.speed, .cadence, .power, .heartRate, SampleKind("wheel")]

  /// The kind of an event, so that a filter by kind applies to events too. The first word of the
  /// event's name decides; docs/protocol.md has the same table. `ride` if that word is unknown.
  public static func kind(ofEvent name: Word) -> SampleKind {
    let first = name.description.prefix { $0 != "_" }
    return ofEvents.first { $0.word == first }?.kind ?? SampleKind("ride")
  }

  private static let ofEvents: [(word: Substring, kind: SampleKind)] = [
    ("radar", SampleKind("radar")), ("tire", SampleKind("tire_pressure")), ("battery", SampleKind("battery")),
    ("wheel", SampleKind("wheel")), ("bike", .bike), ("gps", SampleKind("position")),
  ]
}
