// `plugin new`: writes a first file for a sensor, from a device nearby or from a capture of its
// packets.

import CaptureFormat
import CommandTable
import CycloCommands
import Linux
import Text
import Wire

struct PluginNew {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func run() throws(Failure) {
    switch (session.invocation.text(.fromDevice), session.invocation.text(.fromCapture)) {
    case (let address?, nil): try inspect(address)
    case (nil, let capture?):
      if session.invocation.has(.seconds) { throw Failure(usage: .plugin, "--seconds is for 'new --from' only") }
      let path = session.invocation.text(.output)
      try write(try draft(ofCapture: capture).text, to: path, capture: capture)
    default: throw Failure(usage: .plugin, "'new' needs --from ADDRESS or --from-capture FILE")
    }
  }

  private func requireAbsent(_ path: String) throws(Failure) {
    guard Files.exists(path) else { return }
    throw Failure(.failed, "\(path) already exists; not overwriting it", advice: ["Choose another name"])
  }

  private func write(_ text: String, to path: String?, capture: String? = nil) throws(Failure) {
    guard let path, path != "-" else { return session.output.text(text) }
    try requireAbsent(path)
    do throws(SystemError) {
      try Files.replace(path, with: Array(text.utf8), mode: 0o644)
    } catch {
      throw Failure(.failed, "cannot write \(path): \(error.reason)")
    }
    let files = [path, capture].compactMap(\.self).map(shellQuoted).joined(separator: " ")
    session.output.note("Wrote \(printable(path)). Check it: cyclo plugin check \(files)")
  }

  // MARK: From a device

  private func inspect(_ address: String) throws(Failure) {
    let wanted = session.invocation.text(.output)
    if let wanted, wanted != "-" {
      try requireAbsent(wanted)
      try requireAbsent(Self.capturePath(beside: wanted))
    }
    var path = wanted
    var inspection = try PluginInspection(of: address, session) { device in
      let chosen = wanted ?? Self.freePath(for: device)
      path = chosen
      return chosen == "-" ? nil : Self.capturePath(beside: chosen)
    }
    let ending = try inspection.run()
    guard inspection.device != nil, let device = inspection.observed.devices.first else { return end(ending) }
    let draft = device.draft(session.plugins)
    if draft.isEmpty {
      throw Failure(.failed, "\(printable(device.name)) has no characteristic that can be read or subscribed to")
    }
    if case .left(let reason) = ending {
      session.output.note("The connection ended early (\(printable(reason))). What came until then is kept.")
    }
    try write(draft.text, to: path, capture: inspection.path)
    let kept = inspection.path.map { "The packets are in \(printable($0))" } ?? "The packets are not kept: use -o FILE"
    session.output.note("\(kept). Nothing is paired.")
    end(ending)
  }

  private func end(_ ending: PluginInspection.Ending) {
    guard ending == .interrupted else { return }
    session.output.flush()
    ProcessEnvironment.exit(ExitStatus.interrupted.rawValue)
  }

  private static let suffix = ".sensor"

  /// `lamp.capture` for `lamp.sensor`.
  private static func capturePath(beside path: String) -> String {
    (path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path) + ".capture"
  }

  /// Named after the device, in the current folder; what was recorded must not be lost because a
  /// name is taken.
  private static func freePath(for device: InspectReply) -> String {
    let name = SensorDraft.plainName(device.name ?? device.id)
    var path = name + suffix
    var number = 2
    while Files.exists(path) || Files.exists(capturePath(beside: path)) {
      path = "\(name)_\(number)\(suffix)"
      number += 1
    }
    return path
  }

  // MARK: From a capture

  private func draft(ofCapture path: String) throws(Failure) -> SensorDraft {
    let content = try PluginCheck.content(of: path)
    let observed = CaptureObservation(ofCapture: content, session.plugins)
    guard observed.hasHeader else { throw Failure.noCapture(path) }
    let devices = observed.devices.filter { !$0.sources.isEmpty }
    guard let device = devices.first else { throw Failure(.failed, "\(path) has no packets") }
    guard let wanted = session.invocation.text(.captureDevice) else {
      if devices.count > 1 {
        let names = devices.map(\.id).joined(separator: ", ")
        throw Failure(.failed, "\(path) has several devices: \(names)", advice: ["Choose one with --device"])
      }
      return device.draft(session.plugins)
    }
    guard let chosen = devices.first(where: { $0.id == wanted }) else {
      throw Failure(.failed, "\(path) has no packets of a device '\(wanted)'")
    }
    return chosen.draft(session.plugins)
  }
}
