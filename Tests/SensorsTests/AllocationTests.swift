// From the bytes of a notification to the line on the wire, nothing is allocated once the buffers
// have grown. This holds for optimized code: `swift test -c release --filter AllocationTests`.
// Debug builds skip these tests.

import AllocationCounting
import CAllocationCounter
import JSON
import SampleLines
import SensorKit
import Sensors
import Testing
import Time
import Vocabulary

@Suite struct AllocationTests {
  /// Decodes and encodes the frames in turn, and counts the allocations after the first 100 rounds.
  /// Times and ages have the same number of digits in every round, because a longer line may need a
  /// larger buffer.
  static func allocations(_ frames: [[UInt8]], from source: PacketSource, alsoRunning extra: () -> Void = {}) -> Int {
    var host = PluginHost(builtInPlugins.plugins, settings: SensorSettings(circumferenceMM: 2096))
    var batch = Batch()
    var samples = [EncodedSample(), EncodedSample(), EncodedSample(), EncodedSample()]
    var output = JSONWriter()
    var before = 0
    for round in 0..<1_100 {
      if round == 100 { before = allocation_count() }
      let bytes = frames[round % frames.count]
      let time = MonotonicTime(nanoseconds: 1_000_000_000_000 + Int64(round) * 250_000_000)
      batch.removeAll()
      output.removeAll()
      do throws(DecodeError) {
        try host.decode(bytes.span, from: source, at: time, into: &batch)
      } catch {
        output.refusedLine(sensor: "sensor", time: time, source: "source", error)
      }
      var next = 0
      for index in batch.entryIndices {
        let entry = batch.entry(index)
        guard case .sample(let kind) = entry.kind, next < samples.count else { continue }
        let wallTime = WallTime(seconds: 1_795_252_502 + Int64(round))
        let header = SampleHeader(
          sensor: "polar-h10-1a2b", sequence: 100_000 + round, time: time, wallTime: wallTime)
        samples[next].encode(kind, entry, of: batch, header)
        output.sample(samples[next], ageMS: 1_000 + round)
        output.endLine()
        next += 1
      }
      extra()
    }
    return allocation_count() - before
  }

  @Test(
    "decoding and encoding a frame of the vectors allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func vectorFrames() throws {
    for frame in HostileFrameTests.frames where frame.isGood {
      let source = try #require(frame.source(among: builtInPlugins.plugins))
      #expect(Self.allocations([frame.bytes], from: source) == 0, "\(frame.characteristic) \(frame.hex)")
    }
  }

  /// Refused frames are left out, because Swift Testing allocates for every error that is thrown.
  @Test(
    "decoding and encoding a captured frame allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func capturedFrames() {
    for frame in CaptureFrame.all {
      for source in frame.sources where frame.isStreamed(from: source) {
        #expect(Self.allocations([frame.bytes], from: source) == 0, "\(frame)")
      }
    }
  }

  /// Counters that move take other paths through the code than counters that stand still.
  @Test(
    "moving counters allocate nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"),
    arguments: [(0x1816, 0x2a5b, [0x03]), (0x1818, 0x2a63, [0x30, 0x00, 0x64, 0x00])] as [(UInt32, UInt32, [UInt8])])
  func movingCounters(_ row: (service: UInt32, characteristic: UInt32, start: [UInt8])) {
    let source = PacketSource(
      .notified(service: BluetoothUUID(row.service), characteristic: BluetoothUUID(row.characteristic)),
      sender: Sender(address: "", name: ""))
    let ticks = row.service == 0x1818 ? 512 : 256
    let frames = (1...1_100).map { round in
      row.start + [round, 0, round * ticks, round, round * 256].flatMap(Self.littleEndian)
    }
    #expect(Self.allocations(frames, from: source) == 0)
  }

  /// The lower 16 bits.
  private static func littleEndian(_ number: Int) -> [UInt8] { [UInt8(number & 0xff), UInt8(number >> 8 & 0xff)] }

  /// Without this test, a counter that does not count would pass the others.
  @Test(
    "an allocation is counted",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"))
  func allocationIsCounted() {
    let source = PacketSource(
      .notified(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37)),
      sender: Sender(address: "", name: ""))
    var waste: [[Int]] = []
    let count = Self.allocations([[0x00, 0x48]], from: source) { waste = [[waste.count]] }
    #expect(count >= 1_000)
  }
}
