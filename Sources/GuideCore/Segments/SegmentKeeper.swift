// The segments that are recognized: read from the recorder, moved along by fixes, and kept across
// restarts while one is ridden.

import Earth
import EventLoop
import Guidance
import JSON
import ProgramKit
import Segments
import SensorKit
import Time
import Vocabulary

final class SegmentKeeper {
  /// What is under way is saved this often at most. After a crash, a longer silence would lose it.
  private static let saveInterval = Duration.seconds(20)

  private let loop: EventLoop
  private let log: Log
  private let store: GuideStore
  private var library: SegmentLibrary?
  private var live = LiveSegments()
  private var names: [[UInt8]] = []
  /// Fixes wait for the segments, so that what was under way can go on.
  private var isLoaded = false
  private var resuming: SavedSegments?
  private var ride: String?
  private var saving: Deadline?
  /// In hex. Nil if it is unknown: then nothing is saved.
  private let boot: String?
  /// Called when the last sample becomes outdated.
  private let forget: () -> Void
  /// Called when `count` may have changed, or whether the recorder is there.
  private let changed: () -> Void
  private var shown: Int?
  private var wasOn = false

  init(
    _ store: GuideStore, recorder: String, in loop: EventLoop, log: Log, forget: @escaping () -> Void,
    changed: @escaping () -> Void, routeChanged: @escaping (Int?) -> Void
  ) {
    (self.store, self.loop, self.log, self.forget, self.changed) = (store, loop, log, forget, changed)
    boot = BootID.current.map(hexText)
    if let saved = store.state.segments {
      ride = saved.ride
      // Times count from boot, so those of another boot are useless.
      if saved.boot == boot { resuming = saved }
    }
    library = SegmentLibrary(
      from: recorder, in: loop, log: log, completion: { [weak self] in self?.use($0) }, linkChanged: changed,
      routeChanged: routeChanged)
  }

  var count: Int { live.segments.count }

  func start() { library?.start() }

  func stop() {
    save()
    saving?.cancel()
    library?.stop()
  }

  private func use(_ segments: [NamedSegment]) {
    live.replace(by: segments.map(\.segment))
    names = segments.map(\.name)
    if !isLoaded { log.info("segments: \(segments.count) read from the recorder") }
    isLoaded = true
    if let shown, !segments.contains(where: { $0.segment.id == shown }) {
      self.shown = nil
      forget()
    }
    changed()
  }

  // MARK: Samples

  /// Efforts belong to one ride. Returns what ended with it.
  func began(ride id: Span<UInt8>) -> [SegmentReport] {
    if let ride, ride.utf8.span.isSame(as: id) { return [] }
    defer {
      ride = id.text
      save()
    }
    // Positions can come before the ride does.
    guard ride != nil else { return [] }
    resuming = nil
    live.endRide()
    return live.reports
  }

  func add(_ fix: PositionFix) -> [SegmentReport] {
    guard isLoaded else { return [] }
    let atMS = fix.time.nanoseconds / 1_000_000
    if let saved = resuming {
      resuming = nil
      if saved.attempts.allSatisfy({ $0.attempt.atMS < atMS }) { live.resume(saved.attempts) }
    }
    live.add(fix.position, atMS: atMS)
    saveSometimes()
    return live.reports
  }

  /// At once when one begins or ends.
  private func saveSometimes() {
    let isOn = live.reports.contains { $0.state == .on }
    if isOn != wasOn { save() }
    wasOn = isOn
    guard saving == nil, isOn else { return }
    saving = loop.schedule(after: Self.saveInterval) { [weak self] in
      self?.saving = nil
      self?.save()
    }
  }

  private func save() {
    // What waits for the recorder stays as it is.
    guard isLoaded, resuming == nil, let boot else { return }
    let attempts = live.saved
    store.keep(attempts.isEmpty ? nil : SavedSegments(ride: ride, boot: boot, attempts: attempts))
  }

  func write(_ report: SegmentReport, into out: inout Batch) {
    let (segment, name) = (live.segments[report.segment], names[report.segment])
    shown = segment.id
    out.sample(SampleKind("segment"))
    out.set(Field("segment"), segment.id)
    out.set(Field("name"), text: name.span)
    out.set(Field("state"), report.state.word)
    out.set(Field("length_m"), rounded: segment.line.length)
    if let distance = report.startDistanceM { out.set(Field("start_distance_m"), rounded: distance) }
    if let bearing = report.startBearingDeg { out.set(Field("start_bearing_deg"), rounded: bearing) }
    if let along = report.alongM {
      out.set(Field("distance_m"), rounded: along)
      out.set(Field("distance_to_go_m"), rounded: max(0, segment.line.length - along))
    }
    if let time = report.timeS { out.set(Field("time_s"), rounded: time) }
    if let ahead = report.aheadOfBestS { out.set(Field("ahead_of_best_s"), rounded: ahead) }
    if let ahead = report.aheadOfLastS { out.set(Field("ahead_of_last_s"), rounded: ahead) }
    if let time = report.bestTimeS { out.set(Field("best_time_s"), rounded: time) }
    if let time = report.lastTimeS { out.set(Field("last_time_s"), rounded: time) }
  }
}

extension SegmentState {
  fileprivate var word: Word {
    switch self {
    case .approaching: "approaching"
    case .on: "on"
    case .finished: "finished"
    case .left: "left"
    case .lost: "lost"
    }
  }
}
