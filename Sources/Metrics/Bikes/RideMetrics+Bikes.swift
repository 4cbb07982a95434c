// Finds out which of the rider's bikes is in use.

import SensorKit
public import Time
public import Vocabulary

/// The bikes, and which of them is current.
struct BikeNumbers: Sendable {
  var names: [[UInt8]] = []
  /// The ids of each bike's sensors.
  var members: [Set<[UInt8]>] = []
  var watch = BikeWatch()

  func owners(of sensor: [UInt8]) -> [Int] { members.indices.filter { members[$0].contains(sensor) } }
}

extension RideMetrics {
  /// Replaces the list of bikes. The current bike stays current, even under a new name.
  public mutating func apply(
    _ bikes: [Bike], renamed: (from: String, to: String)? = nil, at time: MonotonicTime
  ) {
    var current = currentBike(at: time).map { self.bikes.names[$0] }
    if let renamed, current == Array(renamed.from.utf8) { current = Array(renamed.to.utf8) }
    self.bikes.names = bikes.map { Array($0.name.utf8) }
    self.bikes.members = bikes.map { Set($0.sensors.map { Array($0.utf8) }) }
    shareOut(current: current.flatMap { name in self.bikes.names.firstIndex(of: name) })
  }

  /// The index of the current bike in the list last applied; nil if unknown.
  public mutating func currentBike(at time: MonotonicTime) -> Int? {
    bikes.watch.current(at: time, forgottenAfter: settings.rideGapS)
  }

  /// When the current bike becomes unknown, if its sensors stay silent.
  public var bikeDeadline: MonotonicTime? { bikes.watch.forgetting(after: settings.rideGapS) }

  /// Call after a sensor was registered.
  mutating func shareOut() { shareOut(current: bikes.watch.current) }

  private mutating func shareOut(current: Int?) {
    bikes.watch.set(bikes: bikes.names.count, owners: sensors.map { bikes.owners(of: $0) }, current: current)
    pairPedals()
  }

  /// A change of bike is published at once, with the samples of the packet that proved it.
  mutating func watchBikes(_ kind: SampleKind, _ source: Source, _ time: MonotonicTime, _ out: inout Batch) {
    guard !bikes.names.isEmpty, BikeWatch.isProof(kind),
      bikes.watch.record(source, at: time, forgottenAfter: settings.rideGapS)
    else { return }
    writeBike(at: time, into: &out)
    out.event(RideMetrics.bikeChanged)
    sayName(into: &out)
  }

  public static let bikeChanged: Word = "bike_changed"

  mutating func writeBike(at time: MonotonicTime, into out: inout Batch) {
    guard currentBike(at: time) != nil else { return }
    out.sample(.bike)
    sayName(into: &out)
  }

  private func sayName(into out: inout Batch) {
    guard let current = bikes.watch.current else { return }
    let name = bikes.names[current]
    out.set(Field("name"), text: name.span)
  }
}

extension SampleKind {
  public static var bike: SampleKind { SampleKind("bike") }
}
