// Batches: when they end, what is in them, and what their reader makes of them.

import JSON
import TestSupport
import Testing
import Time
import Wire

@testable import Fleet

@Suite struct LogBatcherTests {
  private static let now2026 = 1_795_359_600.0

  private func text(_ harness: BatcherHarness, _ index: Int = 0) -> String {
    String(decoding: harness.batches[index].payload, as: UTF8.self)
  }

  @Test("a batch has its number, the instance, the boot, the clock, and the records as they came")
  func payload() throws {
    var daemon = ScriptedDaemon()
    daemon.utcOffset = 1_795_359_602_417_000_000 - 81_234_567_891_000
    var harness = BatcherHarness(try LogBatcher(firstNumber: 812))
    harness.add(daemon.sample("strap", "heart_rate", at: .at(81234.567891)), at: .at(81234.6))
    harness.add(Array(#"{"class":"state","sensor":"strap","state":"stale","reason":"silent"}"#.utf8), at: .at(81235))
    harness.add(daemon.sample("strap", "power", at: .at(81235.25), #""power_w":213"#), at: .at(81235.3))
    harness.end()
    let expected =
      #"{"batch":812,"instance":"a","boot":"b6f1c2d0","clock":{"t":81234.567891,"time":"2026-11-22T15:00:02.417Z"},"#
      + #""records":[{"class":"sample","sensor":"strap","kind":"heart_rate","seq":1,"t":81234.567891,"bpm":142},"#
      + #"{"class":"state","sensor":"strap","state":"stale","reason":"silent"},"#
      + #"{"class":"sample","sensor":"strap","kind":"power","seq":1,"t":81235.25,"power_w":213}]}"#
    #expect(text(harness) == expected)
    let summary = harness.batches[0].summary
    #expect(summary.number == 812)
    #expect(summary.records == 3)
    #expect(summary.from.t == .at(81234.567891))
    #expect(summary.to.t == .at(81235.25))
    #expect(summary.to.time?.isoText == "2026-11-22T15:00:03.099Z")
    #expect(harness.batcher.number == 813)
  }

  @Test("a batch ends after 5 s, 200 records or 48 KiB, whichever is first")
  func limits() throws {
    var daemon = ScriptedDaemon()
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    harness.add(daemon.sample("strap", "heart_rate", at: .at(10)), at: .at(10))
    #expect(harness.batcher.deadline == .at(15))
    harness.change { $0.timePassed(at: .at(14.9), $1) }
    #expect(harness.batches.isEmpty)
    harness.change { $0.timePassed(at: .at(15), $1) }
    #expect(harness.batches.map(\.summary.records) == [1])
    #expect(harness.batcher.deadline == nil)
    for count in 0..<401 {
      harness.add(daemon.sample("strap", "heart_rate", at: .at(20 + Double(count) / 1000)), at: .at(20))
    }
    #expect(harness.batches.map(\.summary.records) == [1, 200, 200])
    harness.end()
    let long = #""hex":""# + String(repeating: "0", count: 20_000) + #"""#
    for count in 0..<5 { harness.add(daemon.sample("strap", "ecg", at: .at(30 + Double(count)), long), at: .at(30)) }
    harness.end()
    #expect(harness.batches.map(\.summary.records).suffix(3) == [2, 2, 1])
    let longest = harness.batches.map(\.payload.count).max() ?? 0
    #expect(longest <= 48 << 10)
  }

  @Test("a line of the greatest length has a batch of its own")
  func longLine() throws {
    var daemon = ScriptedDaemon()
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    let long = #""hex":""# + String(repeating: "0", count: 65_300) + #"""#
    harness.add(daemon.sample("strap", "heart_rate", at: .at(1)), at: .at(1))
    harness.add(daemon.sample("strap", "ecg", at: .at(2), long), at: .at(2))
    harness.add(daemon.sample("strap", "heart_rate", at: .at(3)), at: .at(3))
    harness.end()
    #expect(harness.batches.map(\.summary.records) == [1, 1, 1])
  }

  @Test("a snapshot repeats nothing, and a restarted daemon counts from 1")
  func repetition() throws {
    var daemon = ScriptedDaemon()
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    for count in 1...3 { harness.add(daemon.sample("strap", "power", at: .at(Double(count))), at: .at(3)) }
    let isAdded = harness.add(daemon.line("strap", "power", 3, at: .at(3), age: 900, #""power_w":1"#), at: .at(4))
    #expect(!isAdded)
    let isGapAdded = harness.add(daemon.line("strap", "power", 9, at: .at(5), age: 0, #""power_w":1"#), at: .at(5))
    #expect(isGapAdded)
    harness.change { $0.connected(instance: "b", boot: "b6f1c2d0", $1) }
    #expect(harness.batches.map(\.summary.records) == [4])
    harness.add(daemon.line("strap", "power", 1, at: .at(6), age: 0, #""power_w":1"#), at: .at(6))
    harness.end()
    #expect(text(harness, 1).utf8.starts(with: #"{"batch":2,"instance":"b","#.utf8))
  }

  @Test("positions and packets stay on the receiver, and only the wanted kinds leave it")
  func filters() throws {
    var daemon = ScriptedDaemon()
    let position = #""latitude_deg":48.1,"longitude_deg":11.5"#
    let lines = [
      daemon.sample("ride", "position", at: .at(1), position), daemon.sample("strap", "heart_rate", at: .at(1)),
      daemon.sample("crank", "power", at: .at(1), #""power_w":213"#),
      Array(#"{"class":"raw","sensor":"strap","t":1,"op":"notify","source":"2a37","hex":"1048"}"#.utf8),
      Array(#"{"class":"event","event":"radar_approach","t":1,"level":2,"sensor":"radar-1"}"#.utf8),
      Array(#"{"class":"event","event":"gps_lost","t":1}"#.utf8),
      Array(#"{"class":"event","event":"lap","t":1,"lap":2}"#.utf8),
      Array(#"{"class":"event","event":"bottle_empty","t":1,"sensor":"bottle"}"#.utf8),
    ]
    func count(_ filter: RecordFilter) throws -> [Bool] {
      var harness = BatcherHarness(try LogBatcher(firstNumber: 1, filter: filter))
      return lines.map { harness.add($0, at: .at(1)) }
    }
    #expect(try count(RecordFilter()) == [false, true, true, false, true, false, true, true])
    #expect(try count(RecordFilter(position: true)) == [true, true, true, false, true, true, true, true])
    #expect(
      try count(RecordFilter(kinds: ["power", "ride", "bottle_empty", "position"]))
        == [false, false, true, false, false, false, true, true])
    #expect(
      try count(RecordFilter(kinds: ["radar", "position"], position: true))
        == [true, false, false, false, true, true, false, false])
  }

  @Test("a compressed batch is a tenth as long and reads the same")
  func compression() throws {
    var (plain, packed) = (
      BatcherHarness(try LogBatcher(firstNumber: 1)), BatcherHarness(try LogBatcher(firstNumber: 1, compresses: true))
    )
    var daemon = ScriptedDaemon()
    daemon.utcOffset = 1_795_000_000_000_000_000
    for count in 0..<200 {
      let line = daemon.sample("strap-\(count % 6)", "power", at: .at(100 + Double(count) / 12), #""power_w":213"#)
      plain.add(line, at: .at(100))
      packed.add(line, at: .at(100))
    }
    #expect(inflated(packed.batches[0].payload, atMost: 1 << 20) == plain.batches[0].payload)
    #expect(packed.batches[0].payload.first == 0x78)
    #expect(packed.batches[0].payload.count * 10 < plain.batches[0].payload.count)
  }

  /// A ride of an hour with samples 12 times a second. The clock is set in the middle of a batch.
  @Test("the times of a ride are right when its clock began in 1970", arguments: [false, true])
  func clockOf1970(isRestarted: Bool) throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    var daemon = ScriptedDaemon()
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    let offset = Self.now2026 - 81_000
    let set = 1_234.567
    var trueTimes: [Double] = []
    for tick in 0..<24_000 {
      let t = MonotonicTime(nanoseconds: 81_000_000_000_000 + Int64(tick) * 83_333_333 + Int64(random.below(9_000_000)))
      if t.seconds > 81_000 + set, daemon.utcOffset == nil { daemon.utcOffset = Int64(offset * 1e9) }
      if isRestarted, tick == 8_000 {
        daemon.restart(as: "b")
        harness.change { $0.connected(instance: "b", boot: "b6f1c2d0", $1) }
      }
      let line = daemon.sample("strap-\(tick % 6)", "heart_rate", at: t)
      harness.add(line, at: t)
      trueTimes.append(t.seconds + offset)
    }
    harness.end()
    var reader = BatchReader()
    for batch in harness.batches { try reader.receive(batch.payload) }
    #expect(reader.samples.count == 24_000)
    let dated = reader.samples.values.compactMap { reader.secondsSince1970($0) }.sorted()
    #expect(dated.count == trueTimes.count)
    let worst = zip(dated, trueTimes.sorted()).map { abs($0 - $1) }.max() ?? .infinity
    #expect(worst < 0.1, "seed \(seed)")
    // What the daemon knew is what the batch says, to the millisecond.
    for record in reader.samples.values {
      guard let time = record.time else { continue }
      #expect(abs(time.secondsSince1970 - record.t - offset) < 0.002)
    }
    #expect(reader.samples.values.contains { $0.time == nil })
  }

  @Test("a clock that is set later within a batch leaves the times that the daemon wrote")
  func step() throws {
    var daemon = ScriptedDaemon()
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    daemon.utcOffset = 1_750_000_000_000_000_000
    harness.add(daemon.sample("strap", "heart_rate", at: .at(1)), at: .at(1))
    daemon.utcOffset = 1_795_000_000_000_000_000
    harness.add(daemon.sample("strap", "heart_rate", at: .at(2)), at: .at(2))
    harness.end()
    harness.add(daemon.sample("strap", "heart_rate", at: .at(3)), at: .at(3))
    harness.end()
    var reader = BatchReader()
    for batch in harness.batches { try reader.receive(batch.payload) }
    let byTime = reader.samples.values.sorted { $0.t < $1.t }
    #expect(byTime.map { $0.time?.seconds } == [1_750_000_001, 1_795_000_002, 1_795_000_003])
    #expect(byTime[1].content["time"] != nil)
    #expect(byTime.map { reader.secondsSince1970($0) } == [1_795_000_001, 1_795_000_002, 1_795_000_003])
  }

  @Test("a clock that jumps by any number of years is written as it is", arguments: [-4_000, -300, 300, 7_000])
  func years(_ years: Int64) throws {
    var daemon = ScriptedDaemon()
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    daemon.utcOffset = 1_795_000_000_000_000_000
    harness.add(daemon.sample("strap", "heart_rate", at: .at(1)), at: .at(1))
    let time = WallTime(seconds: 1_795_000_002 + years * 31_556_952).isoText
    let line = #"{"class":"sample","sensor":"strap","kind":"power","seq":1,"t":2,"time":"\#(time)"}"#
    harness.add(Array(line.utf8), at: .at(2))
    harness.end()
    let payload = text(harness)
    #expect(payload.contains(#""time":"\#(time)""#) == (time.utf8.count == 24))
    #expect(harness.batches[0].summary.records == 2)
  }

  @Test("lines that are not records, or samples without a key, are not added")
  func refused() throws {
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    let lines = [
      "", "{", "[]", "null", "{}", #"{"class":"sample"}"#, #"{"class":"sample","sensor":"a","kind":"b","t":1}"#,
      #"{"class":"sample","sensor":"a","kind":"b","seq":1}"#,
      #"{"class":"sample","sensor":1,"kind":"b","seq":1,"t":1}"#,
      #"{"class":"sample","sensor":"a","kind":"b","seq":1.5,"t":1}"#,
      #"{"class":"sample","sensor":"a","kind":"b","seq":1,"t":1e300}"#,
      #"{"class":"sample","sensor":"a","kind":"b","seq":1,"t":-1}"#,
      #"{"class":"sample","sensor":"a","kind":"b","seq":1,"t":9000000000}"#,
      #"{"class":"sample","sensor":"a","kind":"b","seq":1,"t":1} x"#, #"{"class":"event","t":1}"#,
      #"{"class":"sample","sensor":"\u0061","kind":"b","seq":1,"t":1}"#, #"{"class":"hello","instance":"a"}"#,
    ]
    for line in lines {
      let isAdded = harness.add(Array(line.utf8), at: .at(1))
      #expect(!isAdded, "\(line)")
    }
    harness.end()
    #expect(harness.batches.isEmpty)
  }

  @Test("members in another order and with spaces are understood, and unknown ones stay")
  func order() throws {
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    let line =
      #" { "age_ms" : 5 , "t":1.5,"new":{"time":1,"a\"ge":[1, "}"]}, "seq":7,"#
      + #""kind":"power","class":"sample","sensor":"x"} "#
    harness.add(Array(line.utf8), at: .at(2))
    harness.end()
    let expected =
      #"{"batch":1,"instance":"a","boot":"b6f1c2d0","records":[{"t":1.5,"new":{"time":1,"a\"ge":[1, "}"]},"#
      + #""seq":7,"kind":"power","class":"sample","sensor":"x"}]}"#
    #expect(text(harness) == expected)
  }

  @Test("whatever the daemon sends, a batch is JSON and has every valid sample once")
  func noise() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed)
    var daemon = ScriptedDaemon()
    daemon.utcOffset = 1_795_000_000_000_000_000
    var harness = BatcherHarness(try LogBatcher(firstNumber: 1))
    var whole = 0
    for round in 0..<2_000 {
      var line = daemon.sample(
        "strap", "kind-\(random.below(4))", at: .at(Double(round)), #""x":[{"y":"é\""},null,true]"#)
      let isDamaged = random.below(2) == 0
      if isDamaged { line[random.below(line.count)] = UInt8(random.below(256)) }
      if random.below(10) == 0 { line.removeLast(random.below(line.count)) }
      let isValid = (try? JSONValue.parse(line)) != nil
      let isAdded = harness.add(line, at: .at(Double(round)))
      if isAdded { #expect(isValid, "seed \(seed), round \(round)") }
      whole += isAdded ? 1 : 0
    }
    harness.end()
    var count = 0
    for batch in harness.batches {
      let json = try JSONValue.parse(batch.payload)
      let records = try #require(json["records"]?.items)
      #expect(records.count == batch.summary.records)
      count += records.count
    }
    #expect(count == whole)
    #expect(whole > 100)
  }
}
