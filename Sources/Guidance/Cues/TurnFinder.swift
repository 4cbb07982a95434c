// Finds the turns of a route in its line, for routes without cues. A turn is where the line changes
// its direction by more than an angle within some metres. Bends of wide roads change it more slowly.

import CMath
import Earth

struct TurnFinder {
  /// The line before and after a place, in metres, which have a direction each.
  private static let reach = 25.0
  private static let step = 5.0
  /// Turns that are nearer to a larger one belong to it, in metres.
  private static let width = 40.0
  /// The least angles in degrees.
  private static let slight = 35.0
  private static let plain = 55.0
  private static let sharp = 120.0
  private static let back = 155.0

  private let route: Route

  init(_ route: Route) { self.route = route }

  var cues: [Cue] {
    var cues: [Cue] = []
    var best: (angle: Double, along: Double)?
    var along = Self.reach
    while along <= route.lengthM - Self.reach {
      defer { along += steps(from: along) * Self.step }
      if let found = best, along - found.along > Self.width {
        cues.append(cue(found.angle, found.along))
        best = nil
      }
      guard let angle = angle(at: along), abs(angle) >= Self.slight else { continue }
      if best.map({ abs(angle) > abs($0.angle) }) ?? true { best = (angle, along) }
    }
    if let best { cues.append(cue(best.angle, best.along)) }
    return cues
  }

  /// To the next place that can have a turn. The inside of a straight piece has none, however long it is.
  private func steps(from along: Double) -> Double {
    let piece = route.piece(at: along)
    let inside = route.distance(of: piece + 1) - Self.reach
    guard route.distance(of: piece) <= along - Self.reach, along < inside else { return 1 }
    return max(1, ((inside - along) / Self.step).rounded(.up))
  }

  /// In degrees, to the right positive.
  private func angle(at along: Double) -> Double? {
    guard let here = route.position(at: along), let plane = LocalPlane(at: here),
      let before = route.position(at: along - Self.reach), let after = route.position(at: along + Self.reach)
    else { return nil }
    let from = PlanePoint(x: 0, y: 0) - plane.place(before)
    let to = plane.place(after)
    guard from.length > Self.reach / 4, to.length > Self.reach / 4 else { return nil }
    return atan2(from.y * to.x - from.x * to.y, from.dot(to)) * 180 / .pi
  }

  private func cue(_ angle: Double, _ along: Double) -> Cue {
    let isRight = angle > 0
    let kind: Cue.Kind =
      switch abs(angle) {
      case Self.back...: .uTurn
      case Self.sharp...: isRight ? .sharpRight : .sharpLeft
      case Self.plain...: isRight ? .right : .left
      default: isRight ? .slightRight : .slightLeft
      }
    return Cue(kind, atM: along)
  }
}
