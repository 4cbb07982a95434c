// The result of one check of `doctor`.

import Wire

enum Verdict: String {
  case ok
  /// It works, but could be better.
  case warning
  case error
  /// It cannot be determined.
  case unknown

  var colour: Style.Colour {
    switch self {
    case .ok: .good
    case .warning: .warning
    case .error: .bad
    case .unknown: .faint
    }
  }
}

struct Finding: Equatable {
  /// A single word: `adapter`, `battery`.
  let check: String
  /// The id of the sensor it is about; nil for the machine.
  var sensor: String?
  let verdict: Verdict
  var found: String
  /// Empty if the verdict is ok.
  var why = ""
  /// What to do; `command` does it, if there is one.
  var fix = ""
  var command: String?

  static func ok(_ check: String, _ found: String) -> Finding {
    Finding(check: check, verdict: .ok, found: found)
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
    members.append(JSON.Member("found", .string(found)))
    if !why.isEmpty { members.append(JSON.Member("why", .string(why))) }
    if !fix.isEmpty { members.append(JSON.Member("fix", .string(fix))) }
    if let command { members.append(JSON.Member("command", .string(command))) }
    return .object(members)
  }
}

extension [Finding] {
  func count(_ verdict: Verdict) -> Int {
    filter { $0.verdict == verdict }.count
  }
}
