// The packets that came from one source of a device, and what their bytes were.

import CaptureFormat
import SensorKit
import Vocabulary

struct ObservedSource {
  enum Origin: Equatable {
    case characteristic(service: BluetoothUUID, BluetoothUUID)
    case company(UInt16)
    case serviceData(BluetoothUUID)
  }

  let origin: Origin
  private(set) var isRead = false
  private(set) var isNotified = false
  private(set) var isIndicated = false
  private(set) var count = 0
  private(set) var lengths = (shortest: Int.max, longest: 0)
  private(set) var bytes: [ObservedByte] = []
  /// Whether all packets are text.
  private(set) var isText = true

  init(_ origin: Origin) { self.origin = origin }

  /// `verb` is nil for advertisements.
  mutating func add(_ packet: [UInt8], by verb: CaptureEvent.Verb? = nil) {
    switch verb {
    case .read: isRead = true
    case .notify: isNotified = true
    case .indicate: isIndicated = true
    case .write, nil: break
    }
    count += 1
    lengths = (min(lengths.shortest, packet.count), max(lengths.longest, packet.count))
    for (index, byte) in packet.enumerated() {
      if index == bytes.count { bytes.append(ObservedByte(byte)) }
      bytes[index].add(byte)
    }
    let letters = packet.reversed().drop { $0 == 0 }
    if letters.isEmpty || !letters.allSatisfy({ 0x20..<0x7f ~= $0 }) { isText = false }
  }
}

struct ObservedByte {
  private(set) var lowest: UInt8
  private(set) var highest: UInt8
  private var last: UInt8
  private var changes = 0

  init(_ byte: UInt8) { (lowest, highest, last) = (byte, byte, byte) }

  mutating func add(_ byte: UInt8) {
    if byte != last { changes += 1 }
    (lowest, highest, last) = (min(lowest, byte), max(highest, byte), byte)
  }

  /// `always 16`, `0 to 255, changed 12 times`
  var text: String {
    if changes == 0 { return "always \(lowest)" }
    return "\(lowest) to \(highest), changed \(changes == 1 ? "once" : "\(changes) times")"
  }
}
