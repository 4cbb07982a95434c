// Makes one point of all samples of a second. Pure: the samples come in the order of the seconds, and
// within a second in any order.

import ActivityFiles

struct PointAssembler {
  /// A radar that sent nothing for this long is silent, as for the daemon.
  private static let radarLimitMS: Int64 = 1500

  private var streams: [PointStream] = []
  /// Two seconds of the activity can share a row if an edit moved it by less than a second, so the
  /// last two are open.
  private var open: [PointSecond] = []
  /// The time of the latest sample by stream, for odd seconds and for even ones.
  private var latest: [Int64] = []
  private var lastT = Int.min
  private var strap: [UInt8] = []
  private var hasRadar = false
  private var radarMS: Int64?
  private var radarSilences = RadarSilences()

  init() {}

  /// The next part of the activity has other streams.
  mutating func begin(_ recorded: [RecordedStream], silences: RadarSilences) {
    streams = PointStream.all(recorded)
    latest = Array(repeating: .min, count: 2 * streams.count)
    let straps = streams.filter(\.hasBeats)
    strap = straps.count == 1 ? straps[0].sensor : []
    hasRadar = streams.contains(where: \.isRadar)
    (radarMS, radarSilences) = (nil, silences)
  }

  mutating func add(
    _ sample: borrowing SecondDecoder.Sample, at atMS: Int64, _ emit: (ActivityPoint, RideSecond) -> Void
  ) {
    guard sample.stream < streams.count, !streams[sample.stream].meanings.isEmpty else { return }
    let t = Int(atMS / 1000)
    guard let place = place(of: t, emit) else { return }
    let slot = 2 * sample.stream + t & 1
    let isLate = latest[slot] > atMS && latest[slot] / 1000 == Int64(t)
    latest[slot] = max(latest[slot], atMS)
    open[place].add(sample, of: streams[sample.stream], atMS: atMS, isLate: isLate, strap: &strap)
  }

  mutating func finish(_ emit: (ActivityPoint, RideSecond) -> Void) {
    while !open.isEmpty { emitFirst(emit) }
  }

  /// The place of that second among the open ones. Nil if it was emitted already, as when the parts
  /// of an activity overlap.
  private mutating func place(of t: Int, _ emit: (ActivityPoint, RideSecond) -> Void) -> Int? {
    if let place = open.firstIndex(where: { $0.t == t }) { return place }
    guard t > lastT else { return nil }
    while let first = open.first, first.t < t - 1 { emitFirst(emit) }
    let place = open.first.map { $0.t > t ? 0 : 1 } ?? 0
    open.insert(PointSecond(t: t), at: place)
    return place
  }

  private mutating func emitFirst(_ emit: (ActivityPoint, RideSecond) -> Void) {
    var second = open.removeFirst()
    lastT = second.t
    guard !second.isEmpty else { return }
    radarMS = second.radarMS ?? radarMS
    if hasRadar, second.radarMS == nil, isRadarSilent(at: Int64(second.t) * 1000 + 1000) { second.setRadarSilent() }
    let (point, ride) = second.finished(strap: strap)
    emit(point, ride)
  }

  private func isRadarSilent(at atMS: Int64) -> Bool {
    guard let radarMS else { return false }
    return atMS - radarMS > Self.radarLimitMS || radarSilences.contains(atMS - 1)
  }
}

/// When the state of the radar was not `streaming`, from the activity's events.
struct RadarSilences {
  /// Alternately the begin of a silence and its end.
  private var changes: [Int64] = []

  init() {}

  /// In the order of time.
  mutating func add(isStreaming: Bool, at atMS: Int64) {
    if changes.count & 1 == (isStreaming ? 1 : 0) { changes.append(atMS) }
  }

  func contains(_ atMS: Int64) -> Bool {
    // The silences are few, and a radar that is lost is looked up once a second.
    (changes.firstIndex { $0 > atMS } ?? changes.count) & 1 == 1
  }
}
