// What came of one check of `doctor`.

import Wire

enum Verdict: String {
  case ok
  /// It works, and could be better.
  case advice
  case wrong
  /// It cannot be seen from here.
  case unknown

  var colour: Style.Colour {
    switch self {
    case .ok: .good
    case .advice: .warning
    case .wrong: .bad
    case .unknown: .faint
    }
  }
}

struct Finding: Equatable {
  /// A word: `adapter`, `battery`.
  let check: String
  /// The id of the sensor it is about; nil for the machine.
  var sensor: String?
  let verdict: Verdict
  var saw: String
  /// Empty where all is well.
  var why = ""
  /// What to do, in words; then the command that does it, where one does.
  var mend = ""
  var command: String?

  static func ok(_ check: String, _ saw: String) -> Finding {
    Finding(check: check, verdict: .ok, saw: saw)
  }

  func of(_ sensor: String) -> Finding {
    var finding = self
    finding.sensor = sensor
    return finding
  }

  var json: JSON {
    var members = [JSON.Member("check", .string(check))]
    if let sensor { members.append(JSON.Member("sensor", .string(sensor))) }
    members.append(JSON.Member("verdict", .string(verdict.rawValue)))
    members.append(JSON.Member("saw", .string(saw)))
    if !why.isEmpty { members.append(JSON.Member("why", .string(why))) }
    if !mend.isEmpty { members.append(JSON.Member("mend", .string(mend))) }
    if let command { members.append(JSON.Member("command", .string(command))) }
    return .object(members)
  }
}

extension [Finding] {
  func count(_ verdict: Verdict) -> Int {
    filter { $0.verdict == verdict }.count
  }
}
