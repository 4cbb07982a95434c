// `decode`: decodes a capture with the plugins, without a daemon. The file is read as a stream, so
// input from a pipe is shown at once. Invalid lines are reported and skipped, like refused bytes.

import CaptureDecoding
import CommandTable
import CycloCommands
import DeclaredSensors
import Linux
import SensorFolders
import SensorKit
import Text

func decode(_ session: Session) throws(Failure) {
  let path = session.invocation.words[0]
  let decoding = Decoding(session, name: path == "-" ? "standard input" : path, try decodingPlugins(session))
  do throws(SystemError) {
    let take = { (piece: ArraySlice<UInt8>) in
      decoding.take(piece.span)
      session.output.flush()
    }
    if path == "-" { try readStandardInput(take) } else { try Files.stream(path, take) }
  } catch {
    throw Failure(.failed, "cannot read \(decoding.name): \(error.reason)")
  }
  try decoding.finish()
}

/// The built-in plugins, with the sensors of the files that `--sensors` names. Files with problems are
/// reported and left out.
private func decodingPlugins(_ session: Session) throws(Failure) -> PluginRegistry {
  guard let folder = session.invocation.text(.sensors) else { return session.plugins }
  guard Files.isDirectory(folder) else { throw Failure(.failed, "\(folder) is not a directory") }
  let folders = SensorFileFolders(packages: nil, owner: folder)
  let installed = InstalledSensors(in: folders, builtIn: session.plugins, words: SensorWords())
  for problem in installed.problems { session.output.note("cyclo: \(printable(problem))") }
  let ofProcesses = installed.declared.loaded.map(\.program).filter { $0.process != nil }.map(\.info.id)
  for id in ofProcesses {
    let path = installed.path(of: id) ?? id
    session.output.note("cyclo: \(printable(path)): a program decodes its packets, so only the daemon can")
  }
  let plugins = installed.registry.plugins.filter { !ofProcesses.contains($0.info.id) }
  return PluginRegistry(plugins, quirks: installed.registry.quirks)
}

/// In pieces as they arrive, to the end.
func readStandardInput(_ take: (ArraySlice<UInt8>) -> Void) throws(SystemError) {
  var chunk = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    switch try readDescriptor(0, into: &chunk) {
    case .done(0): return
    case .done(let count): take(chunk[..<count])
    // Another process on this terminal may have made it non-blocking.
    case .wouldBlock: _ = try Waiting.untilReadable(0, deadline: nil)
    }
  }
}

private final class Decoding {
  let name: String
  private let session: Session
  private var run: CaptureRun
  private var hasRecords = false
  private var hasProblems = false

  init(_ session: Session, name: String, _ plugins: PluginRegistry) {
    self.session = session
    self.name = name
    run = CaptureRun(
      plugins: plugins, withRide: session.invocation.has(.ride),
      output: session.isJSON ? DecodedJSON() : DecodedText(session.style))
  }

  func take(_ bytes: Span<UInt8>) {
    var output: [UInt8] = []
    var problems: [String] = []
    run.feed(bytes, into: &output) { problems.append("\($0)") }
    show(output, problems)
  }

  func finish() throws(Failure) {
    var output: [UInt8] = []
    var problems: [String] = []
    run.finish(into: &output) { problems.append("\($0)") }
    show(output, problems)
    if hasRecords { return }
    if !run.hasHeader { throw Failure.noCapture(name) }
    if hasProblems { throw Failure(.failed, "\(name) contains nothing to decode") }
  }

  private func show(_ output: [UInt8], _ problems: [String]) {
    hasRecords = hasRecords || !output.isEmpty
    hasProblems = hasProblems || !problems.isEmpty
    for problem in problems { session.output.note("cyclo: \(name): \(printable(problem))") }
    session.output.bytes(output)
  }
}
