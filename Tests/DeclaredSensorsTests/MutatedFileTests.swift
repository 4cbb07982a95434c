// Files with random mistakes. Each one loads, or is refused with lines of the file. What a file that
// loads makes of packets fits the limits, and a refused packet leaves nothing.

import AllocationCounting
import DeclaredSensors
import SensorKit
import Testing

@Suite struct MutatedFileTests {
  /// The whole number of files is for optimized code: `swift test -c release`.
  private static let filesOfEach = allocationsAreCounted ? 1_000 : 40

  @Test("a file with mistakes loads or has problems with lines", arguments: HostilePacketTests.files)
  func mutatedFiles(_ file: DeclaredFile) throws {
    var random = Mutations(seed: UInt64(file.name.utf8.count) + 7)
    let text = try file.text
    let packets = try Self.packets(of: file)
    let words = SensorWords()
    var loaded = 0
    for _ in 0..<Self.filesOfEach {
      let changed = random.mutated(text)
      do throws(SensorFile.Problems) {
        Self.play(packets, with: try SensorFile(changed, words: words).program)
        loaded += 1
      } catch {
        let lines = changed.count { $0 == UInt8(ascii: "\n") } + 1
        #expect(!error.list.isEmpty)
        #expect(error.list.allSatisfy { 1...lines ~= $0.line && !$0.text.isEmpty })
      }
    }
    #expect(loaded > 0)
  }

  private static func packets(of file: DeclaredFile) throws -> [[UInt8]] {
    let own = try file.sessions(of: file.program()).flatMap(\.packets).map(\.bytes)
    return own.isEmpty ? (0..<20).map { length in (0..<length).map { UInt8($0) } } : own
  }

  private static func play(_ packets: [[UInt8]], with program: SensorProgram) {
    var host = PluginHost([program.plugin], settings: SensorSettings(circumferenceMM: 2096))
    var batch = Batch()
    let sender = Sender(address: "", name: "")
    let origins = program.info.origins
    for (index, packet) in packets.enumerated() {
      for origin in origins {
        batch.removeAll()
        let time = MonotonicTime(nanoseconds: Int64(index) * 500_000_000)
        do throws(DecodeError) {
          try host.decode(packet.span, from: PacketSource(origin, sender: sender), at: time, into: &batch)
          #expect(batch.entryIndices.count <= 32 && !batch.overflowed)
        } catch {
          #expect(batch.entryIndices.isEmpty)
        }
      }
    }
  }
}

/// Changes that a person who edits a file could make.
private struct Mutations {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }

  mutating func mutated(_ text: [UInt8]) -> [UInt8] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    for _ in 0...below(3) {
      let line = below(lines.count)
      switch below(5) {
      case 0: lines.remove(at: line)
      case 1: lines.insert(lines[below(lines.count)], at: line)
      case 2: lines.swapAt(line, below(lines.count))
      case 3 where !lines[line].isEmpty: lines[line][below(lines[line].count)] = UInt8(32 + below(95))
      default: if !lines[line].isEmpty { lines[line].remove(at: below(lines[line].count)) }
      }
      if lines.isEmpty { return [] }
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }
}
