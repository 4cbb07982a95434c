// A result of `doctor`: a diagnosis, of the machine or of a sensor.

import JSON
import Troubleshooting

extension Verdict {
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
  let found: String
  var why = ""
  var fix = ""
  var command: String?

  var json: JSONValue {
    var members = [JSONValue.Member("check", .string(check))]
    if let sensor { members.append(JSONValue.Member("sensor", .string(sensor))) }
    members.append(JSONValue.Member("verdict", .string(verdict.rawValue)))
    members.append(JSONValue.Member("found", .string(found)))
    if !why.isEmpty { members.append(JSONValue.Member("why", .string(why))) }
    if !fix.isEmpty { members.append(JSONValue.Member("fix", .string(fix))) }
    if let command { members.append(JSONValue.Member("command", .string(command))) }
    return .object(members)
  }
}

extension Finding {
  init(_ diagnosis: Diagnosis, of sensor: String? = nil) {
    self.init(
      check: diagnosis.check.rawValue, sensor: sensor, verdict: diagnosis.verdict, found: diagnosis.found,
      why: diagnosis.why, fix: diagnosis.fix, command: diagnosis.command)
  }
}

extension [Finding] {
  func count(_ verdict: Verdict) -> Int {
    filter { $0.verdict == verdict }.count
  }
}
