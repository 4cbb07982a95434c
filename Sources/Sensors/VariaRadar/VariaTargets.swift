// The targets of one packet or piece: at most six, of three bytes each, without placeholders.

import SensorKit

struct VariaTarget {
  static let size = 3
  private static let noDistance: UInt8 = 255
  /// An 820 only sends 0 and 1, whatever a car does, so these are not speeds.
  private static let slowestRaw: UInt8 = 2
  private static let mpsOfRaw = 0.25
  private static let fastMps = 14.0

  var id: UInt8 = 0
  var distance: UInt8 = 0
  var speed: UInt8 = 0

  @inline(__always)
  var isPlaceholder: Bool { distance == Self.noDistance || distance | speed == 0 }

  @inline(never)
  func append(to batch: inout Batch) {
    let approach = speed < Self.slowestRaw ? nil : Double(speed) * Self.mpsOfRaw
    batch.append(
      RadarTarget(
        id: id, distanceM: Double(distance), speedRaw: speed, approachSpeedMps: approach,
        level: (approach ?? 0) > Self.fastMps ? 2 : 1))
  }
}

/// The targets of a first piece. Functions that read them are mutating, so that they are read in
/// place and not copied.
struct VariaTargets {
  private static let header = 1
  private static let capacity = 6

  private var targets = InlineArray<6, VariaTarget>(repeating: VariaTarget())
  private var count = 0

  var isEmpty: Bool { count == 0 }

  /// Stores the targets of a piece with a checked length.
  mutating func keep(_ value: Span<UInt8>) {
    count = 0
    Self.each(in: value) { target in
      targets[count] = target
      count += 1
    }
  }

  @inline(__always)
  static func checkLength(_ value: Span<UInt8>) throws(DecodeError) {
    let length = value.count - header
    let excess = length % VariaTarget.size
    guard excess == 0 else { throw DecodeError(.badLength, at: value.count - excess) }
    guard length <= capacity * VariaTarget.size else {
      throw DecodeError(.badLength, at: header + capacity * VariaTarget.size)
    }
  }

  /// Visits the targets in place.
  @inline(__always)
  static func each(in value: Span<UInt8>, _ body: (VariaTarget) -> Void) {
    var start = header
    while let target = next(in: value, &start) { body(target) }
  }

  @inline(__always)
  static func isClear(_ value: Span<UInt8>) -> Bool {
    var start = header
    return next(in: value, &start) == nil
  }

  /// The next target that is not a placeholder.
  @inline(__always)
  private static func next(in value: Span<UInt8>, _ start: inout Int) -> VariaTarget? {
    while start + VariaTarget.size <= value.count {
      let target = VariaTarget(id: value[start], distance: value[start + 1], speed: value[start + 2])
      start += VariaTarget.size
      if !target.isPlaceholder { return target }
    }
    return nil
  }

  mutating func append(to batch: inout Batch) {
    for index in 0..<count { targets[index].append(to: &batch) }
  }

  /// Publishes these targets, updated from the later piece, and then those that only the later
  /// piece has.
  mutating func append(to batch: inout Batch, completedBy later: Span<UInt8>) {
    for index in 0..<count { (Self.last(targets[index].id, in: later) ?? targets[index]).append(to: &batch) }
    Self.each(in: later) { target in
      if !contains(target.id) { target.append(to: &batch) }
    }
  }

  private mutating func contains(_ id: UInt8) -> Bool {
    for index in 0..<count where targets[index].id == id { return true }
    return false
  }

  private static func last(_ id: UInt8, in value: Span<UInt8>) -> VariaTarget? {
    var last: VariaTarget?
    each(in: value) { target in if target.id == id { last = target } }
    return last
  }
}
