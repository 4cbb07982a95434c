// Which ride it is: an id of its own, and when it began. Both come from outside: this module has no random numbers and no calendar.

import SensorKit

/// Bytes, because they are written once a second.
public struct RideIdentity: Equatable, Sendable {
  /// Unique to the ride.
  public let id: [UInt8]
  /// The wall clock at its beginning, as records write it. Nil if the clock was not set then and is not known yet.
  public var started: [UInt8]?

  public init(id: String, started: String?) {
    self.id = Array(id.utf8)
    self.started = started.map { Array($0.utf8) }
  }
}

/// What happens at the edges of a ride: how the next one is named, and whether the last one was closed by hand.
struct RideEdges: Sendable {
  private(set) var identity: RideIdentity?
  /// When the ride began, if that was since this process started.
  private(set) var begun: MonotonicTime?
  /// The rider closed the ride, and no other one has begun.
  private(set) var isClosed: Bool
  /// After a close: when the bike last moved.
  private var movedAt: MonotonicTime?
  /// After a close: whether the bike has stood still since.
  private var hasStood = true

  /// A closed ride also ends, without a source that shows a standstill, when nothing has moved for so many seconds.
  private static let longestSilence = 60.0

  init(_ identity: RideIdentity? = nil, isClosed: Bool = false) {
    self.identity = identity
    self.isClosed = isClosed
  }

  mutating func begin(_ identity: RideIdentity?, at time: MonotonicTime) {
    (self.identity, begun, isClosed) = (identity, time, false)
  }

  /// The clock was set later.
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
