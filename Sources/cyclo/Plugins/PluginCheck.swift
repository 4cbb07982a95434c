// `plugin check`: what a sensor's file is and does, and what it makes of a capture.

import CaptureDecoding
import CaptureFormat
import CommandTable
import CycloCommands
import DeclaredSensors
import JSON
import Linux
import SensorKit
import Text

struct PluginCheck {
  private let session: Session
  private let file: CheckedFile
  private let program: SensorProgram

  /// Throws after printing the problems of a file that has some.
  init(_ session: Session, _ file: CheckedFile) throws(Failure) {
    self.session = session
    self.file = file
    program = try file.requireProgram(session)
  }

  func run(capture: String?) throws(Failure) {
    let expected = session.invocation.text(.expected)
    if expected != nil, capture == nil { throw Failure(usage: .plugin, "--expected needs a CAPTURE") }
    if program.process != nil, capture != nil {
      throw Failure(.failed, "\(file.path): a program decodes the packets of this sensor, so only the daemon can")
    }
    if session.isJSON {
      session.output.line(SensorFileJSON(path: file.path, program).value.encoded)
    } else {
      for line in SensorFileText(program: program, style: session.style).lines { session.output.line(line) }
      file.showWarnings(session)
    }
    guard let capture else { return }
    let content = try Self.content(of: capture)
    try decode(content, capture)
    if let expected { try compare(content, capture, with: expected) }
  }

  /// What a command of the file writes.
  func tryCommand(_ name: String, value: String?) throws(Failure) {
    try CommandTrial(session, file, program).run(name, value: value)
  }

  static func content(of path: String) throws(Failure) -> [UInt8] {
    do throws(SystemError) {
      var content: [UInt8] = []
      if path == "-" { try readStandardInput { content += $0 } } else { try Files.stream(path) { content += $0 } }
      return content
    } catch {
      throw Failure(.failed, "cannot read \(path): \(error.reason)")
    }
  }

  /// The packets of the capture, by this file only.
  private func run(
    _ content: [UInt8], _ output: any DecodedOutput, _ tally: PacketTally, problem: (CaptureError) -> Void
  ) -> (records: [UInt8], hasHeader: Bool) {
    let program = program
    let plugin = Plugin(program.info) { ExplainingDecoder(program, settings: $0, countingIn: tally) }
    var run = CaptureRun(plugins: PluginRegistry([plugin]), output: output)
    var records: [UInt8] = []
    run.feed(content.span, into: &records, problem: problem)
    run.finish(into: &records, problem: problem)
    return (records, run.hasHeader)
  }

  private func decode(_ content: [UInt8], _ capture: String) throws(Failure) {
    let tally = PacketTally()
    let text = CheckedRecords(program, file: file.name, tally, session.style)
    let records = CheckedJSON(file: file.path, tally)
    var problems: [String] = []
    let (lines, hasHeader) = run(content, session.isJSON ? records : text, tally) { problems.append("\($0)") }
    for problem in problems { session.output.note("cyclo: \(printable(capture)): \(printable(problem))") }
    if !hasHeader { throw Failure.noCapture(capture) }
    showUnrecognized(content)
    session.output.bytes(lines)
    if session.isJSON {
      session.output.line(records.counts.json(tally).encoded)
    } else {
      session.output.line(text.counts.text(tally))
    }
  }

  /// Devices of the capture that the daemon would not pair with this file, which explains packets that
  /// are missing.
  private func showUnrecognized(_ content: [UInt8]) {
    let observed = CaptureObservation(ofCapture: content, session.plugins)
    for device in observed.devices where !program.info.fits(device.description) {
      let (id, description) = (device.id, device.description)
      if session.isJSON {
        let services = description.services.map { JSONValue.string($0.description) }
        session.output.line(
          JSONValue.object([
            JSONValue.Member("class", "unrecognized"), JSONValue.Member("sensor", .string(id)),
            JSONValue.Member("name", .string(description.name)), JSONValue.Member("services", .array(services)),
          ]).encoded)
      } else {
        session.output.line("\(printable(id)) is not recognized by this file: \(Self.text(description))")
      }
    }
  }

  /// `its line in the capture has no services= and name="TP-1"`
  private static func text(_ device: DeviceDescription) -> String {
    let services = device.services.map(\.description).joined(separator: ",")
    let name = device.name.isEmpty ? "no name=" : "name=\"\(printable(device.name))\""
    return "its line in the capture has \(services.isEmpty ? "no services=" : "services=\(services)") and \(name)"
  }

  private func compare(_ content: [UInt8], _ capture: String, with path: String) throws(Failure) {
    let expected = try Self.content(of: path)
    let (records, _) = run(content, DecodedJSON(), PacketTally()) { _ in }
    guard let difference = RecordDifference(expected: expected, decoded: records) else {
      if !session.isJSON { session.output.line("as expected in \(printable(path))") }
      return
    }
    if session.isJSON {
      session.output.line(difference.json.encoded)
    } else {
      session.output.line("\(printable(path)):\(difference.line): the first difference")
      session.output.table(difference.table)
    }
    throw Failure(.failed, "")
  }
}
