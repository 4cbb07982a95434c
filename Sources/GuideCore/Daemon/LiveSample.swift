// A sample of the daemon as the guide needs it, found in its line without an allocation.

import Earth
import Guidance
import JSON
import Time

enum LiveSample {
  case position(PositionFix)
  case speed(Double, MonotonicTime)
  /// Turns of the crank, per minute.
  case cadence(Double, MonotonicTime)
  /// Steps per minute, or strides of two steps, as the foot pod counts.
  case steps(Double, MonotonicTime)
  /// Where the id of the ride is in the line.
  case ride(Range<Int>)

  /// The daemon begins with its last samples, however old they are.
  private static let currentMS = 3000.0

  /// Nil for other samples, for old ones but `ride`, and for lines that are not samples.
  init?(_ line: Span<UInt8>) {
    guard let sensor = line.text(of: "sensor"), let kind = line.text(of: "kind"),
      let seconds = line.number(of: "t"), (0..<9e9).contains(seconds)
    else { return nil }
    let (time, isOfRide) = (MonotonicTime(seconds: seconds), line.extracting(sensor).isText("ride"))
    let name = line.extracting(kind)
    if isOfRide, name.isText("ride"), let id = line.text(of: "ride_id") {
      self = .ride(id)
      return
    }
    guard line.number(of: "age_ms") ?? 0 <= Self.currentMS else { return nil }
    if name.isText("cadence"), let steps = line.number(of: "cadence_per_min") {
      self = .steps(steps, time)
    } else if !isOfRide {
      return nil
    } else if name.isText("position"), let fix = PositionFix(line, at: time) {
      self = .position(fix)
    } else if name.isText("speed"), let speed = line.number(of: "speed_mps") {
      self = .speed(speed, time)
    } else if name.isText("cadence"), let cadence = line.number(of: "cadence_rpm") {
      self = .cadence(cadence, time)
    } else {
      return nil
    }
  }

  static let kinds = ["position", "speed", "cadence", "ride"]
}

extension PositionFix {
  fileprivate init?(_ line: Span<UInt8>, at time: MonotonicTime) {
    guard let latitude = line.number(of: "latitude_deg"), let longitude = line.number(of: "longitude_deg"),
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.init(
      place, at: time, accuracyM: line.number(of: "accuracy_m"), speedMps: line.number(of: "speed_mps"),
      courseDeg: line.number(of: "course_deg"))
  }
}

extension Span<UInt8> {
  /// The value of a member that is a string without escapes.
  fileprivate func text(of member: StaticString) -> Range<Int>? {
    guard var place = value(of: member), skip("\"", at: &place) else { return nil }
    return string(at: &place)
  }
}
