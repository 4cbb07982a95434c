// `doctor`: what is wrong with the machine and with each sensor, why it matters, and what mends it.

import CommandTable
import Linux
import Wire

func doctor(_ session: Session) throws(Failure) {
  let facts = Facts.gather(from: session.endpoint)
  let findings = facts.findings
  if session.isJSON {
    session.output.line(report(findings).encoded)
  } else {
    let text = DoctorText(style: session.style, columns: Terminal.size(1)?.columns)
    for line in text.lines(findings, sensors: facts.sensors) { session.output.line(line) }
  }
  let wrong = findings.count(.wrong)
  guard wrong == 0 else {
    throw Failure(.failed, wrong == 1 ? "one thing is wrong" : "\(wrong) things are wrong")
  }
  if !session.isJSON { session.output.note("Nothing is wrong.") }
}

extension Facts {
  var findings: [Finding] {
    daemonFindings + bluetoothFindings + linkFindings + [positionFinding].compactMap(\.self)
      + sensors.flatMap(findings(of:))
  }
}

private func report(_ findings: [Finding]) -> JSON {
  [
    "release": .string(release), "wrong": .number(Double(findings.count(.wrong))),
    "advice": .number(Double(findings.count(.advice))), "checks": .array(findings.map(\.json)),
  ]
}
