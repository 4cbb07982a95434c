// Pedals that are two sensors. The ride's power is their sum even if packets are late or lost, and
// never the power of one pedal alone.

import Testing
import Vocabulary

@testable import Metrics

/// A ride with a rolling wheel, and power meters by id.
private struct PedalRide: ~Copyable {
  var ride = TestRide()
  private(set) var meters: [String: RideMetrics.Source] = [:]
  private(set) var told: [(power: Double, source: String?)] = []

  mutating func enter(_ id: String, _ role: SensorRole?, priority: Int = 0) {
    var sensor = RideSensor(id: id, priority: priority)
    sensor.role = role
    meters[id] = ride.metrics.register(sensor)
  }

  mutating func say(_ id: String, _ watts: Double, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let meter = try #require(meters[id], sourceLocation: sourceLocation)
    let before = ride.said["power"] ?? 0
    ride.say(.power, [(.powerW, watts)], from: meter)
    if (ride.said["power"] ?? 0) > before, let power = ride.value("power", "power_w") {
      told.append((power, ride.words["power"]?["source"]))
    }
  }

  mutating func lose(_ id: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    ride.lose(try #require(meters[id], sourceLocation: sourceLocation))
  }

  /// One second: the left pedal sends at its start, the right pedal and the hub in its middle.
  mutating func second(left: Double? = 120, right: Double? = 80, other: Double? = nil) throws {
    ride.say(speed: 10, over: 1, from: ride.wheel)
    if let left { try say("left", left) }
    ride.pass(0.5)
    if let right { try say("right", right) }
    if let other { try say("hub", other) }
    ride.pass(0.5)
  }
}

struct PedalTests {
  private func pair() -> PedalRide {
    var pair = PedalRide()
    pair.enter("left", .left)
    pair.enter("right", .right)
    return pair
  }

  @Test("the power of two pedals is their sum")
  func sum() throws {
    var pair = pair()
    for _ in 0..<120 { try pair.second() }
    #expect(pair.told.count >= 118 && pair.told.allSatisfy { $0.power == 200 && $0.source == "left" }, "\(pair.told)")
    #expect(pair.ride.value("power", "pedal_balance_pct") == 60)
    #expect(pair.ride.words["power"]?["pedal_balance_reference"] == "left")
    #expect(pair.ride.value("averages", "power_avg_w") == 200 && pair.ride.value("averages", "power_max_w") == 200)
    #expect(pair.ride.value("averages", "balance_avg_pct") == 60)
    #expect(abs((pair.ride.value("ride", "work_j") ?? 0) - 200 * 120) <= 600)
  }

  /// Either pedal loses up to two packets in a row.
  @Test("a late pedal makes no step in the sum")
  func latePedal() throws {
    var pair = pair()
    for second in 0..<300 {
      try pair.second(left: second % 7 == 5 ? nil : 120, right: [3, 4].contains(second % 11) ? nil : 80)
    }
    #expect(pair.told.count > 200 && pair.told.allSatisfy { $0.power == 200 })
    #expect(pair.ride.value("averages", "power_max_w") == 200 && pair.ride.value("averages", "power_avg_w") == 200)
  }

  @Test("one pedal of a pair alone is not the rider's power", arguments: ["left", "right"], [false, true])
  func onePedal(gone: String, isSaid: Bool) throws {
    var pair = pair()
    for _ in 0..<60 { try pair.second() }
    if isSaid { try pair.lose(gone) }
    for _ in 0..<60 { try pair.second(left: gone == "left" ? nil : 120, right: gone == "right" ? nil : 80) }
    #expect(pair.told.allSatisfy { $0.power == 200 })
    #expect(pair.told.count <= 60 + (isSaid ? 1 : 4), "\(pair.told.count)")
    #expect(pair.ride.value("averages", "power_10s_w") == nil && pair.ride.value("averages", "power_avg_w") == 200)
    let told = pair.told.count
    for _ in 0..<60 { try pair.second() }
    #expect(pair.told.count >= told + 59 && pair.told.allSatisfy { $0.power == 200 })
  }

  @Test("another meter replaces a lost pedal")
  func replacement() throws {
    var pair = pair()
    pair.enter("hub", nil, priority: -1)
    for _ in 0..<60 { try pair.second(other: 190) }
    #expect(pair.told.last?.source == "left")
    try pair.lose("right")
    let before = pair.told.count
    for _ in 0..<60 { try pair.second(right: nil, other: 190) }
    #expect(pair.told.count >= before + 59)
    #expect(pair.told[before...].allSatisfy { $0.power == 190 && $0.source == "hub" })
    for _ in 0..<60 { try pair.second(other: 190) }
    #expect(pair.told.last?.source == "left" && pair.told.last?.power == 200)
  }

  @Test("a single pedal without a partner gives the power")
  func singlePedal() throws {
    var ride = PedalRide()
    ride.enter("left", .left)
    for _ in 0..<60 { try ride.second(right: nil) }
    #expect(ride.told.count >= 59 && ride.told.allSatisfy { $0.power == 120 })
    // A foot pod has a side but measures no power.
    var pod = RideSensor(id: "pod")
    (pod.role, pod.measuresPower) = (.right, false)
    _ = ride.ride.metrics.register(pod)
    for _ in 0..<10 { try ride.second(right: nil) }
    #expect(ride.told.count >= 69)
    // With a right pedal it is half of a pair; once that is forgotten it is a single pedal again.
    ride.enter("right", .right)
    let before = ride.told.count
    for _ in 0..<10 { try ride.second(right: nil) }
    #expect(ride.told.count == before)
    let right = try #require(ride.meters["right"])
    ride.ride.metrics.leave(right)
    for _ in 0..<10 { try ride.second(right: nil) }
    #expect(ride.told.count >= before + 9)
  }

  @Test("a side with negative power has no balance")
  func negativeSide() throws {
    var pair = pair()
    for _ in 0..<10 { try pair.second(left: -20, right: 80) }
    #expect(pair.told.last?.power == 60 && pair.ride.value("power", "pedal_balance_pct") == nil)
    for _ in 0..<10 { try pair.second(left: 0, right: 0) }
    #expect(pair.told.last?.power == 0 && pair.ride.value("power", "pedal_balance_pct") == nil)
  }

  @Test("power of one pedal is movement while the speed is unknown")
  func movement() throws {
    var pair = pair()
    for _ in 0..<30 {
      try pair.say("left", 120)
      pair.ride.pass(1)
    }
    #expect(pair.told.isEmpty && pair.ride.value("ride", "paused") == 0)
  }

  @Test("the cadence comes from either pedal")
  func cadence() throws {
    var pair = pair()
    for second in 0..<120 {
      let pedal = try #require(pair.meters[second < 60 ? "left" : "right"])
      pair.ride.say(.cadence, [(.cadenceRpm, 90)], from: pedal)
      try pair.second()
    }
    #expect(pair.ride.words["cadence"]?["source"] == "right" && pair.ride.value("averages", "cadence_avg_rpm") == 90)
  }

  @Test("pedals of the same bike form a pair")
  func pairs() {
    var pairs = PedalPairs()
    let sides: [PedalPairs.Side?] = [.left, .left, nil, .right, .right, .right]
    pairs.set(sides, bikes: [[1], [0], [0, 1], [0], [1], [2]])
    #expect((0..<6).map { pairs.left(of: $0) } == [0, 1, nil, 1, 0, nil])
    // A pedal that belongs to no bike pairs with the remaining one.
    pairs.set(sides, bikes: [[1], [], [], [0], [1], [2]])
    #expect((0..<6).map { pairs.left(of: $0) } == [0, 1, nil, 1, 0, nil])
    pairs.set([.left, .right], bikes: [[0], [1]])
    #expect(pairs.left(of: 0) == nil && pairs.left(of: 1) == nil)
  }
}
