// A route while it is followed: fixes in, samples out.

import Guidance
import GuideWire
import LogbookWire
import SensorKit
import Vocabulary

struct GuidedRoute {
  /// Longer texts of cues are cut, so that a sample stays small.
  private static let longestText = 200

  let id: Int
  private var name: [UInt8]
  private let climbs: ClimbGuide
  private var follower: RouteFollower
  private var cues: CueGuide
  /// Of the next climb.
  private var profile: (climb: RouteClimb, altitudes: [Double])?

  init(_ record: RouteRecord, _ route: Route, _ cues: [Cue]) {
    (id, name) = (record.id, Array(record.name.utf8))
    self.cues = CueGuide(
      cues.map { cue in
        var cue = cue
        cue.text = cue.text.map { Self.cut($0) }
        return cue
      }, of: route)
    climbs = ClimbGuide(route)
    follower = RouteFollower(route)
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    var short = ""
    for character in text where short.utf8.count + character.utf8.count <= longestText { short.append(character) }
    return short
  }

  var saved: SavedProgress { follower.saved }

  var record: FollowedRoute {
    var record = FollowedRoute()
    record.route = id
    record.name = String(decoding: name, as: UTF8.self)
    record.distanceM = follower.route.lengthM
    (record.points, record.cues, record.climbs) = (follower.route.count, cues.count, climbs.climbs.count)
    return record
  }

  /// Returns whether it had another name.
  mutating func rename(to new: String) -> Bool {
    defer { name = Array(new.utf8) }
    return name != Array(new.utf8)
  }

  mutating func resume(_ saved: SavedProgress) { follower = RouteFollower(follower.route, resuming: saved) }

  /// As if it were followed from now on.
  mutating func restart() { follower = RouteFollower(follower.route) }

  var state: RouteProgress.State { follower.progress.state }

  /// Returns false if the receiver is not to be believed: then nothing is known of this moment.
  mutating func add(_ fix: PositionFix) -> Bool {
    guard follower.add(fix) else { return false }
    if let climb = climbs.next(at: follower.progress.distanceM)?.climb {
      if profile?.climb != climb { profile = (climb, climbs.profile(of: climb)) }
    } else {
      profile = nil
    }
    return true
  }

  func write(into out: inout Batch) {
    let progress = follower.progress
    out.sample(SampleKind("route"))
    out.set(Field("route"), id)
    out.set(Field("name"), text: name.span)
    out.set(Field("state"), progress.state.word)
    out.set(Field("distance_m"), rounded: progress.distanceM)
    out.set(Field("distance_to_go_m"), rounded: progress.distanceToGoM)
    if progress.crossTrackM.isFinite { out.set(Field("cross_track_m"), rounded: progress.crossTrackM) }
    if progress.state == .approaching || progress.state == .offRoute, let bearing = progress.bearingDeg {
      out.set(Field("bearing_deg"), rounded: bearing)
    }
    out.set(Field("lap"), progress.lap)
    guard progress.state == .onRoute else { return }
    if let next = cues.next(at: progress.distanceM) {
      out.set(Field("cue"), text: next.cue.kind.rawValue.utf8.span)
      if let text = next.cue.text { out.set(Field("cue_text"), text: text.utf8.span) }
      out.set(Field("cue_distance_m"), rounded: next.distanceM)
    }
    writeClimb(at: progress.distanceM, into: &out)
  }

  private func writeClimb(at distanceM: Double, into out: inout Batch) {
    guard let next = climbs.next(at: distanceM), let profile, profile.climb == next.climb else { return }
    out.set(Field("climb_distance_m"), rounded: next.distanceM)
    out.set(Field("climb_to_top_m"), rounded: next.distanceToTopM)
    out.set(Field("climb_length_m"), rounded: next.climb.lengthM)
    out.set(Field("climb_ascent_m"), rounded: next.climb.ascentM)
    out.set(Field("climb_ascent_to_go_m"), rounded: next.ascentToGoM)
    out.set(Field("climb_grade_pct"), rounded: next.climb.gradePct)
    out.beginNumbers(Field("climb_profile_m"))
    for altitude in profile.altitudes { out.append((altitude * 10).rounded() / 10) }
  }
}

extension Batch {
  /// To a tenth, which is finer than a receiver.
  mutating func set(_ field: Field, rounded number: Double) { set(field, (number * 10).rounded() / 10) }
}

extension RouteProgress.State {
  var word: Word {
    switch self {
    case .approaching: "approaching"
    case .onRoute: "on_route"
    case .offRoute: "off_route"
    case .reversed: "reversed"
    case .finished: "finished"
    }
  }

  init?(word: String) {
    guard let found = Self.all.first(where: { $0.word.description == word }) else { return nil }
    self = found
  }

  private static let all: [Self] = [.approaching, .onRoute, .offRoute, .reversed, .finished]
}
