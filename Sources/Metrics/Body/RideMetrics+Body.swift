// Numbers about the rider's body: zones, variability, breathing and energy.

import SensorKit
import Time
import Vocabulary

/// State computed from the chosen strap and from power.
struct BodyNumbers: Sendable {
  var rider: Rider
  var zones: TimeInZones?
  var beats = HeartRateVariability()
  var energy: EnergyExpenditure
  /// The strap of the current beats. Beats of another strap do not continue them.
  var source: RideMetrics.Source?
  var lastPublished: MonotonicTime?

  /// These numbers are expensive to compute and change slowly.
  static let beatsPause = 5.0

  init(_ rider: Rider, saved: SavedRide = SavedRide()) {
    self.rider = rider
    zones = HeartRateZones(rider).map { zones in
      TimeInZones(zones, saved: TimeInZones.Saved(floorsBpm: saved.zoneFloorsBpm, seconds: saved.zoneSeconds))
    }
    energy = EnergyExpenditure(rider, saved: saved.kilocalories)
  }

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
}

extension RideMetrics {
  mutating func takeBody(bpm: Double, at time: MonotonicTime) {
    let isRiding = isMoving
    body.zones?.add(bpm: bpm, at: time, counts: isRiding)
    if isRiding { body.energy.add(bpm: bpm, at: time) } else { body.energy.interrupt() }
  }

  mutating func takeBeats(
    _ entry: Batch.Entry, of batch: borrowing Batch, _ source: Source, _ time: MonotonicTime
  ) {
    if body.source != source {
      body.beats.interrupt()
      body.source = source
    }
    guard let numbers = batch.numbers(.rrMs, of: entry) else { return }
    // A packet has room for nine.
    var intervals = InlineArray<16, Double>(repeating: 0)
    let count = min(numbers.count, intervals.count)
    for place in 0..<count { intervals[place] = batch.number(numbers.lowerBound + place) }
    body.beats.add(rrMs: intervals.span.extracting(..<count), at: time)
  }

  /// The link was lost, or another source was chosen.
  mutating func interruptBody(_ source: Source) {
    guard body.source == source else { return }
    body.beats.interrupt()
    body.zones?.interrupt()
    body.energy.interrupt()
  }

  mutating func writeBody(at time: MonotonicTime, into out: inout Batch) {
    if let zones = body.zones, isRiding(at: time) {
      out.sample(SampleKind("zones"))
      if let zone = zones.zone, heartRates.live(at: time) != nil { out.set(Field("zone"), zone) }
      out.beginNumbers(Field("zone_times_s"))
      for zone in 1...zones.zones.floors.count { out.append((zones.seconds(in: zone) * 10).rounded() / 10) }
    }
    guard body.source != nil, heartRates.live(at: time) != nil,
      body.lastPublished.map({ time.seconds(since: $0) >= BodyNumbers.beatsPause }) ?? true
    else { return }
    body.lastPublished = time
    let (rmssd, sdnn) = (body.beats.rmssd(at: time), body.beats.sdnn(at: time))
    let (alpha, breaths) = (body.beats.dfaAlpha1(at: time), body.beats.breathsPerMinute(at: time))
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
