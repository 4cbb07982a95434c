// The names of samples and events that a file may declare.

internal import SensorKit

extension SensorWords {
  /// A file must not publish what only a service knows: the page would show a made-up place or ride.
  func kind(_ name: String) throws(Mistake) -> SampleKind {
    guard !KnownFields.kindsOfServices.contains(name) else {
      throw Mistake("\(name) is published by a service, not by a sensor; use another kind")
    }
    return SampleKind(try word(name))
  }

  /// How the names of the ride's own events begin. A file must not report them: only the ride may say that
  /// the road is clear.
  private static let ofRide = ["radar", "tire", "battery", "wheel", "bike", "gps"]

  func eventName(_ name: String) throws(Mistake) -> Word {
    let first = name.prefix { $0 != "_" }
    guard !Self.ofRide.contains(String(first)) else {
      throw Mistake("events that begin with \(Self.ofRide.joined(separator: ", ")) are the ride's")
    }
    return try word(name)
  }
}
