// `doctor`: problems of the machine and of each sensor, why they matter, and how to fix them.

import JSON
import Linux
import Release
import SensorKit
import Troubleshooting

func doctor(_ session: Session) throws(Failure) {
  var facts = Facts.gather(from: session.endpoint)
  facts.quirks = session.plugins.quirks
  let findings = facts.findings
  if session.isJSON {
    session.output.line(report(findings).encoded)
  } else {
    let text = DoctorText(style: session.style, columns: Terminal.size(1)?.columns)
    for line in text.lines(findings, sensors: facts.sensors) { session.output.line(line) }
  }
  let errors = findings.count(.error)
  guard errors == 0 else {
    throw Failure(.failed, errors == 1 ? "found 1 error" : "found \(errors) errors")
  }
  if !session.isJSON { session.output.note("No errors found.") }
}

extension Facts {
  var findings: [Finding] {
    let machine =
      daemonDiagnoses + bluetoothDiagnoses + linkDiagnoses + [positionDiagnosis].compactMap(\.self)
      + RecorderChecks(facts: self).diagnoses + GuideChecks(facts: self).diagnoses
      + BridgeChecks(facts: self).diagnoses + DashboardChecks(facts: self).diagnoses
    return machine.map { Finding($0) } + sensors.flatMap(findings(of:))
  }
}

private func report(_ findings: [Finding]) -> JSONValue {
  [
    "release": .string(release), "errors": .number(Double(findings.count(.error))),
    "warnings": .number(Double(findings.count(.warning))), "checks": .array(findings.map(\.json)),
  ]
}
