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

/// The beginning and end of a ride: its identity, when it last moved, and whether it was closed by
/// hand.
struct RideEdges: Sendable {
  private(set) var identity: RideIdentity?
  /// When the ride began, if this process was running then.
  private(set) var begun: MonotonicTime?
  /// The rider closed the ride, and no other has begun.
  private(set) var isClosed: Bool
  /// When the bike last moved or the rider began the ride; nil before that.
  private(set) var lastMoved: MonotonicTime?
  /// The id of the next ride that begins.
  private var nextID: String?
  /// After a close: when the bike last moved.
  private var movedAt: MonotonicTime?
  /// After a close: whether the bike has stood still since.
  private var hasStood = true

  /// Seconds without movement that count as a standstill after a close, for sources that do not
  /// report one.
  private static let longestSilence = 60.0

  init(_ identity: RideIdentity?, isClosed: Bool, lastMoved: MonotonicTime?, nextID: String?) {
    (self.identity, self.isClosed, self.lastMoved, self.nextID) = (identity, isClosed, lastMoved, nextID)
    // A ride saved by an earlier release gets an id now; when it began is unknown.
    if identity == nil, lastMoved != nil { identify() }
  }

  /// Whether the id of the next ride has to be provided.
  var needsID: Bool { nextID == nil }

  mutating func provide(id: String) { nextID = id }

  private mutating func identify() {
    identity = nextID.map { RideIdentity(id: $0, started: nil) }
    nextID = nil
  }

  /// When the ride began, if its date is not known yet.
  var undated: MonotonicTime? { identity.flatMap { $0.started == nil ? begun : nil } }

  func isRiding(at time: MonotonicTime, longestBreak: Double) -> Bool {
    guard !isClosed, let lastMoved else { return false }
    return time.seconds(since: lastMoved) <= longestBreak
  }

  mutating func begin(at time: MonotonicTime) {
    identify()
    (begun, isClosed, lastMoved) = (time, false, time)
  }

  /// What a movement means for the ride.
  enum Movement: Sendable { case goesOn, begins, beginsAfterBreak }

  mutating func move(at time: MonotonicTime, longestBreak: Double) -> Movement {
    if isClosed {
      guard opens(movingAt: time) else { return .goesOn }
      begin(at: time)
      return .begins
    }
    guard let before = lastMoved else {
      begin(at: time)
      return .goesOn
    }
    lastMoved = time
    guard time.seconds(since: before) > longestBreak else { return .goesOn }
    begin(at: time)
    return .beginsAfterBreak
  }

  mutating func moved(at time: MonotonicTime) { lastMoved = time }

  /// Sets the date once the clock is set.
  mutating func date(_ started: String) { identity?.started = Array(started.utf8) }

  mutating func close(isMoving: Bool, at time: MonotonicTime) {
    isClosed = true
    (hasStood, movedAt) = (!isMoving, isMoving ? time : nil)
  }

  mutating func stand() { hasStood = true }

  /// After a close: whether this movement begins another ride.
  private mutating func opens(movingAt time: MonotonicTime) -> Bool {
    if let movedAt, time.seconds(since: movedAt) > Self.longestSilence { hasStood = true }
    movedAt = time
    return hasStood
  }
}
