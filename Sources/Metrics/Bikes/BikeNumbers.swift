// Which of the rider's bikes is in use.

import SensorKit
import Time
public import Vocabulary

struct BikeNumbers: Sendable {
  private var names: [[UInt8]] = []
  /// The ids of each bike's sensors.
  private var members: [Set<[UInt8]>] = []
  private var watch = BikeWatch()

  func owners(of sensor: [UInt8]) -> [Int] { members.indices.filter { members[$0].contains(sensor) } }

  /// Replaces the list of bikes. The current bike stays current, even under a new name.
  mutating func apply(
    _ bikes: [Bike], renamed: (from: String, to: String)?, sensors: [[UInt8]], at time: MonotonicTime,
    forgottenAfter gap: Double
  ) {
    var current = current(at: time, forgottenAfter: gap).map { names[$0] }
    if let renamed, current == Array(renamed.from.utf8) { current = Array(renamed.to.utf8) }
    names = bikes.map { Array($0.name.utf8) }
    members = bikes.map { Set($0.sensors.map { Array($0.utf8) }) }
    shareOut(sensors, current: current.flatMap { name in names.firstIndex(of: name) })
  }

  mutating func current(at time: MonotonicTime, forgottenAfter gap: Double) -> Int? {
    watch.current(at: time, forgottenAfter: gap)
  }

  func forgetting(after gap: Double) -> MonotonicTime? { watch.forgetting(after: gap) }

  /// Call after a sensor was registered.
  mutating func shareOut(_ sensors: [[UInt8]]) { shareOut(sensors, current: watch.current) }

  private mutating func shareOut(_ sensors: [[UInt8]], current: Int?) {
    watch.set(bikes: names.count, owners: sensors.map { owners(of: $0) }, current: current)
  }

  mutating func lost(_ source: RideMetrics.Source) { watch.lost(source) }

  /// A change of bike is published at once, with the samples of the packet that proved it.
  mutating func take(
    _ kind: SampleKind, from source: RideMetrics.Source, at time: MonotonicTime, forgottenAfter gap: Double,
    into out: inout Batch
  ) {
    guard !names.isEmpty, BikeWatch.isProof(kind), watch.record(source, at: time, forgottenAfter: gap) else { return }
    write(at: time, forgottenAfter: gap, into: &out)
    out.event(.bikeChanged)
    writeName(into: &out)
  }

  mutating func write(at time: MonotonicTime, forgottenAfter gap: Double, into out: inout Batch) {
    guard current(at: time, forgottenAfter: gap) != nil else { return }
    out.sample(.bike)
    writeName(into: &out)
  }

  private func writeName(into out: inout Batch) {
    guard let current = watch.current else { return }
    let name = names[current]
    out.set(Field("name"), text: name.span)
  }
}

extension SampleKind {
  public static var bike: SampleKind { SampleKind("bike") }
}

extension Word {
  /// The event that the current bike is another one.
  public static var bikeChanged: Word { "bike_changed" }
}
