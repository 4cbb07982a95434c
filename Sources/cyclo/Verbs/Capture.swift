// `capture`: records all packets of sensors, byte for byte, in a capture file. Lines are written
// whole and before every wait, so the file is readable at any time, however the capture ends.

import CaptureFormat
import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import Release
import Text
import Time
import Wire

func capture(_ session: Session) throws(Failure) {
  if session.isJSON, session.invocation.has(.anonymous) {
    let message = "--json and --anonymous cannot be combined: --json prints records unchanged, with addresses"
    throw Failure(usage: .capture, message)
  }
  let connection = try session.connect(for: .control)
  let wanted = try session.chosenSensors(connection).filter { $0 != SensorID.ride }
  let status = try session.ask(connection, .status).content
  let file = try CaptureFile(path: session.invocation.words[0], session)
  var recorder = Recorder(session, connection, file, wanted)
  // From here on an interrupt ends the capture normally.
  let interruptions: SignalDescriptor
  do throws(SystemError) {
    interruptions = try SignalDescriptor([.interrupt])
  } catch {
    throw Failure(.failed, error.description)
  }
  try recorder.begin(status)
  let wasInterrupted = try recorder.run(interruptions)
  recorder.finish()
  if wasInterrupted { ProcessEnvironment.exit(ExitStatus.interrupted.rawValue) }
}

private struct Recorder {
  let session: Session
  let connection: Connection
  let file: CaptureFile
  /// Empty for all.
  let wanted: [String]
  var cast: CaptureCast
  let began = MonotonicTime.now
  var count = 0
  var first: Int64?

  init(_ session: Session, _ connection: Connection, _ file: CaptureFile, _ wanted: [String]) {
    self.session = session
    self.connection = connection
    self.file = file
    self.wanted = wanted
    let plugins = (try? session.ask(connection, .plugins()))?.content.plugins ?? []
    cast = CaptureCast(
      isAnonymous: session.invocation.has(.anonymous), plugins: session.plugins,
      declared: plugins.filter { $0.file != nil })
  }

  mutating func begin(_ status: StatusReply) throws(Failure) {
    file.add([.header, .comment(" Recorded by \(programs(status)).")])
    for sensor in status.sensors where isWanted(sensor.id) {
      file.add(cast.introduce(sensor))
    }
    try file.write()
    try session.ask(connection, .capture(sensors: wanted.isEmpty ? nil : wanted))
  }

  /// True if it was interrupted.
  mutating func run(_ interruptions: borrowing SignalDescriptor) throws(Failure) -> Bool {
    let end = session.invocation.number(.seconds).map { began + .seconds($0) }
    var isOver = false
    var wasInterrupted = false
    while !isOver {
      try takeWhatCame()
      showProgress()
      let nextLook = session.output.showsProgress ? MonotonicTime.now + .seconds(1) : nil
      let deadline = [nextLook, end].compactMap { $0 }.min()
      _ = try kept { () throws(ClientError) in
        try connection.wait(or: interruptions.descriptor.number, until: deadline)
      }
      if case .interrupt? = try? interruptions.next() { wasInterrupted = true }
      isOver = wasInterrupted || end.map { MonotonicTime.now >= $0 } ?? false
    }
    // Includes what was in progress at the end.
    _ = try kept { () throws(ClientError) in try connection.request(.cancel) }
    try takeWhatCame()
    return wasInterrupted
  }

  private mutating func takeWhatCame() throws(Failure) {
    while let record = try kept({ () throws(ClientError) in try connection.next(until: .now) }) {
      switch record.message {
      case .error: throw Failure(record.refusal)
      case .raw(let raw):
        if !cast.knows(raw.sensor) { try introduceNewcomers() }
        file.add([cast.line(raw, since: start(raw.time))])
      // Positions identify the rider.
      case .report(let report) where !cast.isAnonymous:
        file.add([.position(time: MonotonicTime(nanoseconds: since(report.time)), report: report.report)])
      default: continue
      }
      if session.isJSON { session.output.line(record.line) }
      count += 1
    }
    try file.write()
    session.output.flush()
  }

  /// The time of the first record.
  private mutating func start(_ time: MonotonicTime) -> Int64 {
    first = first ?? time.nanoseconds
    return first ?? 0
  }

  private mutating func since(_ time: MonotonicTime) -> Int64 { max(0, time.nanoseconds - start(time)) }

  /// A sensor was paired meanwhile.
  private mutating func introduceNewcomers() throws(Failure) {
    for sensor in try session.sensors(connection) where isWanted(sensor.id) && !cast.knows(sensor.id) {
      file.add(cast.introduce(sensor))
    }
  }

  private func isWanted(_ id: String) -> Bool { wanted.isEmpty || wanted.contains(id) }

  /// On any failure, add that the file contains the data up to that point.
  private func kept<Result>(_ body: () throws(ClientError) -> Result) throws(Failure) -> Result {
    do throws(ClientError) {
      return try body()
    } catch {
      try file.write()
      let failure = Failure(error)
      throw Failure(
        failure.status, failure.message, advice: ["\(file.name) contains the data up to this point"] + failure.advice)
    }
  }

  private var elapsed: Double { (MonotonicTime.now - began).inSeconds }

  private func showProgress() {
    session.output.progress("\(spanText(elapsed)), \(counted(count, "packet")) in \(file.name)")
  }

  func finish() {
    session.output.eraseProgress()
    if session.isJSON { return }
    session.output.note("\(counted(count, "packet")) in \(spanText(elapsed)), in \(file.name).")
    if count == 0 { session.output.note("No sensor sent data. 'cyclo status' shows which are connected.") }
  }
}

/// `cyclo 0.1.0, cyclometerd 0.1.0, BlueZ 5.66, Linux 6.1.0`
func programs(_ status: StatusReply) -> String {
  let versions = status.versions
  let named = [("cyclometerd", versions.cyclometer), ("BlueZ", versions.bluez), ("Linux", versions.kernel)]
  let others = named.compactMap { name, version in version.map { "\(name) \(printable($0))" } }
  return (["cyclo \(release)"] + others).joined(separator: ", ")
}

func counted(_ count: Int, _ thing: String) -> String {
  "\(count) \(thing)\(count == 1 ? "" : "s")"
}
