// What a link knows about the bond of its sensor.

internal import BlueZ
internal import EventLoop

struct LinkBonding {
  var isAllowed = false
  /// The sensor was bonded before, so a missing bond must be reported to the user.
  var isExpected = false
  /// BlueZ had a bond before this link.
  var isOld = false
  /// BlueZ had a bond during this link.
  var wasMade = false
  /// bluetoothd has asked our agent about this sensor.
  var wasAsked = false
  /// Its StartNotify is unanswered, so it is not known yet whether the sensor requires a bond.
  var started: Characteristic?
  var timeout: Deadline?
}
