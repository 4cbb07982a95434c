// A climb of a route, from its start to its end.

package struct RouteClimb: Equatable, Sendable {
  /// Along the route.
  package var startM: Double
  package var endM: Double
  /// From its start to its end.
  package var ascentM: Double

  package var lengthM: Double { endM - startM }
  package var gradePct: Double { lengthM > 0 ? 100 * ascentM / lengthM : 0 }
}
