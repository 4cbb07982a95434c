// Reads routes and fixes that simulate.py made, and prints what Guidance makes of each fix. Used by
// Tests/Guidance/run only.

import Earth
import Guidance
import Time

@main
enum FollowRides {
  static func main() {
    var points: [Route.Point] = []
    var follower: RouteFollower?
    while let line = readLine() {
      let words = line.split(separator: " ")
      switch words.first {
      case "ride":
        print(line)
        (points, follower) = ([], nil)
      case "point":
        if let place = place(words, from: 1) { points.append(Route.Point(place)) }
      case "fix":
        if follower == nil { follower = Route(points).map { RouteFollower($0) } }
        guard let fix = fix(words) else { fatalError("not a fix: \(line)") }
        follower?.add(fix)
        guard let progress = follower?.progress else { continue }
        print(words[1], progress.state, progress.distanceM, progress.distanceToGoM, progress.crossTrackM, progress.lap)
      default: fatalError("not a line of a ride: \(line)")
      }
    }
  }

  private static func place(_ words: [Substring], from first: Int) -> Coordinate? {
    guard words.count > first + 1, let latitude = Double(words[first]), let longitude = Double(words[first + 1]) else {
      return nil
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func fix(_ words: [Substring]) -> PositionFix? {
    guard words.count == 7, let seconds = Double(words[1]), let place = place(words, from: 2) else { return nil }
    return PositionFix(
      place, at: MonotonicTime(seconds: seconds), accuracyM: Double(words[4]), speedMps: Double(words[5]),
      courseDeg: Double(words[6]))
  }
}
