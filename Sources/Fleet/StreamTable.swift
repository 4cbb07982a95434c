// Numbers the streams of samples, one per sensor and kind, so that an array can keep data about each.
// Finding the number of a known stream allocates nothing.

import JSON

struct StreamTable {
  /// Far more than any receiver has. It bounds the memory, whatever the daemon sends.
  static let most = 1024

  private var names: [(sensor: [UInt8], kind: [UInt8])] = []

  var count: Int { names.count }

  /// Nil if there are too many streams.
  mutating func number(_ sensor: Span<UInt8>, _ kind: Span<UInt8>) -> Int? {
    for index in names.indices where kind.isEqual(to: names[index].kind) && sensor.isEqual(to: names[index].sensor) {
      return index
    }
    guard names.count < Self.most else { return nil }
    names.append((sensor.copied, kind.copied))
    return names.count - 1
  }

  func sensor(_ number: Int) -> [UInt8] { names[number].sensor }

  func kind(_ number: Int) -> [UInt8] { names[number].kind }
}

extension Span<UInt8> {
  var copied: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes.append(self)
    return bytes
  }
}
