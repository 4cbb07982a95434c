// Records from the daemon to a store, through batches and the spool, while everything fails.

import Fleet
import JSON
import Spool
import TestSupport
import Testing
import Time
import Wire

/// A bridge in virtual time that is killed, and whose broker comes and goes.
private final class SpooledRide {
  private(set) var spool: BatchSpool
  private var batcher: LogBatcher
  private var reader = RecordReader()
  private let folder: String
  private(set) var now = MonotonicTime(seconds: 1000)
  private var inFlight: [UInt64] = []
  private var output: [UInt8] = []
  var isBrokerThere = true

  /// By key, how often each record arrived.
  private(set) var stored: [String: Int] = [:]
  private(set) var numbers: [UInt64] = []

  init(_ folder: String) throws {
    self.folder = folder
    spool = BatchSpool(folder: folder, limit: 64 << 20, bootID: bootID, at: now) { _ in }
    batcher = try LogBatcher(firstNumber: spool.nextNumber)
    batcher.connected(instance: "a", boot: "b6f1c2d0") { _, _ in }
  }

  /// What waits in memory is gone.
  func kill() throws {
    spool = BatchSpool(folder: folder, limit: 64 << 20, bootID: bootID, at: now) { _ in }
    batcher = try LogBatcher(firstNumber: spool.nextNumber)
    batcher.connected(instance: "a", boot: "b6f1c2d0") { _, _ in }
    inFlight = []
  }

  func receive(_ line: [UInt8]) {
    guard reader.read(line.span) else { return }
    batcher.add(line.span, reader, at: now) { spool.append($0, $1, at: now) }
  }

  func pass(_ span: Duration) {
    now = now + span
    batcher.timePassed(at: now) { spool.append($0, $1, at: now) }
    spool.timePassed(at: now)
  }

  func send() throws {
    guard isBrokerThere, let item = spool.next(into: &output, at: now) else { return }
    inFlight.append(item.number)
    guard case .batch(let number) = item else { return }
    numbers.append(number)
    let batch = try JSONValue.parse(output)
    #expect(batch["batch"]?.integer == Int(number))
    for record in try #require(batch["records"]?.items) {
      let sample = try #require(SampleRecord(record))
      stored["\(sample.sensor) \(sample.kind) \(sample.sequence)", default: 0] += 1
    }
  }

  func acknowledge(_ count: Int) {
    for number in inFlight.prefix(count) { spool.acknowledge(number, at: now) }
    inFlight.removeFirst(min(count, inFlight.count))
  }

  func lose() {
    isBrokerThere = false
    inFlight = []
    spool.recallUnacknowledged(at: now)
  }
}

@Suite struct SpooledRideTests {
  @Test("killed 100 times in mid-batch, with a broker that comes and goes, no record is lost that was read 5 s before")
  func failures() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    let folder = try TemporaryFolder()
    let ride = try SpooledRide(folder.file("spool"))
    var wanted: Set<String> = []
    var recent: [(at: MonotonicTime, key: String)] = []
    var (tick, kills) = (0, 0)
    while kills < 100 || wanted.count <= 5_000 {
      tick += 1
      let sensor = "sensor-\(tick % 6)"
      let t = ride.now.seconds
      let line =
        #"{"class":"sample","sensor":"\#(sensor)","kind":"power","seq":\#(tick / 6 + 1),"t":\#(t),"power_w":213}"#
      ride.receive(Array(line.utf8))
      recent.append((ride.now, "\(sensor) power \(tick / 6 + 1)"))
      ride.pass(.milliseconds(80))
      if random.below(4) == 0 { try ride.send() }
      if random.below(8) == 0 { ride.acknowledge(random.below(5)) }
      switch random.below(700) {
      case 0...2: ride.lose()
      case 3...6: ride.isBrokerThere = true
      case 7...11:
        kills += 1
        let limit = MonotonicTime(nanoseconds: ride.now.nanoseconds - 5_100_000_000)
        for each in recent where each.at <= limit { wanted.insert(each.key) }
        recent = []
        try ride.kill()
      default: break
      }
    }
    ride.isBrokerThere = true
    while ride.spool.counts.batches > 0 {
      for _ in 0..<20 { try ride.send() }
      ride.acknowledge(20)
    }
    let missing = wanted.subtracting(ride.stored.keys)
    #expect(missing.isEmpty, "seed \(seed)")
    // Batches came in order; those that came again are the same.
    let firsts = ride.numbers.reduce(into: [UInt64]()) { if $1 > $0.last ?? 0 { $0.append($1) } }
    #expect(firsts == Array(1...UInt64(firsts.count)), "seed \(seed)")
  }
}
