// Does anybody say where the bike is? No receiver is nothing wrong: most rides go without.

import Wire

extension Facts {
  var positionFinding: Finding? {
    guard let position = status?["position"], let gpsd = position["gpsd"]?.text else { return nil }
    switch position["receivers"]?.integer {
    case nil:
      let reason = position["message"]?.text.map { ": \($0)" } ?? ""
      return Finding(
        check: "position", verdict: .unknown, saw: "nobody says where the bike is\(reason)",
        why: "Without a receiver for satellites a ride has no places, and no wheel is measured by itself.",
        mend: "Where there is a receiver, install gpsd; elsewhere this is as it has to be (GPSD=none ends the asking).",
        command: "sudo apt install gpsd && sudo systemctl reload cyclometerd")
    case 0:
      return Finding(
        check: "position", verdict: .advice, saw: "gpsd at \(gpsd) has no receiver that works",
        why: "A ride has no places then, and no wheel is measured by itself.",
        mend: "Plug the receiver in; gpsd says what it has.", command: "gpspipe -w -n 5")
    case let receivers?:
      return .ok(
        "position", "gpsd at \(gpsd) has \(counted(receivers, "receiver")) that work\(receivers == 1 ? "s" : "")")
    }
  }
}
