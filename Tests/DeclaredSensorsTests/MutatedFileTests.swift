// Files with random mistakes. Each one loads, or is refused with lines of the file. What a file that
// loads makes of packets, its own and those of all other sensors, fits the limits. A refused packet
// leaves nothing.

import AllocationCounting
import CaptureFormat
import DeclaredSensors
import Foundation
import SensorKit
import Testing

@Suite struct MutatedFileTests {
  /// The whole number of files, more than 10,000, is for optimized code, as in `make test`.
  private static let filesOfEach = allocationsAreCounted ? 10_000 / HostilePacketTests.files.count + 1 : 20

  /// The packets of the captures of all built-in sensors.
  private static let foreignPackets: [[UInt8]] = {
    let folder = DeclaredFile.root.deletingLastPathComponent().appending(path: "Captures")
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    var packets: Set<[UInt8]> = []
    for name in names where name.hasSuffix(".capture") {
      let text = (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") {
        guard case .event(_, _, let event)? = try? CaptureLine.parse(String(line)) else { continue }
        switch event {
        case .value(_, _, let bytes), .advert(_, let bytes), .serviceData(_, let bytes): packets.insert(bytes)
        case .connected, .disconnected: break
        }
      }
    }
    return packets.sorted { $0.lexicographicallyPrecedes($1) }
  }()

  @Test("a file with mistakes loads or has problems with lines", arguments: HostilePacketTests.files)
  func mutatedFiles(_ file: DeclaredFile) throws {
    var random = Mutations(seed: UInt64(file.name.utf8.count) + 7)
    let text = try file.text
    let packets = try Self.packets(of: file)
    let words = SensorWords()
    var loaded = 0
    var batch = Batch()
    #expect(Self.foreignPackets.count > 500)
    for _ in 0..<Self.filesOfEach {
      let changed = random.mutated(text)
      let lines = changed.count { $0 == UInt8(ascii: "\n") } + 1
      do throws(SensorFile.Problems) {
        let program = try SensorFile(changed, words: words).program
        if let violation = Self.violation(of: program, packets, lines: lines, &batch) {
          Issue.record("\(violation): \(String(decoding: changed, as: UTF8.self))")
          break
        }
        loaded += 1
      } catch {
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

  /// The first packet that exceeds a limit, or is refused with a trace or without a line of the file.
  private static func violation(of program: SensorProgram, _ own: [[UInt8]], lines: Int, _ batch: inout Batch)
    -> String?
  {
    let settings = SensorSettings(circumferenceMM: 2096)
    let tally = PacketTally()
    let explaining = Plugin(program.info) { ExplainingDecoder(program, settings: $0, countingIn: tally) }
    var explainingHost = PluginHost([explaining], settings: settings)
    var host = PluginHost([program.plugin], settings: settings)
    for (packets, isOwn) in [(own, true), (foreignPackets, false)] {
      for (index, packet) in packets.enumerated() {
        for origin in program.info.origins {
          let time = MonotonicTime(nanoseconds: Int64(index) * 500_000_000)
          let refused = tally.refused
          let isWithin =
            isOwn
            ? play(packet, from: origin, at: time, &explainingHost, &batch)
              && (tally.refused == refused || tally.line.map { 1...lines ~= $0 } ?? !program.receives(from: origin))
            : play(packet, from: origin, at: time, &host, &batch)
          if !isWithin { return "\(packet) from \(origin)" }
        }
      }
    }
    return nil
  }

  private static let sender = Sender(address: "", name: "")

  private static func play(
    _ packet: [UInt8], from origin: PacketSource.Origin, at time: MonotonicTime, _ host: inout PluginHost,
    _ batch: inout Batch
  ) -> Bool {
    batch.removeAll()
    do throws(DecodeError) {
      try host.decode(packet.span, from: PacketSource(origin, sender: sender), at: time, into: &batch)
      let fields = batch.entryIndices.reduce(0) { $0 + batch.entry($1).fields.count }
      return batch.entryIndices.count <= 32 && fields <= 128 && !batch.overflowed && batch.actions.isEmpty
    } catch {
      return batch.entryIndices.isEmpty && batch.actions.isEmpty
    }
  }
}

extension SensorProgram {
  fileprivate func receives(from origin: PacketSource.Origin) -> Bool {
    switch origin {
    case .notified(let service, let characteristic), .indicated(let service, let characteristic),
      .read(let service, let characteristic):
      sources.contains { $0.service == service && $0.characteristic == characteristic }
    case .manufacturer, .serviceData: true
    }
  }
}

/// Changes that a person who edits a file could make.
private struct Mutations: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 { UInt64(below(1 << 31)) << 33 | UInt64(below(1 << 31)) }

  private mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }

  mutating func mutated(_ text: [UInt8]) -> [UInt8] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    for _ in 0...below(3) {
      let line = below(lines.count)
      switch below(7) {
      case 0: lines.remove(at: line)
      case 1: lines.insert(lines[below(lines.count)], at: line)
      case 2: lines.swapAt(line, below(lines.count))
      case 3 where !lines[line].isEmpty: lines[line][below(lines[line].count)] = UInt8(32 + below(95))
      case 4:
        if let word = words(of: lines[below(lines.count)]).randomElement(using: &self) {
          replaceWord(in: &lines[line], word)
        }
      case 5:
        if let number = [0, 1, -1, 255, 65_535, 4_294_967_296].randomElement(using: &self) {
          replaceWord(in: &lines[line], Array("\(number)".utf8))
        }
      default: if !lines[line].isEmpty { lines[line].remove(at: below(lines[line].count)) }
      }
      if lines.isEmpty { return [] }
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }

  private func words(of line: [UInt8]) -> [[UInt8]] {
    line.split(separator: UInt8(ascii: " ")).map { Array($0) }
  }

  private mutating func replaceWord(in line: inout [UInt8], _ word: [UInt8]) {
    var own = words(of: line)
    if own.isEmpty { return }
    own[below(own.count)] = word
    line = Array(own.joined(separator: [UInt8(ascii: " ")]))
  }
}
