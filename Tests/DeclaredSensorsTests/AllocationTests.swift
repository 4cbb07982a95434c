// Decoding by a file allocates nothing once the batch has grown. This holds for optimized code:
// `swift test -c release --filter DeclaredSensorsTests`.

import AllocationCounting
import CAllocationCounter
import DeclaredSensors
import SensorKit
import Testing

@Suite struct AllocationTests {
  @Test(
    "decoding a packet of the vectors and captures allocates nothing",
    .enabled(if: allocationsAreCounted, "debug code and sanitizers allocate for themselves"),
    arguments: DeclaredFile.all)
  func knownPackets(_ file: DeclaredFile) throws {
    let program = try file.program()
    let sessions = try file.sessions(of: program)
    var measured = 0
    for session in sessions {
      // Swift Testing allocates for every error that is thrown.
      let packets = Self.accepted(session, program)
      if packets.isEmpty { continue }
      var host = PluginHost([program.plugin], settings: session.settings, name: session.sender.name)
      var batch = Batch()
      var isRefused = false
      var before = 0
      for round in 0..<1_100 {
        if round == 100 { before = allocation_count() }
        let packet = packets[round % packets.count]
        batch.removeAll()
        do throws(DecodeError) {
          try host.decode(
            packet.bytes.span, from: packet.source, at: MonotonicTime(nanoseconds: Int64(round) * 250_000_000),
            into: &batch)
        } catch {
          isRefused = true
        }
      }
      // Counted here, because the expectation allocates.
      let allocations = allocation_count() - before
      if isRefused { continue }
      measured += 1
      #expect(allocations == 0, "\(session.name)")
    }
    #expect(measured > 0 || sessions.isEmpty)
  }

  private static func accepted(_ session: PacketSession, _ program: SensorProgram) -> [PacketSession.Packet] {
    var host = PluginHost([program.plugin], settings: session.settings, name: session.sender.name)
    var batch = Batch()
    return session.packets.filter { packet in
      batch.removeAll()
      do throws(DecodeError) {
        try host.decode(packet.bytes.span, from: packet.source, at: packet.time, into: &batch)
        return true
      } catch {
        return false
      }
    }
  }
}
