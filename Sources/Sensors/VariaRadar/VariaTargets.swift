// The targets of one packet or piece: at most six, of three bytes each. Placeholders are not among them.

import SensorKit

struct VariaTargets {
  private static let bytesOfTarget = 3
  private static let capacity = 6
  private static let noDistance: UInt8 = 255
  /// An 820 sends 0 and 1 whatever a car does: they are no speeds.
  private static let slowestRaw: UInt8 = 2
  private static let mpsOfRaw = 0.25
  private static let fastMps = 14.0

  private struct Entry {
    var id: UInt8 = 0
    var distance: UInt8 = 0
    var speed: UInt8 = 0

    var isPlaceholder: Bool { distance == VariaTargets.noDistance || distance == 0 && speed == 0 }
  }

  private var entries = InlineArray<6, Entry>(repeating: Entry())
  private var count = 0

  var isEmpty: Bool { count == 0 }

  /// Reads what follows the header.
  @inline(__always)
  init(_ value: Span<UInt8>, _ cursor: inout ByteCursor) throws(DecodeError) {
    let length = cursor.remaining(value)
    let excess = length % Self.bytesOfTarget
    guard excess == 0 else { throw DecodeError(.badLength, at: value.count - excess) }
    guard length <= Self.capacity * Self.bytesOfTarget else {
      throw DecodeError(.badLength, at: cursor.offset + Self.capacity * Self.bytesOfTarget)
    }
    while cursor.remaining(value) > 0 {
      let entry = Entry(
        id: try cursor.uint8(value), distance: try cursor.uint8(value), speed: try cursor.uint8(value))
      guard !entry.isPlaceholder else { continue }
      entries[count] = entry
      count += 1
    }
  }

  @inline(__always)
  func publish(in batch: inout Batch) {
    batch.radar(isClear: isEmpty)
    for index in 0..<count { batch.append(Self.target(entries[index])) }
  }

  /// These targets, each with what a later piece says of it.
  func append(to batch: inout Batch, updatedBy later: VariaTargets) {
    for index in 0..<count { batch.append(Self.target(later.entry(entries[index].id) ?? entries[index])) }
  }

  /// These targets, but for those that an earlier piece had.
  func append(to batch: inout Batch, unlessIn earlier: VariaTargets?) {
    for index in 0..<count where earlier?.entry(entries[index].id) == nil {
      batch.append(Self.target(entries[index]))
    }
  }

  private func entry(_ id: UInt8) -> Entry? {
    for index in (0..<count).reversed() where entries[index].id == id { return entries[index] }
    return nil
  }

  private static func target(_ entry: Entry) -> RadarTarget {
    let speed = entry.speed < slowestRaw ? nil : Double(entry.speed) * mpsOfRaw
    return RadarTarget(
      id: entry.id, distanceM: Double(entry.distance), speedRaw: entry.speed, approachSpeedMps: speed,
      level: (speed ?? 0) > fastMps ? 2 : 1)
  }
}
