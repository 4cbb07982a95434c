// What arrives from a device: when, how evenly, and how strongly. Updated as packets arrive, so it
// causes no wakeups of its own.

import Linux
import Radio
import Time
import Vocabulary

struct Reception {
  /// When the device last sent something by itself.
  private(set) var last = MonotonicTime(nanoseconds: 0)
  private(set) var statistics = ConnectionStatistics()
  /// Only the first characteristic that sends is counted, because each may have a pace of its own.
  private var paceSetter: BluetoothUUID?
  private var strengthIsDue = MonotonicTime(nanoseconds: 0)

  /// The shortest time between two requests to the controller, which should not be asked while it
  /// connects other sensors.
  private static let strengthInterval = Duration.seconds(60)
  private static let strengthPause = Duration.seconds(1)

  mutating func begin(at now: MonotonicTime) { last = now }

  /// `characteristic` is nil for an advert. `askForStrength` returns false if the RSSI cannot be
  /// read now.
  mutating func packet(
    from characteristic: BluetoothUUID?, at now: MonotonicTime, _ askForStrength: () -> Bool
  ) {
    last = now
    guard let characteristic else { return }
    if paceSetter == nil { paceSetter = characteristic }
    if paceSetter == characteristic { statistics.recordPacket(at: now) }
    guard now >= strengthIsDue else { return }
    strengthIsDue = now + (askForStrength() ? Self.strengthInterval : Self.strengthPause)
  }

  mutating func missedPacket() { statistics.recordMissedPacket() }

  mutating func firstValue(at now: MonotonicTime) { statistics.recordValue(at: now) }

  mutating func linkEnded() {
    endPace()
    paceSetter = nil
    strengthIsDue = MonotonicTime(nanoseconds: 0)
  }

  mutating func endPace() { statistics.endPace() }

  /// The link failed while values were expected.
  mutating func lost(isSilent: Bool) { statistics.lost(lastReceived: last, isSilent: isSilent) }

  /// Disabled by the user, which is not a gap.
  mutating func interrupt() { statistics.interrupt() }
}
