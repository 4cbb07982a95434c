// Rolling counters: a table of cases, and properties that hold for any input.

import SensorKit
import Testing
import Time

/// One packet, and when it arrived.
struct CountedPacket {
  let count: UInt32
  let ticks: UInt16
  let seconds: Double

  init(_ count: UInt32, _ ticks: UInt16, _ seconds: Double) {
    self.count = count
    self.ticks = ticks
    self.seconds = seconds
  }
}

extension CounterDelta {
  mutating func read(_ packet: CountedPacket, unit: Double) -> Reading {
    read(packet.count, eventTime: packet.ticks, at: MonotonicTime(seconds: packet.seconds), unit: unit)
  }

  /// Ticks of 1/1024 s, and at most 50 units per second. With a unit of 2 that is 25 revolutions
  /// per second.
  static var wheel: CounterDelta { CounterDelta(.bits32, ticksPerSecond: 1024, fastest: 50) }
  static var meterWheel: CounterDelta { CounterDelta(.bits32, ticksPerSecond: 2048, fastest: 50) }
  static var crank: CounterDelta { CounterDelta(.bits16, ticksPerSecond: 1024, fastest: 255) }
}

@Suite struct CounterDeltaTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let counter: CounterDelta
    let unit: Double
    let packets: [(UInt32, UInt16, Double)]
    let last: CounterDelta.Reading
    var testDescription: String { name }

    static func wheel(_ name: String, _ packets: [(UInt32, UInt16, Double)], _ last: CounterDelta.Reading) -> Row {
      Row(name: name, counter: .wheel, unit: 2, packets: packets, last: last)
    }

    static func crank(_ name: String, _ packets: [(UInt32, UInt16, Double)], _ last: CounterDelta.Reading) -> Row {
      Row(name: name, counter: .crank, unit: 60, packets: packets, last: last)
    }
  }

  /// Ten revolutions, then fourteen one second later: 8 units per second.
  static let moving: [(UInt32, UInt16, Double)] = [(10, 0, 0), (14, 1024, 1)]

  /// The same after an hour.
  static let later: [(UInt32, UInt16, Double)] = [(14_410, 16_384, 0), (14_414, 17_408, 1)]

  static let rows: [Row] = [
    .wheel("first: nothing to compare with", [(7, 99, 5)], .init(.first)),
    .wheel("stopped: three seconds without a revolution", moving + [(14, 1024, 4)], .init(.stopped, rate: 0)),
    .wheel("stopped: never moved", [(7, 99, 0), (7, 99, 3)], .init(.stopped, rate: 0)),
    .wheel(
      "stopped: counted from the last revolution, not the last packet", moving + [(14, 1024, 2), (14, 1024, 4)],
      .init(.stopped, rate: 0)),
    .wheel("hold: as fast as before", moving + [(14, 1024, 1.25)], .init(.hold, rate: 8)),
    .wheel("hold: at most one revolution in a second", moving + [(14, 1024, 2)], .init(.hold, rate: 2)),
    .wheel(
      "hold: at most one revolution in 2.5 s", moving + [(14, 1024, 2), (14, 1024, 3.5)], .init(.hold, rate: 0.8)),
    .wheel("hold: no rate to hold", [(7, 99, 0), (7, 99, 1)], .init(.hold)),
    .wheel("hold: the event time moves alone", moving + [(14, 1224, 1.2)], .init(.hold, rate: 8)),
    .wheel(
      "hold: and the anchor stays", moving + [(14, 1224, 1.2), (16, 2048, 2)], .init(.update, rate: 4, amount: 4)),
    .wheel("resync: the clock wrapped unseen", moving + [(15, 1024 + 205, 129.2)], .init(.resync, amount: 2)),
    .wheel("resync: the rate is forgotten", moving + [(15, 1229, 129.2), (15, 1229, 130)], .init(.hold)),
    .wheel("resync: as far as possible", moving + [(14 + 250, 2048, 11)], .init(.resync, amount: 500)),
    .wheel("resync: farther than possible", moving + [(14 + 251, 2048, 11)], .init(.unconfirmed)),
    .wheel("resync: a clock that never moves", moving + [(15, 1024, 3), (24, 1024, 6.1)], .init(.resync, amount: 20)),
    .wheel(
      "resync: after a stop, at most what a start allows",
      moving + [(14, 1024, 60), (14, 1024, 120), (29, 500, 121)], .init(.resync, amount: 30)),
    .wheel(
      "resync: a stop hides no bad count", moving + [(14, 1024, 60), (14, 1024, 120), (30, 500, 121)],
      .init(.unconfirmed)),
    .wheel("inconsistent: the clock stands still", moving + [(15, 1024, 1.2)], .init(.inconsistent, rate: 8)),
    .wheel("inconsistent: no rate yet", [(10, 0, 0), (11, 0, 1)], .init(.inconsistent)),
    .wheel(
      "inconsistent: the next packet covers both", moving + [(15, 1024, 1.2), (18, 2048, 2)],
      .init(.update, rate: 8, amount: 8)),
    .wheel("inconsistent: the rate falls", moving + [(15, 1024, 3.5)], .init(.inconsistent, rate: 0.8)),
    .wheel("bounced: one revolution in 10 ms", moving + [(15, 1034, 1.2)], .init(.bounced)),
    .wheel(
      "bounced: it adds nothing", moving + [(15, 1034, 1.2), (19, 2058, 2)], .init(.update, rate: 8, amount: 8)),
    .wheel("older: the previous packet is repeated", moving + [(18, 2048, 2), (14, 1024, 2.2)], .init(.older)),
    .wheel(
      "older: it adds nothing", moving + [(18, 2048, 2), (14, 1024, 2.2), (22, 3072, 3)],
      .init(.update, rate: 8, amount: 8)),
    .wheel(
      "older: two of them add nothing", moving + [(18, 2048, 2), (10, 0, 2.1), (14, 1024, 2.2), (22, 3072, 3)],
      .init(.update, rate: 8, amount: 8)),
    .wheel("unconfirmed: too fast", moving + [(40, 2048, 2)], .init(.unconfirmed)),
    .wheel("unconfirmed: faster by a leap", moving + [(26, 2048, 2)], .init(.unconfirmed)),
    .wheel("unconfirmed: the count went down", moving + [(3, 2048, 2)], .init(.unconfirmed)),
    .wheel("unconfirmed: the clock ran ahead", moving + [(15, 1024 + 6 * 1024 + 1, 2)], .init(.unconfirmed)),
    .wheel("unconfirmed: the same bad count twice", moving + [(3, 2048, 2), (3, 2048, 2.1)], .init(.unconfirmed)),
    .wheel(
      "one bad count costs nothing", moving + [(99, 2048, 2), (22, 3072, 3)], .init(.update, rate: 8, amount: 16)),
    .wheel(
      "two bad counts that disagree cost nothing", moving + [(99, 2048, 2), (5, 3072, 3), (26, 4096, 4)],
      .init(.update, rate: 8, amount: 24)),
    .wheel(
      "one bad count at a standstill costs nothing", moving + [(99, 1024, 2), (14, 1024, 2.5)],
      .init(.hold, rate: 2 / 1.5)),
    .wheel(
      "a leap that a second packet confirms counts", moving + [(26, 2048, 2), (38, 3072, 3)],
      .init(.update, rate: 24, amount: 48)),
    .wheel(
      "a restart that a second packet confirms", later + [(0, 0, 2), (3, 1024, 3)],
      .init(.update, rate: 6, amount: 6)),
    .wheel(
      "a restart at a standstill", later + [(0, 0, 2), (0, 0, 3), (0, 0, 5)], .init(.stopped, rate: 0)),
    .wheel(
      "a restart that continues after a standstill", later + [(0, 0, 2), (0, 0, 5), (1, 4096, 6)],
      .init(.update, amount: 2)),
    .wheel("update: as fast as possible", [(10, 0, 0), (35, 1024, 1)], .init(.update, rate: 50, amount: 50)),
    .wheel("update: the count rolls over", [(0xffff_fffe, 0, 0), (2, 1024, 1)], .init(.update, rate: 8, amount: 8)),
    .wheel("update: the event time rolls over", [(10, 65_000, 0), (14, 488, 1)], .init(.update, rate: 8, amount: 8)),
    .wheel(
      "update: a gap of 30 s at the same rate", moving + [(14 + 120, 1024 + 30 * 1024, 31)],
      .init(.update, rate: 8, amount: 240)),
    .wheel(
      "update: a gap of 30 s that may hide a stop", moving + [(14 + 60, 1024 + 30 * 1024, 31)],
      .init(.update, amount: 120)),
    .wheel(
      "update: and then the rate is known again",
      moving + [(14 + 60, 1024 + 30 * 1024, 31), (14 + 64, 1024 + 31 * 1024, 32)],
      .init(.update, rate: 8, amount: 8)),
    .wheel("update: clocks that differ by five seconds", moving + [(18, 2048, 7)], .init(.update, rate: 8, amount: 8)),
    .wheel(
      "update: the first revolution after a stop counts and has no rate",
      moving + [(14, 1024, 5), (15, 1024 + 20 * 1024, 21.1)], .init(.update, amount: 2)),
    .wheel(
      "update: the same if no packet came during the stop", moving + [(15, 1024 + 20 * 1024, 21.1)],
      .init(.update, amount: 2)),
    .wheel(
      "update: the second revolution after a stop has a rate",
      moving + [(15, 1024 + 20 * 1024, 21.1), (16, 22 * 1024, 22.1)],
      .init(.update, rate: 2, amount: 2)),
    .wheel(
      "update: no rate for a revolution that contains a stop", moving + [(15, 3 * 1024, 3)], .init(.update, amount: 2)),
    .wheel(
      "update: a second stop is a stop again", moving + [(14, 1024, 5), (15, 5 * 1024, 5), (15, 5 * 1024, 9)],
      .init(.stopped, rate: 0)),
    .crank("update: 16 bits roll over", [(65_535, 0, 0), (1, 1024, 1)], .init(.update, rate: 120, amount: 120)),
    .crank(
      "unconfirmed: restarted, and the difference looks small",
      [(65_500, 20_000, 0), (65_501, 20_700, 1), (3, 512, 2)], .init(.unconfirmed)),
    .crank("unconfirmed: 256 rpm", [(0, 0, 0), (64, 15_360, 15)], .init(.unconfirmed)),
    .crank("update: 255 rpm", [(0, 0, 0), (17, 4096, 4), (34, 8192, 8)], .init(.update, rate: 255, amount: 1020)),
    .crank(
      "update: slow senders have a rate", [(0, 0, 0), (6, 4096, 4), (12, 8192, 8)],
      .init(.update, rate: 90, amount: 360)),
    .crank(
      "update: two slow revolutions are not pedaling", [(0, 0, 0), (1, 30 * 1024, 30), (2, 60 * 1024, 60)],
      .init(.update, amount: 60)),
    Row(
      name: "update: 2,048 ticks per second", counter: .meterWheel, unit: 2, packets: [(10, 0, 0), (14, 2048, 1)],
      last: .init(.update, rate: 8, amount: 8)),
    Row(
      name: "resync: the finer clock wraps after 32 s", counter: .meterWheel, unit: 2,
      packets: [(10, 0, 0), (14, 2048, 1), (15, 4508, 34.2)], last: .init(.resync, amount: 2)),
  ]

  @Test("each case gives its last reading", arguments: rows)
  func cases(_ row: Row) {
    var counter = row.counter
    var reading: CounterDelta.Reading?
    for (count, ticks, seconds) in row.packets { reading = counter.read(.init(count, ticks, seconds), unit: row.unit) }
    #expect(reading == row.last)
  }

  @Test("every status has a case")
  func allStatuses() {
    #expect(Set(Self.rows.map(\.last.status)) == Set(CounterDelta.Status.allCases))
  }

  @Test("a held rate uses the new unit")
  func newUnit() {
    var counter = CounterDelta.wheel
    for (count, ticks, seconds) in Self.moving { _ = counter.read(.init(count, ticks, seconds), unit: 2) }
    #expect(counter.read(.init(14, 1024, 1.25), unit: 3) == .init(.hold, rate: 12))
    #expect(counter.read(.init(14, 1024, 2), unit: 3) == .init(.hold, rate: 3))
  }

  @Test("after forget, the count starts again")
  func forget() {
    var counter = CounterDelta.wheel
    for (count, ticks, seconds) in Self.moving { _ = counter.read(.init(count, ticks, seconds), unit: 2) }
    counter.forget()
    #expect(counter.read(.init(15, 2048, 2), unit: 2) == .init(.first))
    #expect(counter.read(.init(15, 2048, 2.5), unit: 2) == .init(.hold))
  }
}

// MARK: Properties

extension CounterDeltaTests {
  /// A wheel at changing speed, with packets that are lost, repeated and delayed. The readings must
  /// add up to what the wheel turned.
  @Test("no revolution is lost or invented", arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func sumOfReadings(seed: UInt64) {
    var random = Dice(state: seed)
    for ticksPerSecond in [1024.0, 2048.0] {
      var counter = CounterDelta(.bits32, ticksPerSecond: ticksPerSecond, fastest: 50)
      var count = UInt32.max - UInt32.random(in: 0...500, using: &random)
      var event = Double.random(in: 0...100, using: &random)
      var received = event
      _ = counter.read(.init(count, ticks(event, ticksPerSecond), received), unit: 2)
      var turned = 0.0
      var counted = 0.0
      for _ in 0..<2_000 {
        let revolutions = UInt32.random(in: 0...12, using: &random)
        if revolutions > 0 {
          event = max(event + Double(revolutions) * 0.1, received + Double.random(in: -0.3...2, using: &random))
          count &+= revolutions
          turned += Double(revolutions) * 2
        }
        received = max(received, event) + Double.random(in: 0...1, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0, revolutions > 0 { continue }
        for _ in 0...Int.random(in: 0...2, using: &random) {
          let reading = counter.read(.init(count, ticks(event, ticksPerSecond), received), unit: 2)
          counted += reading.amount
          #expect([.update, .hold, .stopped, .resync, .unconfirmed].contains(reading.status), "seed \(seed)")
          #expect((reading.rate ?? 0) <= 50, "seed \(seed)")
        }
      }
      // Two more revolutions, because a leap at the end may await confirmation.
      for _ in 0..<2 {
        (count, event, received) = (count &+ 1, received + 0.9, received + 1)
        counted += counter.read(.init(count, ticks(event, ticksPerSecond), received), unit: 2).amount
      }
      #expect(abs(counted - turned - 4) < 1e-6, "seed \(seed)")
    }
  }

  /// Random packets: rates and distances stay possible, and only a stop gives a rate of zero.
  @Test("noise never gives an impossible rate or distance", arguments: [11, 12, 13, 14] as [UInt64])
  func noise(seed: UInt64) {
    var random = Dice(state: seed)
    for width in [CounterDelta.Width.bits16, .bits32] {
      var counter = CounterDelta(width, ticksPerSecond: 1024, fastest: 50)
      var seconds = 0.0
      var lastSeconds = 0.0
      for _ in 0..<20_000 {
        seconds += Double.random(in: 0...20, using: &random)
        let count = UInt32.random(in: 0...40, using: &random) &* UInt32.random(in: 0...0xffff, using: &random)
        let packet = CountedPacket(count & width.rawValue, UInt16.random(in: 0...0xffff, using: &random), seconds)
        let reading = counter.read(packet, unit: 2)
        #expect((0...50).contains(reading.rate ?? 0), "seed \(seed)")
        #expect(reading.amount >= 0 && reading.amount <= 50 * (seconds - lastSeconds + 5), "seed \(seed)")
        #expect((reading.rate == 0) == (reading.status == .stopped), "seed \(seed)")
        switch reading.status {
        case .stopped, .hold, .inconsistent, .older, .unconfirmed: break
        default: lastSeconds = seconds
        }
      }
    }
  }

  private func ticks(_ seconds: Double, _ perSecond: Double) -> UInt16 {
    UInt16(truncatingIfNeeded: Int((seconds * perSecond).rounded(.up)))
  }
}

@Suite struct OdometerDeltaTests {
  @Test(
    "each case of an odometer gives its last reading",
    arguments: [
      ("first", [(100, 0)], .init(.first)),
      ("hold", [(100, 0), (100, 1)], .init(.hold)),
      ("update", [(100, 0), (130, 1)], .init(.update, amount: 30)),
      ("roll-over", [(0xffff_fff0, 0), (14, 1)], .init(.update, amount: 30)),
      ("as far as possible", [(100, 0), (190, 1)], .init(.update, amount: 90)),
      ("too far", [(100, 0), (191, 1)], .init(.unconfirmed)),
      ("too far, then from there", [(100, 0), (900, 1), (901, 2)], .init(.update, amount: 1)),
      ("too far, then as before", [(100, 0), (900, 1), (106, 2)], .init(.update, amount: 6)),
      ("too far twice, then as before", [(100, 0), (900, 1), (900, 1.1), (106, 2)], .init(.update, amount: 6)),
      ("an older one", [(100, 0), (104, 1), (100, 2)], .init(.older)),
      ("it adds nothing", [(100, 0), (104, 1), (96, 1.5), (100, 2), (108, 3)], .init(.update, amount: 4)),
      ("restarted", [(900, 0), (0, 1)], .init(.unconfirmed)),
      ("restarted, and continues", [(900, 0), (0, 1), (0, 2), (4, 3)], .init(.update, amount: 4)),
      ("the gap counts from the last change", [(100, 0), (100, 5), (100, 9), (300, 10)], .init(.update, amount: 200)),
    ] as [(String, [(UInt32, Double)], OdometerDelta.Reading)])
  func odometerCases(_ row: (name: String, packets: [(UInt32, Double)], last: OdometerDelta.Reading)) {
    var odometer = OdometerDelta(unit: 1, fastest: 15)
    var reading: OdometerDelta.Reading?
    for (count, seconds) in row.packets { reading = odometer.read(count, at: MonotonicTime(seconds: seconds)) }
    #expect(reading == row.last, "\(row.name)")
  }
}

/// Reproducible random numbers (SplitMix64).
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
