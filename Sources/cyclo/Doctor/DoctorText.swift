// Findings as text: the machine first, then each sensor. Sensors that are fine take one line.

import Text
import Troubleshooting
import Wire

struct DoctorText {
  let style: Style
  /// Width of the terminal; nil without a terminal, which turns wrapping off.
  let columns: Int?

  func lines(_ findings: [Finding], sensors: [SensorRecord]) -> [String] {
    let machine = findings.filter { $0.sensor == nil }
    var lines = [style.paint("machine", .strong)] + machine.flatMap(shown)
    for sensor in sensors {
      let own = findings.filter { $0.sensor == sensor.id }
      let name = sensor.name.isEmpty ? "" : " (\(printable(sensor.name)))"
      lines += ["", style.paint(printable(sensor.id), .strong) + name]
      let well = own.filter { $0.verdict == .ok }.map(\.found)
      if !well.isEmpty { lines += entry(.ok, well.joined(separator: "; ")) }
      lines += own.filter { $0.verdict != .ok }.flatMap(shown)
    }
    return lines
  }

  func lines(of findings: [Finding]) -> [String] {
    findings.flatMap(shown)
  }

  private func shown(_ finding: Finding) -> [String] {
    // The check's name lets users search for it: `adapter: hci0 is off`.
    var lines = entry(finding.verdict, "\(finding.check): \(finding.found)")
    for text in [finding.why, finding.fix] where !text.isEmpty { lines += wrapped(printable(text), indent: 10) }
    // Not wrapped, so that it can be copied.
    if let command = finding.command { lines.append("            " + style.paint(printable(command), .strong)) }
    return lines
  }

  private func entry(_ verdict: Verdict, _ text: String) -> [String] {
    var lines = wrapped(printable(text), indent: 10)
    lines[0] = "  " + style.paint(verdict.rawValue.padded(to: 8), verdict.colour) + lines[0].dropFirst(10)
    return lines
  }

  /// Indented lines of whole words; at least one.
  private func wrapped(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    guard let columns else { return [margin + text] }
    // On a very narrow terminal words stay whole, and the terminal wraps them.
    let width = max(20, columns - indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(margin + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [margin + line]
  }
}
