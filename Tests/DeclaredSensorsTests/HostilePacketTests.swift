// Packets that no sensor sends: cut, extended, with a changed byte, and noise. Each is read whole or
// refused without a trace.

import DeclaredSensors
import JSON
import SensorKit
import Testing

@Suite struct HostilePacketTests {
  static let files = DeclaredFile.all

  @Test("a refused packet changes nothing, and what is read fits the limits", arguments: files)
  func hostilePackets(_ file: DeclaredFile) throws {
    let program = try file.program()
    for session in try file.sessions(of: program) {
      var host = PluginHost([program.plugin], settings: session.settings, name: session.sender.name)
      var sheltered = PluginHost([program.plugin], settings: session.settings, name: session.sender.name)
      var batch = Batch()
      for packet in session.packets {
        for bytes in Self.variants(of: packet.bytes) {
          // Variants that are accepted would move counters, so each has its own copy.
          var copy = host
          if Self.outcome(bytes, packet.source, packet.time, &copy, &batch) == nil {
            _ = Self.outcome(bytes, packet.source, packet.time, &host, &batch)
            #expect(batch.entryIndices.isEmpty)
          }
        }
        let expected = Self.outcome(packet.bytes, packet.source, packet.time, &sheltered, &batch)
        let found = Self.outcome(packet.bytes, packet.source, packet.time, &host, &batch)
        #expect(found == expected, "\(session.name)")
      }
    }
  }

  @Test("noise of any length is refused or gives records", arguments: files)
  func noise(_ file: DeclaredFile) throws {
    let program = try file.program()
    let pattern = program.info.adverts.first { !$0.name.isEmpty }
    let sender = Sender(address: "", name: pattern?.name ?? "")
    var host = PluginHost([program.plugin], settings: SensorSettings(circumferenceMM: 2096), name: sender.name)
    var batch = Batch()
    var seed: UInt64 = 1
    func random() -> UInt8 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: seed >> 33)
    }
    let origins = program.info.origins
    for round in 0..<500 {
      let bytes = (0..<Int(random()) % 40).map { _ in random() }
      let source = PacketSource(origins[round % origins.count], sender: sender)
      _ = Self.outcome(bytes, source, MonotonicTime(seconds: Double(round)), &host, &batch)
    }
  }

  @Test("every first byte, which often has flags, gives records or a refusal", arguments: files)
  func firstBytes(_ file: DeclaredFile) throws {
    let program = try file.program()
    var batch = Batch()
    var accepted = 0
    let sessions = try file.sessions(of: program)
    for session in sessions {
      guard let packet = session.packets.first, !packet.bytes.isEmpty else { continue }
      var host = PluginHost([program.plugin], settings: session.settings, name: session.sender.name)
      for first in 0...255 {
        let bytes = [UInt8(first)] + packet.bytes.dropFirst()
        if Self.outcome(bytes, packet.source, packet.time, &host, &batch) != nil { accepted += 1 }
      }
    }
    #expect(accepted > 0 || sessions.isEmpty)
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

extension SensorInfo {
  /// Where the packets of a sensor come from.
  var origins: [PacketSource.Origin] {
    characteristics.map { .notified(service: $0.service, characteristic: $0.characteristic) }
      + adverts.map { advert in
        switch advert.carrier {
        case .manufacturer(let company): .manufacturer(company)
        case .serviceData(let uuid): .serviceData(uuid)
        case .anyManufacturer: .manufacturer(0x1d20)
        }
      }
  }
}
