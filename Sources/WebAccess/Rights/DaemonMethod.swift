// The methods of control.sock that a page may call. Others, such as capturing and replaying, are for
// the computer's own users.

public enum DaemonMethod: String, CaseIterable, Sendable {
  case scan, pair, answer, cancel, forget, enable, disable, rename, set, command, rider, bike
  case rideSettings = "ride_settings"
}
