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
  /// Whether all packets are text. One letter could be any number.
  private(set) var isText = true
  /// The lengths of the packets by their first byte; nil if there are too many different ones.
  private var lengthsByFirst: [UInt8: ClosedRange<Int>]? = [:]

  /// More are hardly kinds of packets.
  private static let mostKinds = 8

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
    sort(packet)
    lengths = (min(lengths.shortest, packet.count), max(lengths.longest, packet.count))
    for (index, byte) in packet.enumerated() {
      if index == bytes.count { bytes.append(ObservedByte(byte)) }
      bytes[index].add(byte)
    }
    let letters = packet.reversed().drop { $0 == 0 }
    if letters.count < 2 || !letters.allSatisfy({ 0x20..<0x7f ~= $0 }) { isText = false }
  }
}

extension ObservedSource {
  /// It could be received, but nothing came.
  static func silent(_ origin: Origin, isIndicated: Bool) -> ObservedSource {
    var source = ObservedSource(origin)
    source.isNotified = !isIndicated
    source.isIndicated = isIndicated
    return source
  }

  private mutating func sort(_ packet: [UInt8]) {
    guard let first = packet.first, var known = lengthsByFirst else { return }
    let length = packet.count...packet.count
    known[first] = known[first].map { min($0.lowerBound, packet.count)...max($0.upperBound, packet.count) } ?? length
    lengthsByFirst = known.count > Self.mostKinds ? nil : known
  }

  /// The first bytes of the packets and their lengths, if the first byte seems to say what kind of
  /// packet it is: the lengths differ, but not among packets with the same first byte.
  var kinds: [(first: UInt8, length: Int)] {
    guard lengths.shortest < lengths.longest, let lengthsByFirst, lengthsByFirst.count > 1,
      lengthsByFirst.values.allSatisfy({ $0.count == 1 })
    else { return [] }
    return lengthsByFirst.map { ($0, $1.lowerBound) }.sorted { $0.0 < $1.0 }
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
