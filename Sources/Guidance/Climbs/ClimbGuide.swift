// The climbs of a route: where the next one begins, and what is left of this one.
//
// A climb is where a route rises above a slope of 2 % by 10 m or more. It ends where the route falls
// below that slope by as much. Flat parts before and after a climb do not belong to it. Counted are
// climbs of at least 20 m and 3 %.

package struct ClimbGuide: Sendable {
  package struct Ahead: Equatable, Sendable {
    package var climb: RouteClimb
    /// To its start; 0 on the climb.
    package var distanceM: Double
    package var distanceToTopM: Double
    package var ascentToGoM: Double
  }

  /// Numbers in the profile of a climb.
  package static let mostValues = 60
  private static let slope = 0.02
  private static let threshold = 10.0
  private static let leastAscent = 20.0
  private static let leastGrade = 3.0

  package let climbs: [RouteClimb]
  private let profile: AltitudeProfile?

  package init(_ route: Route) {
    profile = AltitudeProfile(route)
    climbs = profile.map(Self.climbs) ?? []
  }

  private static func climbs(_ profile: AltitudeProfile) -> [RouteClimb] {
    var climbs: [RouteClimb] = []
    var (low, high) = (0, 0)
    let height = { (index: Int) in Double(profile.values[index]) - slope * profile.step * Double(index) }
    let end = { () in
      let climb = RouteClimb(
        startM: profile.step * Double(low), endM: profile.step * Double(high),
        ascentM: Double(profile.values[high] - profile.values[low]))
      if climb.ascentM >= leastAscent, climb.gradePct >= leastGrade { climbs.append(climb) }
    }
    for index in profile.values.indices {
      if height(high) - height(low) >= threshold {
        if height(index) > height(high) { high = index }
        guard height(high) - height(index) >= threshold else { continue }
        end()
        (low, high) = (index, index)
      } else if height(index) < height(low) {
        (low, high) = (index, index)
      } else if height(index) > height(high) {
        high = index
      }
    }
    if height(high) - height(low) >= threshold { end() }
    return climbs
  }

  /// The climb that the rider is on, or else the next one.
  package func next(at distanceM: Double) -> Ahead? {
    var (low, high) = (0, climbs.count)
    while low < high {
      let middle = (low + high) / 2
      if climbs[middle].endM > distanceM { high = middle } else { low = middle + 1 }
    }
    guard low < climbs.count, let profile else { return nil }
    let climb = climbs[low]
    let rest = profile.altitude(at: climb.endM) - profile.altitude(at: max(distanceM, climb.startM))
    return Ahead(
      climb: climb, distanceM: max(0, climb.startM - distanceM), distanceToTopM: climb.endM - distanceM,
      ascentToGoM: min(climb.ascentM, max(0, rest)))
  }

  /// Altitudes at equal distances from the start to the end of a climb.
  package func profile(of climb: RouteClimb) -> [Double] {
    guard let profile, climb.lengthM > 0 else { return [] }
    let count = min(Self.mostValues, max(2, Int(climb.lengthM / profile.step) + 1))
    return (0..<count).map { profile.altitude(at: climb.startM + climb.lengthM * Double($0) / Double(count - 1)) }
  }
}
