// Packing samples into seconds and back, with the samples of every capture and with random ones.

import Foundation
import JSON
import Testing

@testable import Logbook

@Suite struct SecondTests {
  /// An activity of whole seconds, as the recorder writes them.
  private struct Recording {
    var encoder = SecondEncoder()
    var sample = SampleLine()
    var rows: [(second: Int64, row: [UInt8])] = []
    var written: [JSONValue] = []
    var current: Int64?

    /// The lines must be in the order of time.
    mutating func add(_ line: String) throws {
      let bytes = Array(line.utf8)
      let isSample = sample.parse(bytes.span)
      try #require(isSample, "\(line)")
      let second = sample.milliseconds / 1000
      if second != current {
        finish()
        encoder.begin(isKey: second % SecondFormat.keyInterval == 0)
        current = second
      }
      let isAdded = encoder.add(sample, of: bytes.span, at: sample.milliseconds)
      try #require(isAdded)
      written.append(try Self.stored(line, sample.milliseconds))
    }

    mutating func finish() {
      guard let current else { return }
      rows.append((current, encoder.finish(current)))
      self.current = nil
    }

    /// The members that are stored, with the time in milliseconds.
    static func stored(_ line: String, _ milliseconds: Int64) throws -> JSONValue {
      let members = try #require(try JSONValue.parse(line).members)
      let kept = members.filter { !["class", "t", "time", "age_ms"].contains($0.name) }
      let all = kept + [JSONValue.Member("t", .number(Double(milliseconds)))]
      return .object(all.sorted { $0.name < $1.name })
    }
  }

  /// Reads rows as the logbook does.
  private func read(
    _ rows: [(second: Int64, row: [UInt8])], _ streams: [RecordedStream],
    _ outcome: (Int64, SecondDecoder.Outcome) -> Void = { #expect($1 == .read, "second \($0)") }
  ) throws -> [JSONValue] {
    // From names only, as the table of streams has them.
    var decoder = SecondDecoder(
      streams: streams.map { RecordedStream(sensor: $0.sensor, kind: $0.kind, fieldNames: $0.fieldNames) })
    var lines: [[UInt8]] = []
    for (second, row) in rows {
      let known = decoder.streams
      var found: [[UInt8]] = []
      let result = decoder.decode(row.span, of: second) { sample in
        let stream = known[sample.stream]
        var line = Array("{\"sensor\":".utf8) + stream.sensor + Array(",\"kind\":".utf8) + stream.kind
        line += Array(",\"seq\":\(sample.sequence),\"t\":\(second * 1000 + Int64(sample.milliseconds))".utf8)
        for index in sample.values.indices {
          guard let value = sample.values[index] else { continue }
          line += Array(",\"".utf8) + stream.fieldNames[index] + Array("\":".utf8)
          value.write(into: &line)
        }
        found.append(line + Array("}".utf8))
      }
      outcome(second, result)
      if result == .read { lines += found }
    }
    return try lines.map { .object(try #require(try JSONValue.parse($0).members).sorted { $0.name < $1.name }) }
  }

  @Test("the samples of every capture come back with exactly their values")
  func captures() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    var count = 0
    for path in try #require(FileManager.default.enumerator(atPath: tests.path)) {
      guard let path = path as? String, path.hasSuffix(".expected") else { continue }
      let text = try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
      let lines = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(#"{"class":"sample""#) }
      var recording = Recording()
      // A stable order by time, because a decoded capture has late packets, too.
      let timed = try lines.map { line in (try JSONValue.parse(line)["t"]?.number ?? 0, line) }
      for (_, line) in timed.enumerated().sorted(by: { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }).map(
        \.element)
      {
        try recording.add(line)
      }
      recording.finish()
      #expect(try read(recording.rows, recording.encoder.streams) == recording.written, "\(path)")
      count += lines.count
    }
    #expect(count > 1500)
  }

  /// A value as the daemon may write it.
  private func value(_ generator: inout SplitMix) -> String {
    switch generator.next() % 12 {
    case 0:
      return ["null", "true", "false", "[]", "{}", "-0", "1e3", #""""#, "0.10", "9223372036854775807"]
        .pick(&generator)
    case 1: return [#""wheel""#, #""a\"b""#, #""größe""#, #""\u0000""#].pick(&generator)
    case 2: return "[\((0..<Int(generator.next() % 5)).map { _ in number(&generator) }.joined(separator: ","))]"
    case 3: return "[{\"id\":1,\"distance_m\":\(number(&generator))},null]"
    default: return number(&generator)
    }
  }

  private func number(_ generator: inout SplitMix) -> String {
    let decimals = Int(generator.next() % 8)
    let scale: Int64 = [10, 1000, 1_000_000, 999_999_999_999].pick(&generator)
    let whole = Int64.random(in: -scale...scale, using: &generator)
    var bytes: [UInt8] = []
    Decimal(mantissa: whole, decimals: decimals).write(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Samples of four sensors with changing fields, in order of time, with gaps of seconds.
  private func recording(seed: UInt64, samples: Int = 300) throws -> Recording {
    var generator = SplitMix(state: seed)
    var recording = Recording()
    var time: Int64 = Int64(generator.next() % 100_000)
    for index in 0..<samples {
      time += Int64(generator.next() % 400) + (generator.next() % 40 == 0 ? 5000 : 0)
      let fields = (0..<Int(generator.next() % 6)).map { _ in Int(generator.next() % 9) }
      let members = Set(fields).sorted().map { ",\"field_\($0)\":\(value(&generator))" }.joined()
      let sequence = generator.next() % 20 == 0 ? Int(generator.next() % 1_000_000) : index
      try recording.add(
        "{\"class\":\"sample\",\"sensor\":\"s\(generator.next() % 4)\",\"kind\":\"power\",\"seq\":\(sequence),"
          + "\"t\":\(Double(time) / 1000)\(members)}")
    }
    recording.finish()
    return recording
  }

  @Test("random values come back exactly", arguments: 1...50 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let recording = try recording(seed: seed)
    #expect(try read(recording.rows, recording.encoder.streams) == recording.written)
  }

  @Test("after a lost second the next key second can be read, and nothing is invented")
  func lost() throws {
    let recording = try recording(seed: 7)
    for removed in recording.rows.indices {
      var rows = recording.rows
      rows.remove(at: removed)
      var outcomes: [SecondDecoder.Outcome] = []
      let lines = try read(rows, recording.encoder.streams) { outcomes.append($1) }
      for (index, row) in rows.enumerated() where index >= removed {
        let isLinked = row.row[0] & SecondFormat.keyFlag != 0
        #expect(outcomes[index] == (isLinked ? .read : .unlinked))
        if isLinked { break }
      }
      #expect(lines.allSatisfy(recording.written.contains))
    }
  }

  @Test("a changed byte is found, wherever it is", arguments: 1...5 as ClosedRange<UInt64>)
  func damaged(seed: UInt64) throws {
    let recording = try recording(seed: seed, samples: 40)
    for (index, row) in recording.rows.enumerated() {
      for place in row.row.indices {
        var rows = recording.rows
        rows[index].row[place] ^= 1 << UInt8(place % 8)
        var outcomes: [SecondDecoder.Outcome] = []
        _ = try read(rows, recording.encoder.streams) { outcomes.append($1) }
        #expect(outcomes[index] == .damaged)
      }
    }
  }

  @Test("no bytes make the decoder fail", arguments: 1...50 as ClosedRange<UInt64>)
  func noise(seed: UInt64) throws {
    var generator = SplitMix(state: seed)
    let recording = try recording(seed: seed, samples: 60)
    for _ in 0..<200 {
      var rows = recording.rows
      for index in rows.indices {
        // With a valid checksum, so that the contents are read.
        var row = Array(rows[index].row.dropLast(SecondFormat.checksumLength))
        for _ in 0..<3 where row.count > SecondFormat.headLength {
          let place = Int.random(in: SecondFormat.headLength..<row.count, using: &generator)
          row[place] = UInt8.random(in: 0...255, using: &generator)
        }
        row.appendLittleEndian(CRC32.of(row.span, and: rows[index].second), count: SecondFormat.checksumLength)
        rows[index].row = row
      }
      var decoder = SecondDecoder(streams: recording.encoder.streams)
      for (second, row) in rows { _ = decoder.decode(row.span, of: second) { _ in } }
    }
  }

  @Test("a sample that comes late is in its own second, and later seconds do not change")
  func late() throws {
    var recording = Recording()
    for second in 11...14 {
      try recording.add(
        #"{"class":"sample","sensor":"w","kind":"speed","seq":\#(second),"t":\#(second).5,"speed_mps":\#(second).25}"#)
    }
    recording.finish()
    let line = Array(
      #"{"class":"sample","sensor":"w","kind":"speed","seq":3,"t":12.9,"speed_mps":0.125,"new":"a"}"#.utf8)
    for isFirst in [true, false] {
      _ = recording.sample.parse(line.span)
      let isAdded = recording.encoder.add(
        late: recording.sample, of: line.span, at: 12_900, to: &recording.rows[1].row, isFirst: isFirst)
      #expect(isAdded)
    }
    let lines = try read(recording.rows, recording.encoder.streams)
    #expect(lines.map { $0["speed_mps"]?.number } == [11.25, 12.25, 0.125, 0.125, 13.25, 14.25])
    #expect(lines[2]["new"] == "a" && lines[2]["t"] == 12900)
  }

  @Test(
    "a line that is not a sample is refused",
    arguments: [
      "", "{", "null", "[]", #"{"class":"sample"}"#, #"{"class":"state","sensor":"a","kind":"b","t":1}"#,
      #"{"class":"sample","sensor":"a","kind":"b","t":-1}"#, #"{"class":"sample","sensor":"a","kind":"b","t":"1"}"#,
      #"{"class":"sample","sensor":"a","kind":"b","t":1"#, #"{"class":"sample","sensor":"a","kind":"b","t":1} x"#,
      #"{"class":"sample","sensor":"a\"#,
    ])
  func refused(line: String) {
    var sample = SampleLine()
    let isSample = sample.parse(Array(line.utf8).span)
    #expect(!isSample)
  }

  @Test("an activity has at most 4,096 streams and 64 fields each")
  func limits() throws {
    var recording = Recording()
    for index in 0..<SecondFormat.Start.mostStreams {
      try recording.add("{\"class\":\"sample\",\"sensor\":\"\(index)\",\"kind\":\"k\",\"seq\":1,\"t\":1}")
    }
    let line = Array(#"{"class":"sample","sensor":"one more","kind":"k","seq":1,"t":1}"#.utf8)
    _ = recording.sample.parse(line.span)
    let oneMore = recording.encoder.add(recording.sample, of: line.span, at: 0)
    #expect(!oneMore)
    let many = (0..<70).map { ",\"f\($0)\":\($0)" }.joined()
    let wide = Array("{\"class\":\"sample\",\"sensor\":\"0\",\"kind\":\"k\",\"seq\":2,\"t\":1\(many)}".utf8)
    _ = recording.sample.parse(wide.span)
    let isWide = recording.encoder.add(recording.sample, of: wide.span, at: 0)
    #expect(isWide)
    recording.written.append(.null)
    recording.finish()
    #expect(try read(recording.rows, recording.encoder.streams).last?["f63"] == 63)
  }
}

extension Array {
  fileprivate func pick(_ generator: inout SplitMix) -> Element { self[Int(generator.next() % UInt64(count))] }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
