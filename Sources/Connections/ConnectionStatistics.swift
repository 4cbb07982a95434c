// Statistics of a sensor's connection, for users.

import Linux
import Time
package import Wire

package struct ConnectionStatistics {
  /// How often the link was lost.
  private(set) var reconnects = 0
  /// How often the daemon closed it because the sensor was silent.
  private(set) var silentReconnects = 0
  /// The longest time between two values with a lost link in between.
  private(set) var longestGap: Duration?
  private var pace = PacketPace()
  /// Packets that arrived, but were not decoded in time.
  private var undecoded = 0
  /// When the last value before the current gap arrived.
  private var gapBegan: MonotonicTime?

  mutating func lost(lastReceived: MonotonicTime, isSilent: Bool = false) {
    if isSilent { silentReconnects += 1 } else { reconnects += 1 }
    gapBegan = gapBegan ?? lastReceived
  }

  /// The time since the last value, if the link was lost since then.
  func openGap(at time: MonotonicTime) -> Duration? { gapBegan.map { time - $0 } }

  mutating func recordValue(at time: MonotonicTime) {
    guard let began = gapBegan else { return }
    gapBegan = nil
    longestGap = max(longestGap ?? .zero, time - began)
  }

  mutating func recordPacket(at time: MonotonicTime) {
    pace.recordPacket(at: time)
  }

  mutating func recordMissedPacket() { undecoded += 1 }

  mutating func endPace() {
    pace.interrupt()
  }

  /// Disabled by the user, which is not a gap.
  mutating func interrupt() {
    gapBegan = nil
  }

  package var record: LinkRecord {
    let hasPackets = pace.packets > 0 || undecoded > 0
    return LinkRecord(
      reconnects: reconnects, silentReconnects: silentReconnects,
      longestGapS: longestGap.map { Double($0.wholeNanoseconds / 1_000_000) / 1000 },
      packets: hasPackets ? pace.packets : nil, missed: hasPackets ? pace.missed + undecoded : nil)
  }
}
