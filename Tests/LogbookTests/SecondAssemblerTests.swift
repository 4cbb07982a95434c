// Sorting samples into seconds.

import Testing

@testable import Logbook

@Suite struct SecondAssemblerTests {
  private struct Ride {
    var assembler = SecondAssembler()
    var sample = SampleLine()
    /// By second; later rows replace earlier ones.
    var stored: [Int64: [UInt8]] = [:]
    var writes = 0
    /// Whether rows are fetched only when it is time.
    var isPatient = false

    @discardableResult
    mutating func add(_ time: Double, _ value: Int, seq: Int, age: Int = 0, now: Double? = nil)
      -> SecondAssembler.Verdict
    {
      let line = Array(
        #"{"class":"sample","sensor":"wheel","kind":"speed","seq":\#(seq),"t":\#(time),"age_ms":\#(age),"speed_mps":\#(value)}"#
          .utf8)
      _ = sample.parse(line.span)
      let verdict = assembler.add(sample, of: line.span, at: sample.milliseconds, now: Int64((now ?? time) * 1000))
      store()
      return verdict
    }

    mutating func complete() {
      assembler.complete()
      store()
    }

    mutating func store() {
      if isPatient, !assembler.hasCompleted { return }
      while let row = assembler.nextRow() {
        stored[row.second] = row.bytes
        writes += 1
      }
    }

    /// The values of each second that can be read.
    var values: [Int64: [Int64]] {
      var decoder = SecondDecoder(
        streams: assembler.streams.map { RecordedStream(sensor: $0.sensor, kind: $0.kind, fieldNames: $0.fieldNames) })
      var values: [Int64: [Int64]] = [:]
      for (second, row) in stored.sorted(by: { $0.key < $1.key }) {
        let outcome = decoder.decode(row.span, of: second) { sample in
          if case .number(let value, _) = sample.values[0] { values[second, default: []].append(value) }
        }
        if outcome != .read { values[second] = nil }
      }
      return values
    }
  }

  @Test("a second is complete when a sample of the next one comes")
  func next() {
    var ride = Ride()
    ride.add(100.2, 1, seq: 1)
    ride.add(100.9, 2, seq: 2)
    #expect(ride.stored.isEmpty && ride.assembler.deadline == 101_200)
    ride.add(101.1, 3, seq: 3)
    #expect(ride.values == [100: [1, 2]] && ride.assembler.deadline == 102_100)
    ride.complete()
    #expect(ride.values == [100: [1, 2], 101: [3]] && ride.assembler.deadline == nil && ride.writes == 2)
    ride.complete()
    #expect(ride.writes == 2)
  }

  @Test("late samples are added to their second for five seconds")
  func late() {
    var ride = Ride()
    for second in 0..<10 { ride.add(Double(second) + 100, second, seq: second) }
    #expect(ride.add(105.5, 55, seq: 20) == .added)
    #expect(ride.add(105.6, 56, seq: 21) == .added)
    #expect(ride.add(104.5, 44, seq: 22) == .tooLate)
    #expect(ride.add(99, 0, seq: 23) == .tooLate)
    ride.complete()
    // Also for a second that is complete because of its deadline.
    #expect(ride.add(109.9, 99, seq: 24) == .added)
    let values = ride.values
    #expect(values[105] == [5, 55, 56] && values[106] == [6] && values[109] == [9, 99] && values.count == 10)
  }

  @Test("late samples wait for the next second, or for one second")
  func waiting() {
    var ride = Ride()
    ride.isPatient = true
    ride.add(100, 0, seq: 0)
    ride.complete()
    for number in 1...3 { #expect(ride.add(100 + Double(number) / 10, number, seq: number, now: 101.1) == .added) }
    #expect(ride.values == [100: [0]] && ride.assembler.deadline == 102_100)
    ride.add(101.2, 4, seq: 4)
    #expect(ride.values == [100: [0, 1, 2, 3]] && ride.writes == 4)
  }

  @Test("what a snapshot repeats is not recorded twice")
  func snapshot() {
    var ride = Ride()
    ride.add(100, 1, seq: 7)
    ride.add(101, 2, seq: 8)
    #expect(ride.add(101, 2, seq: 8, age: 300, now: 101.3) == .repeated)
    #expect(ride.add(101.2, 3, seq: 9, age: 100, now: 101.3) == .added)
    ride.complete()
    #expect(ride.values == [100: [1], 101: [2, 3]])
  }

  @Test("after a row that was not stored, the next one can be read without it")
  func lost() {
    var ride = Ride()
    for second in 100..<105 { ride.add(Double(second), second, seq: second) }
    ride.stored[103] = nil
    ride.assembler.rowWasLost()
    for second in 105..<110 { ride.add(Double(second), second, seq: second) }
    // 104 was under way.
    #expect(ride.values.keys.sorted() == [100, 101, 102, 105, 106, 107, 108])
  }

  @Test("gaps of minutes and every key second can be read")
  func gaps() {
    var ride = Ride()
    var expected: [Int64: [Int64]] = [:]
    for (index, second) in [100, 101, 119, 120, 300, 309, 310, 1000].enumerated() {
      ride.add(Double(second), second, seq: index)
      expected[Int64(second)] = [Int64(second)]
    }
    ride.complete()
    #expect(ride.values == expected)
    // Only the key seconds can be read alone.
    var alone = Ride()
    alone.assembler = ride.assembler
    alone.stored = ride.stored.filter { $0.key != 100 }
    #expect(alone.values.keys.sorted() == [119, 120, 300, 309, 310, 1000])
  }
}
