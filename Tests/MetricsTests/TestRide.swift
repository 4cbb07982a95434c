// A ride for tests: they send samples, let time pass and read what the ride publishes.

import SensorKit
import Testing
import Time
import Vocabulary

@testable import Metrics

struct TestRide: ~Copyable {
  var metrics: RideMetrics
  var now: MonotonicTime
  private var packet = Batch()
  private var out = Batch()
  private var ticked: MonotonicTime
  let wheel: RideMetrics.Source
  let gps: RideMetrics.Source
  let pedals: RideMetrics.Source
  let strap: RideMetrics.Source
  /// Ids for the next rides.
  private var ids: [String] = []
  /// The last sample of each kind.
  private(set) var read: [String: [String: Double]] = [:]
  private(set) var words: [String: [String: String]] = [:]
  private(set) var lists: [String: [Double]] = [:]
  private(set) var events: [String] = []
  /// Sums of the numbers of each event.
  private(set) var eventSums: [String: [String: Double]] = [:]
  /// The number of samples of each kind.
  private(set) var said: [String: Int] = [:]

  init(
    _ settings: RideSettings = RideSettings(), rider: Rider = Rider(), saved: SavedRide = SavedRide(),
    circumferenceM: Double? = nil, usesMeasuredSize: Bool = false, lastMoved: MonotonicTime? = nil,
    now: MonotonicTime = MonotonicTime(seconds: 10_000), ids: [String] = []
  ) {
    (self.now, ticked) = (now, now)
    metrics = RideMetrics(settings, rider: rider, saved: saved, lastMoved: lastMoved, nextID: ids.first)
    self.ids = ids
    var sensor = RideSensor(id: "wheel", circumferenceM: circumferenceM)
    sensor.usesMeasuredSize = usesMeasuredSize
    wheel = metrics.register(sensor)
    gps = metrics.register(RideSensor(id: "gps", priority: -1000))
    pedals = metrics.register(RideSensor(id: "pedals"))
    strap = metrics.register(RideSensor(id: "strap"))
  }

  mutating func say(_ kind: SampleKind, _ fields: [(Field, Double)], from source: RideMetrics.Source) {
    packet.removeAll()
    packet.sample(kind)
    for (field, value) in fields { packet.set(field, value) }
    out.removeAll()
    metrics.add(packet.entry(0), of: packet, from: source, at: now, into: &out)
    note()
  }

  /// A packet of a strap, with all its intervals.
  mutating func say(bpm: Double, rrMs: [Double]) {
    packet.removeAll()
    packet.sample(.heartRate)
    packet.set(.bpm, bpm)
    packet.beginNumbers(.rrMs)
    for interval in rrMs { packet.append(interval) }
    out.removeAll()
    metrics.add(packet.entry(0), of: packet, from: strap, at: now, into: &out)
    note()
  }

  mutating func say(_ fix: Fix) {
    out.removeAll()
    metrics.add(fix, into: &out)
    note()
  }

  mutating func loseWheel() { lose(wheel) }

  mutating func lose(_ source: RideMetrics.Source) {
    out.removeAll()
    metrics.lost(source, at: now, into: &out)
    note()
  }

  mutating func say(speed: Double, over seconds: Double, from source: RideMetrics.Source) {
    say(.speed, [(.speedMps, speed), (.distanceDeltaM, speed * seconds)], from: source)
  }

  /// Lets time pass, with a tick every second.
  mutating func pass(_ seconds: Double) {
    nameNextRide()
    now = now + .milliseconds(Int((seconds * 1000).rounded()))
    while now.seconds(since: ticked) >= 1 {
      ticked = ticked + .seconds(1)
      out.removeAll()
      metrics.tick(at: ticked, into: &out)
      note()
    }
  }

  private mutating func nameNextRide() {
    guard metrics.needsID, let used = ids.first else { return }
    ids.removeFirst()
    if let next = ids.first { metrics.provide(id: next) } else { ids = [used] }
  }

  private mutating func note() {
    let overflowed = out.overflowed
    #expect(!overflowed)
    for index in out.entryIndices {
      let entry = out.entry(index)
      if case .event(let name) = entry.kind {
        events.append(name.description)
        for field in entry.fields.map({ out.field($0) }) {
          guard case .number(let number) = field.value else { continue }
          eventSums[name.description, default: [:]][field.field.name.description, default: 0] += number
        }
      }
      guard case .sample(let kind) = entry.kind else { continue }
      var (numbers, texts): ([String: Double], [String: String]) = ([:], [:])
      for field in entry.fields.map({ out.field($0) }) {
        switch field.value {
        case .number(let number): numbers[field.field.name.description] = number
        case .flag(let flag): numbers[field.field.name.description] = flag ? 1 : 0
        case .word(let word): texts[field.field.name.description] = word.description
        case .text(let range): texts[field.field.name.description] = String(decoding: out.text(range), as: UTF8.self)
        case .numbers(let range, _): lists[kind.name.description] = range.map { out.number($0) }
        default: break
        }
      }
      said[kind.name.description, default: 0] += 1
      read[kind.name.description] = numbers
      words[kind.name.description] = texts
    }
  }

  func value(_ kind: String, _ field: String) -> Double? { read[kind]?[field] }
}
