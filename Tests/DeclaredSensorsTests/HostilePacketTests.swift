// Packets that no sensor sends: cut, extended, with a changed byte, and noise. Each is read whole or
// refused without a trace.

import DeclaredSensors
import JSON
import SensorKit
import Testing

@Suite struct HostilePacketTests {
  static let files = DeclaredFile.all + RewrittenSensor.all.map { DeclaredFile(name: $0.file) }

  @Test("a refused packet changes nothing, and what is read fits the limits", arguments: DeclaredFile.all)
  func hostilePackets(_ file: DeclaredFile) throws {
    let program = try file.program()
    for vector in try file.vectors() {
      var host = PluginHost([program.plugin], settings: vector.settings, name: vector.sender.name)
      var sheltered = PluginHost([program.plugin], settings: vector.settings, name: vector.sender.name)
      var batch = Batch()
      for packet in vector.packets {
        let source = try packet.source(host, vector.sender)
        for bytes in Self.variants(of: packet.bytes) {
          // Variants that are accepted would move counters, so each has its own copy.
          var copy = host
          if Self.outcome(bytes, source, packet.time, &copy, &batch) == nil {
            _ = Self.outcome(bytes, source, packet.time, &host, &batch)
            #expect(batch.entryIndices.isEmpty)
          }
        }
        let expected = Self.outcome(packet.bytes, source, packet.time, &sheltered, &batch)
        #expect(Self.outcome(packet.bytes, source, packet.time, &host, &batch) == expected, "\(vector)")
      }
    }
  }

  @Test("noise of any length is refused or gives records", arguments: files)
  func noise(_ file: DeclaredFile) throws {
    let program = try file.program()
    var host = PluginHost([program.plugin], settings: SensorSettings(circumferenceMM: 2096), name: "BR")
    var batch = Batch()
    let sender = Sender(address: "", name: "BR")
    var seed: UInt64 = 1
    func random() -> UInt8 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: seed >> 33)
    }
    let origins =
      program.info.characteristics.map {
        PacketSource.Origin.notified(service: $0.service, characteristic: $0.characteristic)
      } + [.manufacturer(0x0499), .manufacturer(0x0100), .manufacturer(0x00ac), .manufacturer(0x0828)]
    for round in 0..<500 {
      let bytes = (0..<Int(random()) % 40).map { _ in random() }
      let source = PacketSource(origins[round % origins.count], sender: sender)
      _ = Self.outcome(bytes, source, MonotonicTime(seconds: Double(round)), &host, &batch)
    }
  }

  @Test("every first byte, which often has flags, gives records or a refusal", arguments: DeclaredFile.all)
  func firstBytes(_ file: DeclaredFile) throws {
    let program = try file.program()
    var batch = Batch()
    var accepted = 0
    for vector in try file.vectors() {
      guard let packet = vector.packets.first, !packet.bytes.isEmpty else { continue }
      var host = PluginHost([program.plugin], settings: vector.settings, name: vector.sender.name)
      let source = try packet.source(host, vector.sender)
      for first in 0...255 {
        let bytes = [UInt8(first)] + packet.bytes.dropFirst()
        if Self.outcome(bytes, source, packet.time, &host, &batch) != nil { accepted += 1 }
      }
    }
    #expect(accepted > 0)
  }

  /// What it publishes, or nil if it is refused.
  private static func outcome(
    _ bytes: [UInt8], _ source: PacketSource, _ time: MonotonicTime, _ host: inout PluginHost, _ batch: inout Batch
  ) -> [JSONValue]? {
    batch.removeAll()
    do throws(DecodeError) {
      try host.decode(bytes.span, from: source, at: time, into: &batch)
    } catch {
      #expect(0...max(511, bytes.count) ~= error.offset)
      return nil
    }
    do {
      return try records(of: batch)
    } catch {
      Issue.record("no record: \(error)")
      return nil
    }
  }

  private static func variants(of bytes: [UInt8]) -> [[UInt8]] {
    var variants = (0..<max(1, bytes.count)).map { Array(bytes.prefix($0)) }
    variants.append(bytes + [0])
    for index in bytes.indices {
      for change in [0x01, 0x80, 0xff] as [UInt8] {
        var other = bytes
        other[index] ^= change
        variants.append(other)
      }
    }
    return variants
  }
}
