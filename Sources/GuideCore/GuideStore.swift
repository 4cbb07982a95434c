// What the guide keeps across a restart: the followed route with the progress on it, segments under
// way, and the coach.

import Guidance
import GuideWire
import JSON
import Linux
import LogbookWire
import ProgramKit
import Vocabulary
import Wire

struct GuideState: Equatable {
  struct Followed: Equatable {
    var route: Int
    var progress: SavedProgress?
    /// The ride that the progress belongs to.
    var ride: String?
  }

  var followed: Followed?
  /// Nil while none is under way.
  var segments: SavedSegments?
  var coach = CoachSettings()
}

final class GuideStore {
  static let version = 1
  private(set) var state = GuideState()
  private let file: StateFile

  init(folder: String, log: Log) {
    file = StateFile(folder + "/guide.json", version: Self.version, fallback: "no route is followed", log: log)
    guard let json = file.load() else { return }
    if let saved = GuideState(json) { state = saved } else { file.quarantine("is damaged") }
  }

  /// Throws if it cannot be saved. Nothing changes then.
  func change(to new: GuideState) throws(SystemError) {
    guard new != state else { return }
    try file.save { new.writeMembers(into: &$0) }
    state = new
  }

  /// Saves the progress, which changes all the time. A failure is logged once.
  func keep(_ progress: SavedProgress, ride: String?) {
    guard let followed = state.followed else { return }
    var new = state
    new.followed = GuideState.Followed(route: followed.route, progress: progress, ride: ride)
    keep("the progress on the route", new)
  }

  private func keep(_ what: String, _ new: GuideState) {
    if new != state, file.keep(what, { new.writeMembers(into: &$0) }) { state = new }
  }
}

extension GuideStore {
  /// Saves what is under way. A failure is logged once.
  func keep(_ segments: SavedSegments?) {
    var new = state
    new.segments = segments
    keep("the segments under way", new)
  }
}

// MARK: As JSON

extension GuideState {
  /// Nil if it is not what `writeMembers` writes.
  init?(_ json: JSONValue) {
    guard let coach = json["coach"].flatMap({ CoachSettings($0) }), coach.isPlausible else { return nil }
    self.coach = coach
    // Damaged attempts are dropped.
    segments = json["segments"].flatMap { SavedSegments($0) }
    guard let followed = json["followed"] else { return }
    guard let route = followed["route"]?.integer, RequestLimits.ids.contains(route) else { return nil }
    self.followed = Followed(route: route, ride: followed["ride"]?.text)
    guard let progress = followed["progress"] else { return }
    guard let saved = SavedProgress(progress) else { return nil }
    self.followed?.progress = saved
  }

  func writeMembers(into writer: inout JSONWriter) {
    writer.member("coach")
    coach.write(into: &writer)
    if let segments {
      writer.member("segments")
      segments.write(into: &writer)
    }
    guard let followed else { return }
    writer.member("followed")
    writer.beginObject()
    writer.member("route", followed.route)
    writer.member("ride", followed.ride)
    if let progress = followed.progress {
      writer.member("progress")
      progress.write(into: &writer)
    }
    writer.endObject()
  }
}

extension SavedProgress {
  fileprivate init?(_ json: JSONValue) {
    guard let state = json["state"]?.text.flatMap(RouteProgress.State.init(word:)),
      let distance = json["distance_m"]?.number, let lap = json["lap"]?.integer, let ridden = json["ridden_m"]?.number
    else { return nil }
    self.init(state: state, distanceM: distance, lap: lap, riddenM: ridden)
  }

  fileprivate func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("state", state.word.description)
    writer.member("distance_m", distanceM)
    writer.member("lap", lap)
    writer.member("ridden_m", riddenM)
    writer.endObject()
  }
}

extension CoachSettings {
  var isPlausible: Bool {
    sport.known != nil && targetRpm.map(Self.targets.contains) ?? true && Self.preferences.contains(preferencePerMin)
  }
}
