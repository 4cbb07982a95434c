// The payload of the topic `status`: the birth of a receiver, its last will, and how it is between
// them.

import JSON
public import Time
public import Wire

public enum ReceiverState: String, CaseIterable, Sendable {
  case online
  case offline
  /// The bridge runs, but has no daemon.
  case blind
}

/// Ties the clock of `t` to the wall clock.
public struct ClockReading: WireObject {
  /// Readings that differ by less do not mean that the clock was set. What is read is right to 100
  /// ms.
  static let tolerance = Duration.milliseconds(50)

  public private(set) var t = MonotonicTime(nanoseconds: 0)
  public private(set) var time = WallTime(seconds: 0)
  /// Whether a time server has set the clock.
  public private(set) var isSynchronized = false

  public init() {}

  public init(t: MonotonicTime, time: WallTime, isSynchronized: Bool) {
    (self.t, self.time, self.isSynchronized) = (t, time, isSynchronized)
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("t", &t)
    members.needed("time", &time)
    members.member("synchronized", &isSynchronized)
  }

  /// Whether the clock was not set between the two.
  public func agrees(with other: ClockReading) -> Bool {
    guard isSynchronized == other.isSynchronized else { return false }
    return !time.differs(from: other.time - (other.t - t), byMoreThan: Self.tolerance)
  }
}

/// What waits on the receiver.
public struct SpoolCount: WireObject {
  public private(set) var records = 0

  public init() {}

  public init(records: Int) { self.records = records }

  public mutating func visit(_ members: inout Members) { members.needed("records", &records) }
}

public struct ReceiverStatus: WireObject {
  public var state = WireWord<ReceiverState>(.offline)
  /// `stopped` if the bridge ended by itself.
  public var reason: String?
  public var protocolVersion: String?
  public var release: String?
  /// Of the daemon.
  public var instance: String?
  /// The boot of the computer, on whose clock `t` counts.
  public var boot: String?
  /// When the bridge connected to the broker.
  public var since: WallTime?
  /// Nil while the clock is not set.
  public var clock: ClockReading?
  /// How many sensors there are, and how many of them send values. Nil until the daemon has listed them.
  public var counts: StatusReply.Counts?
  public var spool: SpoolCount?

  public init() {}

  public init(_ state: ReceiverState) { self.state = WireWord(state) }

  /// What the broker publishes if the receiver is lost.
  public static let will = ReceiverStatus(.offline)

  /// What the bridge publishes before it ends.
  public static var farewell: ReceiverStatus {
    var status = will
    status.reason = "stopped"
    return status
  }

  public mutating func visit(_ members: inout Members) {
    members.needed("state", &state)
    members.member("reason", &reason)
    members.member("protocol", &protocolVersion)
    members.member("release", &release)
    members.member("instance", &instance)
    members.member("boot", &boot)
    members.member("since", &since)
    members.member("clock", &clock)
    members.member("counts", &counts)
    members.member("spool", &spool)
  }
}

extension WireValue {
  /// Its text, as the payload of a message.
  public var payload: [UInt8] {
    var writer = JSONWriter()
    write(into: &writer)
    return writer.bytes
  }
}
