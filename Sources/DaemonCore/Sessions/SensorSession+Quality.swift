// Link quality, updated as packets arrive, so it causes no extra wakeups.

import Linux
import Radio
import SensorKit
import Time

extension SensorSession {
  /// The shortest time between two requests to the controller, which should not be asked while it
  /// connects other sensors.
  private static let strengthInterval = Duration.seconds(60)
  private static let strengthPause = Duration.seconds(1)

  /// Only the first characteristic that sends is counted, because each may have a pace of its own.
  func noteQuality(_ source: PacketSource) {
    guard let characteristic = source.characteristic else { return }
    if paceSetter == nil { paceSetter = characteristic }
    if paceSetter == characteristic { record.recordPacket(at: lastReceived) }
    guard lastReceived >= strengthIsDue else { return }
    let isAsked = environment.radio.readStrength(of: address) { [weak self] dBm in self?.rssi = dBm }
    strengthIsDue = lastReceived + (isAsked ? Self.strengthInterval : Self.strengthPause)
  }

  func endQuality() {
    record.endPace()
    paceSetter = nil
    strengthIsDue = MonotonicTime(nanoseconds: 0)
  }
}
