// Segments that are under way, as the guide keeps them across a restart.

import Earth
import JSON
import LogbookWire
import Segments

struct SavedSegments: Equatable {
  /// The ride that they belong to.
  var ride: String?
  /// What the kernel calls this boot, which times count from.
  var boot: String
  var attempts: [LiveSegments.SavedAttempt]
}

extension SavedSegments {
  /// Nil if it is not what `write` writes.
  init?(_ json: JSONValue) {
    guard let boot = json["boot"]?.text, let items = json["attempts"]?.items,
      items.count <= SegmentLibrary.mostSegments
    else { return nil }
    (ride, self.boot, attempts) = (json["ride"]?.text, boot, [])
    for item in items {
      guard let attempt = LiveSegments.SavedAttempt(item) else { return nil }
      attempts.append(attempt)
    }
  }

  func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("ride", ride)
    writer.member("boot", boot)
    writer.member("attempts")
    writer.beginArray()
    for attempt in attempts { attempt.write(into: &writer) }
    writer.endArray()
    writer.endObject()
  }
}

extension LiveSegments.SavedAttempt {
  /// No computer runs longer. Times within it cannot overflow.
  private static let times = 0...9_000_000_000_000
  private static let distances = 0...SegmentLine.lengths.upperBound

  fileprivate init?(_ json: JSONValue) {
    guard let segment = json["segment"]?.integer, RequestLimits.ids.contains(segment),
      let start = json["start_ms"]?.integer, let startDistance = json["start_distance_m"]?.number,
      let along = json["distance_m"]?.number, let furthest = json["furthest_m"]?.number,
      let points = json["points"]?.integer, let latitude = json["latitude_deg"]?.number,
      let longitude = json["longitude_deg"]?.number, let at = json["at_ms"]?.integer,
      let position = Coordinate(latitude: latitude, longitude: longitude), Self.times.contains(start),
      Self.times.contains(at), start < at, [startDistance, along, furthest].allSatisfy(Self.distances.contains),
      0...SegmentLibrary.mostPoints ~= points
    else { return nil }
    self.init(
      segment: segment,
      attempt: EffortFinder.SavedAttempt(
        startMS: Int64(start), startDistanceM: startDistance, alongM: along, furthestM: furthest, passedPoints: points,
        position: position, atMS: Int64(at)))
  }

  fileprivate func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("segment", segment)
    writer.member("start_ms", Int(attempt.startMS))
    writer.member("start_distance_m", attempt.startDistanceM)
    writer.member("distance_m", attempt.alongM)
    writer.member("furthest_m", attempt.furthestM)
    writer.member("points", attempt.passedPoints)
    writer.member("latitude_deg", attempt.position.latitude)
    writer.member("longitude_deg", attempt.position.longitude)
    writer.member("at_ms", Int(attempt.atMS))
    writer.endObject()
  }
}
