// How well a link does, noted as packets come: nothing wakes the daemon for it.

import Linux
import SensorKit

extension SensorSession {
  /// How often the controller is asked, at most: while another program connects it had better not be.
  private static let strengthInterval = Duration.seconds(60)
  private static let strengthPause = Duration.seconds(1)

  /// The first of its characteristics that speaks sets the pace: each may have one of its own.
  func noteQuality(_ source: Source) {
    guard let characteristic = source.characteristic else { return }
    if paceSetter == nil { paceSetter = characteristic }
    if paceSetter == characteristic { record.heardPacket(at: lastHeard) }
    guard lastHeard >= strengthIsDue else { return }
    let isAsked = environment.radio.readStrength(of: address) { [weak self] dBm in self?.rssi = dBm }
    strengthIsDue = lastHeard + (isAsked ? Self.strengthInterval : Self.strengthPause)
  }

  func endQuality() {
    record.endPace()
    paceSetter = nil
    strengthIsDue = BootTime(nanoseconds: 0)
  }
}
