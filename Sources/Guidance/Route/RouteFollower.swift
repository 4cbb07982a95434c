// Follows a rider along a route: from fixes of the receiver to the progress on the route. Pure: time
// is that of the fixes.
//
// Two questions are answered apart. How far the line is, whichever part of it, decides whether the
// rider is off the route. Which part the rider is on, and in which direction, is up to
// `RouteMatcher`. It needs some metres of movement.

import Earth
import Time

package struct RouteFollower: Sendable {
  /// A rider farther from the line, in metres, is off the route. Less exact receivers get more.
  package static let tolerance = 30.0
  /// A rider who comes back is on the route again when nearer by this, in metres.
  private static let hysteresis = 8.0
  /// The rider is off the route after so many seconds beyond the tolerance.
  private static let leastSeconds = 0.9
  /// The same after a jump of the receiver, which can last that long.
  private static let leastSecondsAfterJump = 10.0
  /// So long after a jump the receiver is doubted.
  private static let doubtSeconds = 20.0
  /// The same for some time after a silence, when the first fixes can be wrong.
  private static let leastSecondsAfterSilence = 4.0
  private static let settlingSeconds = 10.0
  /// Fixes that are worse than this, in metres, are ignored.
  private static let worstAccuracy = 150.0
  /// After a longer silence the way in between is not known.
  private static let knownSeconds = 5.0
  /// Accuracies up to this need no more tolerance.
  private static let goodAccuracy = 10.0
  /// A movement has a direction after this many metres.
  private static let leastMove = 8.0
  /// The receiver's course is right from this speed on, in metres per second.
  private static let leastSpeed = 2.0
  /// Riders who come to the route at a sharp angle first seem to ride it backwards, for some metres.
  private static let leastMetresBackward = 60.0
  /// The route ends within so many metres of its end, or within the receiver's accuracy.
  private static let endReach = 15.0
  private static let mostEndReach = 60.0
  /// A loop can end only after this many metres.
  private static let leastLap = 200.0
  /// A new lap of a loop begins after so many metres of it.
  private static let lapStart = 30.0
  private static let mostLaps = 1_000_000
  /// Going back by less, in metres, is an error of the receiver.
  private static let wander = 20.0

  package let route: Route
  package private(set) var progress: RouteProgress
  private var matcher = RouteMatcher()
  private var last: PositionFix?
  /// Where the last movement ended.
  private var anchor: PositionFix?
  private var outsideSince: MonotonicTime?
  private var doubtUntil: MonotonicTime?
  private var settlesAt: MonotonicTime?
  private var riddenM = 0.0
  /// The match of the progress.
  private var current: Int?
  /// False after a restart, until a fix fits the saved place or another one is found.
  private var isPlaceKnown = true

  package init(_ route: Route, resuming saved: SavedProgress? = nil) {
    self.route = route
    progress = RouteProgress(
      state: .approaching, distanceM: 0, distanceToGoM: route.lengthM, crossTrackM: .infinity, lap: 1)
    if let saved {
      (progress.state, progress.lap, riddenM) = (
        saved.state, min(max(1, saved.lap), Self.mostLaps), max(0, saved.riddenM)
      )
      move(to: min(max(0, saved.distanceM), route.lengthM))
      isPlaceKnown = false
    }
  }

  package var saved: SavedProgress {
    SavedProgress(state: progress.state, distanceM: progress.distanceM, lap: progress.lap, riddenM: riddenM)
  }

  /// Returns false if the fix is ignored, or if the place on the route is not known yet.
  @discardableResult
  package mutating func add(_ fix: PositionFix) -> Bool {
    guard last.map({ $0.time < fix.time }) ?? true, (fix.accuracyM ?? 0) <= Self.worstAccuracy,
      let plane = LocalPlane(at: fix.position), !isJump(fix)
    else { return false }
    let nearest = route.nearest(around: plane)
    progress.crossTrackM = nearest.offset
    progress.bearingDeg = route.position(at: nearest.along).map { plane.place($0).courseDeg }
    match(fix, plane)
    if let last, fix.time.seconds(since: last.time) > Self.knownSeconds {
      settlesAt = fix.time + .seconds(Self.settlingSeconds)
      outsideSince = nil
    }
    last = fix
    leave(fix)
    advance(plane, reach: tolerance(fix), accuracy: fix.accuracyM ?? 0)
    isPlaceKnown = isPlaceKnown || isPlaceConfirmed(by: fix)
    return isPlaceKnown
  }

  /// The rider may have gone on between the last fix before the restart and the first one after it.
  private func isPlaceConfirmed(by fix: PositionFix) -> Bool {
    if matcher.chosen != nil || progress.state != .onRoute { return true }
    return route.position(at: progress.distanceM).map { $0.distance(to: fix.position) <= tolerance(fix) } ?? false
  }

  private func tolerance(_ fix: PositionFix) -> Double {
    Self.tolerance + 1.5 * max(0, (fix.accuracyM ?? 0) - Self.goodAccuracy)
  }

  /// A bike does not move like this, so the receiver errs.
  private mutating func isJump(_ fix: PositionFix) -> Bool {
    guard let last else { return false }
    let seconds = fix.time.seconds(since: last.time)
    guard seconds < 2 * Self.knownSeconds else { return false }
    let speed = max(3, fix.speedMps ?? last.speedMps ?? 15)
    let most = (1.5 * speed + 3) * seconds + 8 + max(0, (fix.accuracyM ?? 0) - Self.goodAccuracy)
    guard last.position.distance(to: fix.position) > most else { return false }
    doubtUntil = fix.time + .seconds(Self.doubtSeconds)
    return true
  }

  // MARK: Matching

  private mutating func match(_ fix: PositionFix, _ plane: LocalPlane) {
    guard let anchor else { return self.anchor = fix }
    let way = PlanePoint(x: 0, y: 0) - plane.place(anchor.position)
    let metres = way.length
    guard metres >= max(Self.leastMove, min(40, 0.8 * (fix.accuracyM ?? 0))) else { return }
    let seconds = fix.time.seconds(since: anchor.time)
    let isKnown = fix.time.seconds(since: last?.time ?? anchor.time) <= Self.knownSeconds
    var direction = way * (1 / metres)
    if let course = fix.courseDeg, course.isFinite, fix.speedMps ?? 0 >= Self.leastSpeed {
      direction = PlanePoint(course: course)
    }
    let move = RouteMatcher.Move(
      plane: plane, metres: metres, direction: direction, isKnown: isKnown && seconds < 60,
      reach: tolerance(fix) + 5)
    let isKnownPlace = progress.state != .approaching && progress.state != .finished
    matcher.add(move, on: route, progress: isKnownPlace ? progress.distanceM : nil)
    if progress.state == .onRoute { riddenM += metres }
    self.anchor = fix
  }

  // MARK: States

  private mutating func leave(_ fix: PositionFix) {
    guard progress.crossTrackM > tolerance(fix) else { return outsideSince = nil }
    let since = outsideSince ?? fix.time
    outsideSince = since
    guard progress.state == .onRoute || progress.state == .reversed else { return }
    guard fix.time.seconds(since: since) >= leastSeconds(at: fix.time) else { return }
    progress.state = .offRoute
    matcher.forget()
    current = nil
  }

  private func leastSeconds(at time: MonotonicTime) -> Double {
    if let doubtUntil, time < doubtUntil { return Self.leastSecondsAfterJump }
    if let settlesAt, time < settlesAt { return Self.leastSecondsAfterSilence }
    return Self.leastSeconds
  }

  private mutating func advance(_ plane: LocalPlane, reach: Double, accuracy: Double) {
    guard let match = matcher.chosen else { return }
    switch progress.state {
    case .approaching, .offRoute:
      guard progress.crossTrackM <= reach - Self.hysteresis,
        match.isForward || match.metres >= Self.leastMetresBackward
      else { return }
      progress.state = match.isForward ? .onRoute : .reversed
    case .onRoute, .reversed: progress.state = match.isForward ? .onRoute : .reversed
    case .finished:
      guard route.isLoop, match.isForward, (Self.lapStart...route.lengthM / 2).contains(match.along) else { return }
      progress.state = .onRoute
      progress.lap += 1
      riddenM = match.along
      current = nil
    }
    guard match.isForward else { return }
    follow(match, plane)
    finish(within: min(Self.mostEndReach, max(Self.endReach, accuracy)))
  }

  /// The place between two movements.
  private mutating func follow(_ match: RouteMatcher.Match, _ plane: LocalPlane) {
    var best: Route.Place?
    let range = max(0, match.along - 5)...match.along + 3 * Self.leastMove
    route.visitPieces(near: match.piece, in: range) { piece in
      let place = route.nearest(on: piece, around: plane, in: range)
      if place.offset < best?.offset ?? .infinity { best = place }
    }
    let along = best?.along ?? match.along
    // Standing receivers wander. A rider who goes back is believed after some metres.
    if current != match.number || along > progress.distanceM || along < progress.distanceM - Self.wander {
      move(to: along)
    }
    current = match.number
  }

  private mutating func move(to along: Double) {
    progress.distanceM = along
    progress.distanceToGoM = max(0, route.lengthM - along)
  }

  private mutating func finish(within metres: Double) {
    guard progress.distanceToGoM <= metres else { return }
    if route.isLoop, riddenM < min(Self.leastLap, route.lengthM / 2) {
      // The rider began just before the end of the loop.
      move(to: 0)
    } else {
      progress.state = .finished
      move(to: route.lengthM)
    }
    matcher.forget()
    current = nil
  }
}
