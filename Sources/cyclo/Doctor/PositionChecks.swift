// Check of the position. A missing receiver is not an error: most rides go without.

import Wire

extension Facts {
  var positionFinding: Finding? {
    guard let position = status?["position"], let gpsd = position["gpsd"]?.text else { return nil }
    switch position["receivers"]?.integer {
    case nil:
      let reason = position["message"]?.text.map { ": \($0)" } ?? ""
      return Finding(
        check: "position", verdict: .unknown, found: "no position\(reason)",
        why: "Without a GPS receiver a ride has no position, and wheels are not measured automatically.",
        fix: "If you have a receiver, install gpsd. Otherwise ignore this, or set GPSD=none.",
        command: "sudo apt install gpsd && sudo systemctl reload cyclometerd")
    case 0:
      return Finding(
        check: "position", verdict: .warning, found: "gpsd at \(gpsd) has no working receiver",
        why: "The ride has no position, and wheels are not measured automatically.",
        fix: "Plug the receiver in. This shows what gpsd receives:", command: "gpspipe -w -n 5")
    case let receivers?:
      return .ok(
        "position", "gpsd at \(gpsd) has \(counted(receivers, "working receiver"))")
    }
  }
}
