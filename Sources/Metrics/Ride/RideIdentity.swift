// The identity of a ride: an id, and when it began. The caller provides both, because this module
// has no random numbers and no calendar.

import Time

/// Stored as bytes, because they are written once a second.
public struct RideIdentity: Equatable, Sendable {
  /// Unique to the ride.
  public let id: [UInt8]
  /// The wall clock time at its beginning, as in records. Nil if the clock was not set at the time
  /// and the date is still unknown.
  public var started: [UInt8]?

  public init(id: String, started: String?) {
    self.id = Array(id.utf8)
    self.started = started.map { Array($0.utf8) }
  }
}

/// The beginning and end of a ride: its identity, and whether it was closed by hand.
struct RideEdges: Sendable {
  private(set) var identity: RideIdentity?
  /// When the ride began, if this process was running then.
  private(set) var begun: MonotonicTime?
  /// The rider closed the ride, and no other has begun.
  private(set) var isClosed: Bool
  /// After a close: when the bike last moved.
  private var movedAt: MonotonicTime?
  /// After a close: whether the bike has stood still since.
  private var hasStood = true

  /// Seconds without movement that count as a standstill after a close, for sources that do not
  /// report one.
  private static let longestSilence = 60.0

  init(_ identity: RideIdentity? = nil, isClosed: Bool = false) {
    self.identity = identity
    self.isClosed = isClosed
  }

  mutating func begin(_ identity: RideIdentity?, at time: MonotonicTime) {
    (self.identity, begun, isClosed) = (identity, time, false)
  }

  /// Sets the date once the clock is set.
  mutating func date(_ started: String) { identity?.started = Array(started.utf8) }

  mutating func close(isMoving: Bool, at time: MonotonicTime) {
    isClosed = true
    (hasStood, movedAt) = (!isMoving, isMoving ? time : nil)
  }

  mutating func stand() { hasStood = true }

  /// After a close: whether this movement begins another ride.
  mutating func opens(movingAt time: MonotonicTime) -> Bool {
    if let movedAt, time.seconds(since: movedAt) > Self.longestSilence { hasStood = true }
    movedAt = time
    return hasStood
  }
}
