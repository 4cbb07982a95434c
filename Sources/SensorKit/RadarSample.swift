// A `radar` sample: all cars that the radar sees now, in the same form for all makers. `clear`
// means that there are none. It always comes from a packet, never from silence.

public import Vocabulary

/// A car, or anything else that approaches from behind.
public struct RadarTarget: Equatable, Sendable {
  public var id: UInt8
  public var distanceM: Double
  /// As sent by the radar, if its unit is disputed.
  public var speedRaw: UInt8?
  public var approachSpeedMps: Double?
  /// 0 none, 1 approaching, 2 fast approaching.
  public var level: UInt8
  public var side: Word?

  @inlinable
  public init(
    id: UInt8, distanceM: Double, speedRaw: UInt8? = nil, approachSpeedMps: Double?, level: UInt8, side: Word? = nil
  ) {
    self.id = id
    self.distanceM = distanceM
    self.speedRaw = speedRaw
    self.approachSpeedMps = approachSpeedMps
    self.level = level
    self.side = side
  }
}

extension SampleKind {
  @inlinable public static var radar: SampleKind { SampleKind("radar") }
}

extension Batch {
  /// Begins a radar sample; append its targets one by one.
  @inlinable @inline(__always)
  public mutating func radar(isClear: Bool) {
    sample(.radar)
    set(Field("clear"), isClear)
    beginObjects(Field("targets"))
  }

  /// Appends a target to the radar sample begun last.
  @inlinable @inline(__always)
  public mutating func append(_ target: RadarTarget) {
    let (level, distance) = (Double(target.level), target.distanceM)
    guard distance.isPublishable, target.approachSpeedMps?.isPublishable ?? true, storage.beginObject() else {
      return storage.overflow()
    }
    let id = StoredField(Field("id"), Double(target.id))
    // Most radars send all fields, so that one check for space is enough.
    if let raw = target.speedRaw, let speed = target.approachSpeedMps {
      storage.appendToObject([
        id, StoredField(Field("distance_m"), distance), StoredField(Field("speed_raw"), Double(raw)),
        StoredField(Field("approach_speed_mps"), speed), StoredField(Field("level"), level),
      ])
    } else {
      storage.appendToObject([id, StoredField(Field("distance_m"), distance)])
      if let raw = target.speedRaw { storage.appendToObject([StoredField(Field("speed_raw"), Double(raw))]) }
      if let speed = target.approachSpeedMps {
        storage.appendToObject([StoredField(Field("approach_speed_mps"), speed)])
      }
      storage.appendToObject([StoredField(Field("level"), level)])
    }
    if let side = target.side { set(Field("side"), side) }
  }
}
