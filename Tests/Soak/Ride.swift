// A day of riding: one fault after the other, sometimes many at once. After each of them all
// sensors must stream again within a bound. Every hour the daemon's resources must equal those at
// the start.

import EventLoop
import Linux
import TestSupport
import Time

/// A violation and its time.
struct BrokenInvariant: Error {
  let what: String
  let time: Duration
  let lastWords: [String]
}

final class Ride {
  let house: Household
  private(set) var ledger = Ledger()
  private(set) var holdings: Holdings?
  private(set) var residentKilobytes = (first: 0, last: 0)
  private let start: MonotonicTime
  private let bound: Duration
  private let faults: [Fault]
  /// If set, only this sensor may change its state.
  private var victim: Sensor?
  private var collateral: String?

  /// The quiet time before resources are counted: longer than the longest deadline left behind.
  private static let settlingTime = Duration.seconds(150)

  init(_ house: Household, bound: Duration, faults: [Fault]) {
    self.house = house
    self.bound = bound
    self.faults = faults
    start = house.now
    house.fake.crashed = { [weak self, house] in
      self?.victim = nil
      self?.ledger.begun("9 bluetoothd crashed by itself")
      house.later(.seconds(2)) { house.fake.start() }
    }
    house.listener.changed = { [weak self] sensor, state, reason in
      guard let self, let victim, victim !== sensor, collateral == nil else { return }
      collateral = "\(sensor.id) is \(state) (\(reason)) during a fault of \(victim.id)"
    }
  }

  /// Only the time while the computer was awake.
  var time: Duration { house.now - start - house.slept }

  func run(for span: Duration) throws {
    try streamAgain(after: "the start", since: house.now)
    // Starting the first program costs this one some descriptors, once.
    house.stopBus()
    house.startBus()
    try streamAgain(after: "the first restart of the bus", since: house.now)
    try takeStock()
    var nextStock = Duration.seconds(3600)
    while time < span {
      if house.chance(5) { try storm() } else { try single() }
      try pass(house.milliseconds(500...15_000))
      guard time > nextStock else { continue }
      try takeStock()
      while nextStock < time { nextStock += .seconds(3600) }
    }
    try takeStock()
  }
}

// MARK: Faults

extension Ride {
  private func pick() -> (Fault, Sensor) {
    (
      faults[Int.random(in: 0..<faults.count, using: &house.random)],
      house.sensors[Int.random(in: 0..<house.sensors.count, using: &house.random)]
    )
  }

  /// A single fault, so that the recovery time can be attributed to it.
  private func single() throws {
    let (fault, sensor) = pick()
    house.note("\(fault.name), \(sensor.id)")
    var end: MonotonicTime?
    victim = fault.isOfOneSensor ? sensor : nil
    guard fault.begin(house, sensor, { end = self.house.now }) else { return }
    ledger.begun(fault.name)
    try wait(.seconds(7200), "the end of \(fault.name)") { end != nil }
    let over = end ?? house.now
    try streamAgain(after: fault.name, since: over)
    victim = nil
    ledger.recovered(fault.name, after: recovery(since: over))
  }

  /// Many faults, whether or not earlier ones are over.
  private func storm() throws {
    var pending = 0
    let count = Int.random(in: 5...20, using: &house.random)
    for _ in 0..<count {
      let (fault, sensor) = pick()
      house.note("in a storm: \(fault.name), \(sensor.id)")
      pending += 1
      if fault.begin(house, sensor, { pending -= 1 }) {
        ledger.begun(fault.name)
      } else {
        pending -= 1
      }
      try pass(house.milliseconds(0...8000))
    }
    try wait(.seconds(20_000), "the end of a storm") { pending == 0 }
    for sensor in house.sensors { (sensor.connects, sensor.resolves) = ([], []) }
    let over = house.now
    ledger.begun("storm")
    try streamAgain(after: "a storm", since: over)
    ledger.recovered("storm", after: recovery(since: over))
  }

  /// The time until the last of them was reported to stream, or zero if none was interrupted. The
  /// next packet comes in the sensor's rhythm.
  private func recovery(since over: MonotonicTime) -> Duration {
    house.sensors.compactMap { house.listener.streams($0) }.max().map { max(.zero, $0 - over) } ?? .zero
  }
}

// MARK: What must hold

extension Ride {
  private func streamAgain(after what: String, since time: MonotonicTime) throws {
    try wait(bound, "all to stream after \(what)") { [house] in
      house.sensors.allSatisfy { house.listener.isStreaming($0, since: time) }
    }
  }

  private func pass(_ span: Duration) throws {
    let end = house.now + span
    _ = try house.world.loop.run(until: end) { hasDefect }
    try judge()
  }

  private func wait(_ span: Duration, _ what: String, until condition: () -> Bool) throws {
    let isDone = try house.world.loop.run(until: house.now + span) { hasDefect || condition() }
    try judge()
    guard !isDone else { return }
    let late = house.sensors.map { "\($0.id) \(house.listener.state(of: $0))" }.joined(separator: ", ")
    throw broken("waited \(seconds(span)) s for \(what): \(late)")
  }

  /// Checked at every step of the loop.
  private var hasDefect: Bool {
    house.listener.defect != nil || collateral != nil || house.fake.adapters.contains { $0.mostConnectsAtOnce > 1 }
  }

  private func judge() throws {
    if let defect = house.listener.defect { throw broken(defect) }
    if let collateral { throw broken(collateral) }
    if house.fake.adapters.contains(where: { $0.mostConnectsAtOnce > 1 }) { throw broken("two connects at once") }
  }

  private func broken(_ what: String) -> BrokenInvariant {
    BrokenInvariant(what: what, time: time, lastWords: house.lastWords.suffix(60))
  }

  /// When everything is quiet, no resource may be left over.
  private func takeStock() throws {
    // Every link restarts, because one that was refused a descriptor uses signals as long as it
    // lasts.
    house.refusals = []
    for sensor in house.sensors { house.cut(sensor) }
    try streamAgain(after: "the links were cut to take stock", since: house.now)
    try pass(Self.settlingTime)
    if house.fake.adapters.contains(where: { $0.discoverySessions > 0 }) { throw broken("discovery was left on") }
    house.fake.forgetCalls()
    var stock = try house.takeStock()
    guard stock.matchRules != nil else { throw broken("the bus does not report its number of match rules") }
    // Foundation closes its descriptors of the bus process on another thread, some real time later.
    let deadline = MonotonicTime.now + .seconds(holdings == nil ? 1 : 5)
    while stock != holdings, MonotonicTime.now < deadline {
      try Waiting.until(.now + .milliseconds(50))
      stock = try house.takeStock()
    }
    residentKilobytes.last = residentMemory()
    if let holdings {
      if stock != holdings { throw broken("resources differ: \(stock.differences(from: holdings))") }
    } else {
      holdings = stock
      residentKilobytes.first = residentKilobytes.last
    }
  }

  private func residentMemory() -> Int {
    guard let status = try? Files.read("/proc/self/status") else { return 0 }
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
