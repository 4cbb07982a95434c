// What the reader makes of files that our writer never produces, and of noise.

import ActivityFiles
import ActivityVectors
import Testing
import Time

@Suite struct FITReaderTests {
  private let start: UInt32 = 1_146_413_700

  @Test("values in either byte order are the same")
  func byteOrder() throws {
    var file = FITFile()
    file.fileID()
    file.define(1, 20, [(253, 4, 0x86), (7, 2, 0x84), (73, 4, 0x86)], bigEndian: true)
    file.message(1, uint32(start, bigEndian: true), uint16(203, bigEndian: true), uint32(7000, bigEndian: true))
    file.define(1, 20, [(253, 4, 0x86), (7, 2, 0x84), (73, 4, 0x86)])
    file.message(1, uint32(start + 1), uint16(203), uint32(7000))
    let points = try read(file.bytes, with: FITReader()).points
    #expect(points.map(\.t) == [0, 1])
    #expect(points.allSatisfy { $0[.power] == 203 && $0[.speed] == 7 })
  }

  @Test("compressed times count from the last whole one, over the end of their five bits")
  func compressedTimes() throws {
    var file = FITFile()
    file.fileID()
    file.defineHeartRate()
    file.define(2, 20, [(3, 1, 2)])
    file.message(0x80 | 2 << 5 | 9, [120])
    file.heartRate(130, at: start)
    for step in [1, 20, 31] as [UInt32] {
      file.message(0x80 | 2 << 5 | UInt8((start + step) & 0x1f), [UInt8(130 + step)])
    }
    let points = try read(file.bytes, with: FITReader()).points
    #expect(points.map(\.t) == [0, 1, 20, 31])
    #expect(points.map { $0[.heartRate] } == [130, 131, 150, 161])
  }

  @Test("speed and distance in three bytes are read, over the end of their range")
  func compressedDistance() throws {
    var file = FITFile()
    file.fileID()
    file.define(1, 20, [(253, 4, 0x86), (8, 3, 0x0d)])
    // 7 m/s; 255 m, then 257 m, which is 1 m again.
    for (time, distance) in [(0, 4080), (1, 16)] as [(UInt32, Int)] {
      file.message(1, uint32(start + time), [0xbc, UInt8(0x02 | (distance & 0x0f) << 4), UInt8(distance >> 4)])
    }
    let points = try read(file.bytes, with: FITReader()).points
    #expect(points.map { $0[.speed] } == [7, 7] && points.map { $0[.distance] } == [0, 2])
  }

  @Test("a date of 64 bits that is out of range is not a date")
  func longDate() throws {
    var file = FITFile()
    file.fileID()
    file.define(1, 20, [(253, 8, 0x8e), (3, 1, 2)])
    file.message(1, uint32(0), uint32(0x8000_0000), [120])
    file.message(1, uint32(.max), uint32(0x7fff_fff0), [121])
    file.message(1, uint32(start), uint32(0), [122])
    #expect(try read(file.bytes, with: FITReader()).points.map { $0[.heartRate] } == [122])
  }

  @Test("each file of a chain is an activity")
  func chain() throws {
    let ride = try writeFIT(Vector.ride("ride.json"))
    let result = try read(ride + ride, with: FITReader(), inPieces: 100)
    #expect(result.headers.count == 2 && result.summaries.count == 2 && result.warnings.isEmpty)
    #expect(try read(ride, with: FITReader()).items.count * 2 == result.items.count)
  }

  @Test("a summary before the records starts the activity")
  func summaryFirst() throws {
    var file = FITFile()
    file.fileID()
    file.define(2, 18, [(2, 4, 0x86), (7, 4, 0x86), (5, 1, 0)])
    file.message(2, uint32(start), uint32(60_000), [1])
    file.defineHeartRate()
    file.heartRate(140, at: start + 5)
    let result = try read(file.bytes, with: FITReader())
    #expect(result.headers.first?.start == WallTime(seconds: 631_065_600 + Int64(start)))
    #expect(result.points.map(\.t) == [5])
    #expect(result.summaries.map(\.elapsed) == [60] && result.summaries.first?.sport == .running)
  }

  @Test("the times in zones of a session count if no other message has them")
  func zonesOfSession() throws {
    var file = FITFile()
    file.fileID()
    file.defineHeartRate()
    file.heartRate(140, at: start)
    file.define(2, 18, [(2, 4, 0x86), (7, 4, 0x86), (65, 8, 0x86)])
    file.message(2, uint32(start), uint32(60_000), uint32(20_000), uint32(40_000))
    var zones = ActivityZones(span: .activity)
    zones.heartRate = ActivityZones.Times(seconds: [20, 40], upperBounds: [])
    #expect(try read(file.bytes, with: FITReader()).items.contains(.zones(zones)))
  }

  @Test("an activity without records, entered by hand, is kept")
  func byHand() throws {
    var header = ActivityHeader(start: WallTime(seconds: 1_777_824_900))
    header.sport = .swimming
    var summary = ActivitySummary(start: 0, elapsed: 1800)
    summary[.distance] = 1500
    let result = try read(writeFIT([.header(header), .summary(summary)]), with: FITReader())
    #expect(result.points.isEmpty && result.events.isEmpty && result.laps.count == 1)
    #expect(result.summaries.first?.sport == .swimming && result.summaries.first?[.distance] == 1500)
  }

  @Test("a change of the clock leaves no gap, and earlier records are dropped")
  func clock() throws {
    var file = FITFile()
    file.fileID()
    file.defineHeartRate()
    for time in [0, 1, 2, 1, 100_000_000, 100_000_001, 50, 51] as [UInt32] { file.heartRate(130, at: start + time) }
    let result = try read(file.bytes, with: FITReader())
    #expect(result.points.map(\.t) == [0, 1, 2, 3, 4, 5, 6])
    #expect(result.warnings.count == 2)
  }

  @Test("developer fields have meaning by their name or by the field that they stand for")
  func developerFields() throws {
    var file = FITFile()
    file.fileID()
    file.define(3, 206, [(0, 1, 2), (1, 1, 2), (2, 1, 2), (14, 2, 0x84), (15, 1, 2), (3, 18, 7)])
    file.message(3, [9, 1, 0x88], uint16(20), [255], Array("core_temperature".utf8), [0, 0])
    file.message(3, [9, 2, 0x02], uint16(20), [57], Array("Saturated percent".utf8), [0])
    file.message(3, [9, 3, 0x02], uint16(20), [255], Array("Own invention".utf8), [0, 0, 0, 0, 0])
    file.define(1, 20, [(253, 4, 0x86)], developer: [(1, 4, 9), (2, 1, 9), (3, 1, 9), (4, 2, 9)])
    file.message(1, uint32(start), uint32(Float(37.5).bitPattern), [61], [1], [2, 3])
    let result = try read(file.bytes, with: FITReader())
    #expect(result.points.first?[.coreTemperature] == 37.5 && result.points.first?[.muscleOxygen] == 61)
    #expect(result.omissions == ["developer field Own invention"])
  }

  @Test("what the model does not have is listed once")
  func omissions() throws {
    var file = FITFile()
    file.fileID()
    for _ in 0..<3 {
      file.define(1, 20, [(253, 4, 0x86), (3, 1, 2), (107, 2, 0x84)])
      file.define(2, 325, [(0, 1, 2)])
      file.message(2, [7])
    }
    file.message(1, uint32(start), [140], uint16(1))
    let result = try read(file.bytes, with: FITReader())
    #expect(result.omissions == ["field 107 of record", "message 325"])
    #expect(result.warnings.isEmpty)
  }

  @Test("a heart rate of 0 is unknown, and a power below 0 is 0")
  func impossibleValues() throws {
    var file = FITFile()
    file.fileID()
    file.define(1, 20, [(253, 4, 0x86), (3, 1, 2), (7, 2, 0x83)])
    file.message(1, uint32(start), [0], uint16(0xfff6))
    let point = try #require(try read(file.bytes, with: FITReader()).points.first)
    #expect(point[.heartRate] == nil && point[.power] == 0)
  }

  @Test("no bytes make the reader crash, and pieces of any size give the same items", arguments: 0..<40)
  func noise(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let ride = try writeFIT(Vector.ride("ride.json"))
    for _ in 0..<20 {
      var bytes = ride
      switch seed % 4 {
      case 0: for index in bytes.indices.dropFirst(12) { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      case 1:
        for _ in 0..<8 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
      case 2: bytes.removeSubrange(0..<0); bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
      default: bytes.removeSubrange(14..<Int.random(in: 14..<bytes.count, using: &random))
      }
      let whole = Result { () throws(ActivityFileError) in try read(bytes, with: FITReader(), inPieces: bytes.count + 1)
      }
      let size = Int.random(in: 1...200, using: &random)
      let pieces = Result { () throws(ActivityFileError) in try read(bytes, with: FITReader(), inPieces: size) }
      #expect(whole == pieces, "seed \(seed), pieces of \(size)")
      // What was read can be written.
      if let items = try? whole.get().items, items.count(where: { if case .header = $0 { true } else { false } }) == 1 {
        _ = try? writeFIT(items)
      }
    }
  }
}
