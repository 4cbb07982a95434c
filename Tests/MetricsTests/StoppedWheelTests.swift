// Stops and starts of wheels and cranks, decoded and passed to a ride, compared with the truth. The
// rows differ in wheel size, speed, packet rate and length of the stops.

import SensorKit
import Testing
import Time
import Vocabulary

@testable import Metrics

/// The packets of a sensor on a bike that rides and stops alternately.
struct StopAndGo: CustomTestStringConvertible, Sendable {
  var circumference = 2.105
  var speed = 8.0
  /// Seconds between packets.
  var period = 1.0
  var rides = 30.0
  var stands = 20.0
  var ticksPerSecond = 1024.0
  /// It sends a packet only after a new revolution.
  var isSilentWhileStanding = false
  var pauseDelay = 3.0

  var testDescription: String {
    "\(circumference) m at \(speed) m/s, a packet in \(period) s, stops of \(stands) s"
      + (isSilentWhileStanding ? ", silent" : "") + ", clock \(ticksPerSecond), pause after \(pauseDelay) s"
  }

  static let rows: [StopAndGo] = [
    .init(), .init(period: 0.25), .init(stands: 5), .init(stands: 34, ticksPerSecond: 2048),
    .init(stands: 66.3), .init(stands: 131, ticksPerSecond: 2048), .init(circumference: 1.3, speed: 4),
    .init(circumference: 2.3, speed: 14, period: 0.5, stands: 300), .init(speed: 3, stands: 12),
    .init(isSilentWhileStanding: true), .init(speed: 5, stands: 70, isSilentWhileStanding: true),
    .init(pauseDelay: 6), .init(circumference: 1.9, speed: 6.5, period: 0.7, stands: 45, pauseDelay: 10),
  ]

  /// Revolutions up to a time.
  func turns(at time: Double) -> Double {
    let cycles = (time / (rides + stands)).rounded(.down)
    let ridden = cycles * rides + min(time - cycles * (rides + stands), rides)
    return ridden * speed / circumference
  }

  /// The time at which a revolution was complete.
  func time(ofTurn turn: Double) -> Double {
    let ridden = turn * circumference / speed
    // Rounding must not move the last revolution before a stop to the end of the stop.
    let cycles = max(0, ((ridden - 1e-6) / rides).rounded(.down))
    return ridden + cycles * stands
  }

  /// Packets: time of arrival, count, event time, and the true time of the last revolution.
  func packets(until end: Double) -> [(time: Double, count: UInt32, ticks: UInt16, turned: Double)] {
    var (packets, time, last) = ([(time: Double, count: UInt32, ticks: UInt16, turned: Double)](), 0.37, -1.0)
    while time < end {
      let turn = turns(at: time).rounded(.down)
      let turned = self.time(ofTurn: turn)
      let ticks = UInt16(truncatingIfNeeded: Int((turned * ticksPerSecond).rounded()))
      if turn != last || !isSilentWhileStanding { packets.append((time, UInt32(turn) + 7_000, ticks, turned)) }
      (last, time) = (turn, time + period)
    }
    return packets
  }
}

struct StoppedWheelTests {
  private static let start = 10_000.0

  /// Passes the packets to a ride and calls `look` after each packet and tick.
  private func ride(
    _ row: StopAndGo, until end: Double, _ look: (Double, borrowing RideMetrics, borrowing Batch) -> Void
  ) {
    var settings = RideSettings()
    settings.autoPauseDelayS = row.pauseDelay
    var metrics = RideMetrics(settings)
    let wheel = metrics.register(RideSensor(id: "wheel", circumferenceM: row.circumference))
    var meter = WheelMeter(
      ticksPerSecond: row.ticksPerSecond, settings: SensorSettings(circumferenceMM: row.circumference * 1000))
    var packet = Batch()
    var out = Batch()
    let none = Batch()
    var (tick, last) = (1.0, 0.0)
    func moment(_ time: Double) -> MonotonicTime { MonotonicTime(seconds: Self.start + time) }
    func passes(to time: Double) {
      while tick <= time {
        out.removeAll()
        // As a session reports the loss of its sensor.
        if tick - last > 3 { metrics.lost(wheel, at: moment(tick), into: &out) }
        metrics.tick(at: moment(tick), into: &out)
        look(tick, metrics, none)
        tick += 1
      }
    }
    for (time, count, ticks, _) in row.packets(until: end) {
      passes(to: time)
      packet.removeAll()
      meter.read(count, eventTime: ticks, at: moment(time), into: &packet)
      for entry in packet.entryIndices {
        out.removeAll()
        metrics.add(packet.entry(entry), of: packet, from: wheel, at: moment(time), into: &out)
      }
      last = time
      look(time, metrics, packet)
    }
    passes(to: end)
  }

  @Test("no turn is lost at a stop", arguments: StopAndGo.rows)
  func distance(_ row: StopAndGo) {
    let end = 12 * (row.rides + row.stands)
    var said = 0.0
    ride(row, until: end) { _, metrics, _ in said = metrics.ride.totals.distance.ride }
    let packets = row.packets(until: end)
    // Revolutions before the first packet are unknown, and those after the last packet were not
    // sent.
    let counted = Double(packets[packets.count - 1].count - packets[0].count) * row.circumference
    #expect(abs(said - counted) <= 1.01 * row.circumference, "\(said) of \(counted)")
  }

  @Test("a standing wheel is at most as fast as one revolution since the last one", arguments: StopAndGo.rows)
  func speed(_ row: StopAndGo) {
    var turned = 0.0
    let times = row.packets(until: 600)
    var index = 0
    var speeds = 0
    ride(row, until: 600) { time, _, packet in
      guard !packet.entryIndices.isEmpty else { return }
      while index < times.count, times[index].time <= time { (turned, index) = (times[index].turned, index + 1) }
      guard let speed = packet.number(.speedMps, of: packet.entry(0)) else { return }
      speeds += 1
      // A packet arrives at most one period after the revolution that it reports.
      let since = time - turned - row.period
      #expect(speed <= max(0.01, row.circumference / max(since, 0.001)) + 0.01, "\(speed) after \(since) s")
      #expect(speed <= row.speed * 1.02, "at \(time)")
      let isStarting =
        turned.truncatingRemainder(dividingBy: row.rides + row.stands) < 2 * row.circumference / row.speed
      if since < -row.period / 2, !isStarting { #expect(speed >= row.speed * 0.6 || speed == 0, "\(speed) at \(time)") }
    }
    #expect(speeds > 100)
  }

  @Test("the ride is paused the set time after the last turn", arguments: StopAndGo.rows)
  func pause(_ row: StopAndGo) {
    var pauses: [Double] = []
    var wasMoving = false
    ride(row, until: 4 * (row.rides + row.stands)) { time, metrics, _ in
      if wasMoving, !metrics.isMoving { pauses.append(time) }
      wasMoving = metrics.isMoving
    }
    #expect(pauses.count == 4, "\(pauses)")
    for (index, pause) in pauses.enumerated() {
      let stop = Double(index) * (row.rides + row.stands) + row.rides
      let late = pause - stop - row.pauseDelay
      // The delay contains the last revolution, its packet, and the tick that notices it.
      #expect(late >= -row.circumference / row.speed - 0.01 && late <= row.period + 1.3, "\(late)")
    }
  }

  @Test(
    "a cadence is never averaged over coasting",
    arguments: [
      (90.0, 1.0, 10.0), (60, 1, 5), (110, 0.25, 3.5), (75, 0.5, 33), (85, 1, 66), (95, 1, 200), (50, 1, 64),
    ],
    [false, true])
  func cadence(_ pedals: (rpm: Double, period: Double, coasts: Double), isSilent: Bool) {
    var row = StopAndGo(circumference: 60, speed: pedals.rpm, period: pedals.period, rides: 20, stands: pedals.coasts)
    (row.speed, row.isSilentWhileStanding) = (pedals.rpm, isSilent)
    var meter = CrankMeter()
    var batch = Batch()
    var rates = 0
    for (time, count, ticks, turned) in row.packets(until: 1000) {
      batch.removeAll()
      meter.read(
        UInt16(truncatingIfNeeded: count), eventTime: ticks, at: MonotonicTime(seconds: 500 + time), into: &batch)
      guard !batch.entryIndices.isEmpty, let rate = batch.number(.cadenceRpm, of: batch.entry(0)) else { continue }
      rates += 1
      let isNew = time - turned <= row.period
      if isNew { #expect(abs(rate - pedals.rpm) < 0.02 * pedals.rpm, "\(rate) at \(time)") }
      #expect(rate <= 60 / max(time - turned - row.period, 0.01) + 0.1, "\(rate) at \(time)")
    }
    #expect(rates > 50)
  }
}

/// Packets with wrong counts, and packets that are repeated, late or lost.
struct BadCountTests {
  struct Packet: Sendable {
    var count: UInt32
    var ticks: UInt16
    var time: Double

    func again(at time: Double) -> Packet { Packet(count: count, ticks: ticks, time: time) }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// Spoils the packets of one minute.
    let change: @Sendable (inout [Packet]) -> Void
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "nothing") { _ in },
    Row(name: "a count of 0") { $0[20].count = 0 },
    Row(name: "all bits of a count") { $0[20].count = .max },
    Row(name: "a count that is 60 more") { $0[20].count += 60 },
    Row(name: "a count that is 60 less") { $0[20].count -= 60 },
    Row(name: "a clock that is wrong") { $0[20].ticks = 3 },
    Row(name: "a bit in each tenth count") {
      for index in stride(from: 5, to: 60, by: 10) { $0[index].count ^= 1 << 12 }
    },
    Row(name: "two bad ones in a row") {
      $0[20].count = 5
      $0[21].count = 900_000
    },
    Row(name: "a bad one that comes twice") {
      $0[20].count = 5
      $0.insert($0[20].again(at: $0[20].time + 0.1), at: 21)
    },
    Row(name: "each packet twice") { packets in
      packets = packets.flatMap { [$0, $0.again(at: $0.time + 0.3)] }
    },
    Row(name: "the one before comes again") { packets in
      for index in (5..<55).reversed() where index % 5 == 0 {
        packets.insert(packets[index - 1].again(at: packets[index].time + 0.4), at: index + 1)
      }
    },
    Row(name: "the last three come again") { packets in
      for (place, old) in packets[27...29].enumerated() {
        packets.insert(old.again(at: packets[30].time + 0.2 * Double(place + 1)), at: 31 + place)
      }
    },
    Row(name: "two change places") { packets in
      let (earlier, later) = (packets[20], packets[21])
      packets[20] = later.again(at: earlier.time)
      packets[21] = earlier.again(at: later.time)
    },
    Row(name: "ten are lost") { $0.removeSubrange(20..<30) },
  ]

  @Test("a bad packet costs no distance and adds none", arguments: rows)
  func distance(_ row: Row) {
    for (turnSeconds, circumference) in [(0.2631, 2.105), (0.41, 2.3), (0.7, 1.3)] {
      for ticksPerSecond in [1024.0, 2048] {
        var packets: [Packet] = (0..<60).map { second in
          let turns = (Double(second) / turnSeconds).rounded(.down)
          let ticks = Int((turns * turnSeconds * ticksPerSecond).rounded()) + 9_000
          return Packet(
            count: UInt32(turns) + 70_000, ticks: UInt16(truncatingIfNeeded: ticks), time: Double(second) + 100)
        }
        let truth = Double(packets[59].count - packets[0].count) * circumference
        row.change(&packets)
        var meter = WheelMeter(
          ticksPerSecond: ticksPerSecond, settings: SensorSettings(circumferenceMM: circumference * 1000))
        var batch = Batch()
        var (said, fastest) = (0.0, 0.0)
        for packet in packets {
          batch.removeAll()
          meter.read(packet.count, eventTime: packet.ticks, at: MonotonicTime(seconds: packet.time), into: &batch)
          guard !batch.entryIndices.isEmpty else { continue }
          said += batch.number(.distanceDeltaM, of: batch.entry(0)) ?? 0
          fastest = max(fastest, batch.number(.speedMps, of: batch.entry(0)) ?? 0)
        }
        #expect(abs(said - truth) < 1e-6, "\(said) of \(truth), a turn in \(turnSeconds) s")
        #expect(fastest < 1.02 * circumference / turnSeconds)
      }
    }
  }
}
