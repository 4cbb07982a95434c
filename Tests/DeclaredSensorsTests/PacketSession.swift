// Packets of one device in the order in which they arrive, from a vector or a capture.

import SensorKit
import Testing

struct PacketSession: CustomTestStringConvertible, Sendable {
  struct Packet: Sendable {
    let time: MonotonicTime
    let bytes: [UInt8]
    let source: PacketSource
  }

  let name: String
  var sender: Sender
  var settings = SensorSettings()
  var packets: [Packet] = []
  var testDescription: String { name }
}
