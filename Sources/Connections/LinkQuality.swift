// When to ask for the RSSI of a link, and whose packets show its pace. Updated as packets arrive, so
// it causes no wakeups of its own.

import Radio
import Time
import Vocabulary

struct LinkQuality {
  /// Only the first characteristic that sends is counted, because each may have a pace of its own.
  private var paceSetter: BluetoothUUID?
  private var strengthIsDue = MonotonicTime(nanoseconds: 0)

  /// The shortest time between two requests to the controller, which should not be asked while it
  /// connects other sensors.
  private static let interval = Duration.seconds(60)
  private static let pause = Duration.seconds(1)

  /// Whether packets of the characteristic show the pace.
  mutating func isPace(_ characteristic: BluetoothUUID) -> Bool {
    if paceSetter == nil { paceSetter = characteristic }
    return paceSetter == characteristic
  }

  /// `ask` returns false if the RSSI cannot be read now.
  mutating func askForStrength(at now: MonotonicTime, _ ask: () -> Bool) {
    guard now >= strengthIsDue else { return }
    strengthIsDue = now + (ask() ? Self.interval : Self.pause)
  }
}
