// Numbers about the rider's body: zones, variability, breathing and energy, from the chosen strap
// and from power.

import SensorKit
import Time
import Vocabulary

struct BodyNumbers: Sendable {
  private var rider: Rider
  private(set) var zones: TimeInZones?
  private var beats = HeartRateVariability()
  private var energy: EnergyExpenditure
  /// The strap of the current beats. Beats of another strap do not continue them.
  private var source: RideMetrics.Source?
  private var lastPublished: MonotonicTime?

  /// These numbers are expensive to compute and change slowly.
  private static let beatsPause = 5.0

  init(_ rider: Rider, saved: SavedRide = SavedRide()) {
    self.rider = rider
    zones = HeartRateZones(rider).map { zones in
      TimeInZones(zones, saved: TimeInZones.Saved(floorsBpm: saved.zoneFloorsBpm, seconds: saved.zoneSeconds))
    }
    energy = EnergyExpenditure(rider, saved: saved.kilocalories)
  }

  var kilocalories: Double? { energy.kilocalories }

  /// A new ride of the same rider: the recent beats remain valid.
  mutating func beginRide() {
    zones = zones.map { TimeInZones($0.zones) }
    energy = EnergyExpenditure(rider)
  }

  mutating func change(_ rider: Rider) {
    self.rider = rider
    energy.change(rider)
    let new = HeartRateZones(rider)
    if new?.floors != zones?.zones.floors { zones = new.map { TimeInZones($0) } }
  }

  mutating func take(bpm: Double, at time: MonotonicTime, isMoving: Bool) {
    zones?.add(bpm: bpm, at: time, counts: isMoving)
    if isMoving { energy.add(bpm: bpm, at: time) } else { energy.interrupt() }
  }

  mutating func take(powerW: Double, at time: MonotonicTime, isMoving: Bool) {
    if isMoving { energy.add(powerW: powerW, at: time) } else { energy.interrupt() }
  }

  mutating func takeBeats(
    _ entry: Batch.Entry, of batch: borrowing Batch, from source: RideMetrics.Source, at time: MonotonicTime
  ) {
    if self.source != source {
      beats.interrupt()
      self.source = source
    }
    guard let numbers = batch.numbers(.rrMs, of: entry) else { return }
    // A packet has room for nine.
    var intervals = InlineArray<16, Double>(repeating: 0)
    let count = min(numbers.count, intervals.count)
    for place in 0..<count { intervals[place] = batch.number(numbers.lowerBound + place) }
    beats.add(rrMs: intervals.span.extracting(..<count), at: time)
  }

  /// The link was lost.
  mutating func interrupt(_ source: RideMetrics.Source) {
    guard self.source == source else { return }
    beats.interrupt()
    zones?.interrupt()
    energy.interrupt()
  }

  mutating func forget(_ source: RideMetrics.Source) {
    interrupt(source)
    if self.source == source { self.source = nil }
  }

  /// `isLive`: a strap sends heart rates.
  mutating func write(at time: MonotonicTime, isRiding: Bool, isLive: Bool, into out: inout Batch) {
    if isRiding { writeZones(isLive: isLive, into: &out) }
    guard source != nil, isLive, lastPublished.map({ time.seconds(since: $0) >= Self.beatsPause }) ?? true else {
      return
    }
    lastPublished = time
    writeVariability(at: time, into: &out)
  }

  private func writeZones(isLive: Bool, into out: inout Batch) {
    guard let zones else { return }
    out.sample(SampleKind("zones"))
    if let zone = zones.zone, isLive { out.set(Field("zone"), zone) }
    out.beginNumbers(Field("zone_times_s"))
    for zone in 1...zones.zones.floors.count { out.append((zones.seconds(in: zone) * 10).rounded() / 10) }
  }

  private mutating func writeVariability(at time: MonotonicTime, into out: inout Batch) {
    let (rmssd, sdnn) = (beats.rmssd(at: time), beats.sdnn(at: time))
    let (alpha, breaths) = (beats.dfaAlpha1(at: time), beats.breathsPerMinute(at: time))
    // Straps that send no RR intervals have none of these values.
    guard rmssd != nil || sdnn != nil || alpha != nil || breaths != nil else { return }
    let variability = [rmssd, sdnn, alpha] as InlineArray<3, Estimate?>
    var least: Double?
    for index in variability.indices { if let one = variability[index] { least = min(least ?? 1, one.confidence) } }
    out.sample(SampleKind("hrv"))
    out.set(Field("rmssd_ms"), rmssd?.value)
    out.set(Field("sdnn_ms"), sdnn?.value)
    out.set(Field("dfa_alpha1"), alpha?.value)
    out.set(Field("confidence"), least)
    out.set(Field("breaths_per_min"), breaths?.value)
    out.set(Field("breaths_confidence"), breaths?.confidence)
  }
}
