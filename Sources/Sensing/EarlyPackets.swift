// Packets of companions that arrived before the first value, such as a battery level read after
// connecting. Their samples are published after it.

import SensorKit
import Time

struct EarlyPackets {
  struct Packet {
    let origin: PacketSource.Origin
    let bytes: [UInt8]
    let time: MonotonicTime
  }

  private var list: [Packet] = []

  var isEmpty: Bool { list.isEmpty }

  /// Keeps the last packet of each origin.
  mutating func keep(_ value: Span<UInt8>, from origin: PacketSource.Origin, at time: MonotonicTime) {
    list.removeAll { $0.origin == origin }
    list.append(Packet(origin: origin, bytes: value.indices.map { value[$0] }, time: time))
  }

  mutating func removeAll() { list = [] }

  mutating func popAll() -> [Packet] {
    defer { list = [] }
    return list
  }
}

extension Batch {
  /// Requests everything that the companions among these plugins read.
  mutating func readCompanions(of infos: [SensorInfo]) {
    for info in infos where info.isCompanion {
      for use in info.characteristics where use.isRead { read(use.service, use.characteristic) }
    }
  }
}
