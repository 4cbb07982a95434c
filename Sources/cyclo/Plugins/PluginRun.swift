// `plugin run`: starts a program that decodes for a sensor's file, and shows what it and the daemon
// send each other.

import CycloCommands
import CyclometerClient
import DeclaredSensors
import Linux
import SensorKit
import Text
import Time
import Wire

struct PluginRun {
  private let session: Session
  private let file: CheckedFile
  private let id: String
  private let process: ProcessProgram
  private let text: PluginConversationText

  /// The variable that names the socket for the program.
  private static let variable = "CYCLOMETER_PLUGIN_SOCKET"
  /// How long a program may take to end when it should.
  private static let timeToEnd = Duration.seconds(2)
  private static let retryTime = Duration.milliseconds(10)

  init(_ session: Session, _ file: CheckedFile) throws(Failure) {
    self.session = session
    self.file = file
    text = PluginConversationText(session)
    let program = try file.requireProgram(session)
    guard let process = program.process else {
      throw Failure(
        .failed, "\(file.path): it has no [Process], so no program decodes for it",
        advice: ["To decode a capture with it: cyclo plugin check \(shellQuoted(file.path)) CAPTURE"])
    }
    id = program.info.id
    self.process = process
  }

  func run(_ command: [String]) throws(Failure) {
    try requireFile()
    let path = "\(Self.temporaryFolder)/cyclo-\(ProcessEnvironment.randomName()).sock"
    let feed = try makeFeed()
    let signals = try makeSignals()
    let listener = try makeListener(path)
    defer { try? Files.remove(path) }
    ProcessEnvironment.set(Self.variable, to: path)
    let program: ForegroundProgram
    do throws(SystemError) {
      program = try ForegroundProgram(command)
    } catch {
      throw Failure(.failed, "cannot start \(command[0]): \(error.reason)")
    }
    let outcome: Result<String?, Failure>
    do throws(Failure) {
      outcome = .success(try follow(program, feed, signals.descriptor.number, listener.number, at: path))
    } catch {
      outcome = .failure(error)
    }
    // The relay is closed, so a program that uses a helper ends by itself.
    if case .failure(let failure) = outcome, failure.status == .interrupted { program.terminate() }
    try? program.finish(within: Self.timeToEnd)
    try conclude(program, command[0], try outcome.get())
  }

  /// Throws unless the program did what it should.
  private func conclude(_ program: ForegroundProgram, _ name: String, _ reason: String?) throws(Failure) {
    if let reason { throw Failure(.failed, "\(name): the daemon disconnected it: \(reason)") }
    if program.wasStopped {
      throw Failure(.failed, "\(name): it did not end when it was disconnected, and was stopped")
    }
    switch program.end {
    case .exited(0): return
    case .exited(let status): throw Failure(.failed, "\(name): exited with status \(status)")
    case .killed(let signal): throw Failure(.failed, "\(name): was killed by signal \(signal)")
    case nil: throw Failure(.failed, "\(name): did not end")
    }
  }
}

// MARK: Before the start

extension PluginRun {
  /// The daemon must use this very file, because it checks the program against it.
  private func requireFile() throws(Failure) {
    let connection = try session.connect(for: .read)
    let plugins = try session.ask(connection, .plugins()).content.plugins
    guard let path = plugins.first(where: { $0.id == id })?.file else {
      throw Failure(
        .failed, "the daemon does not use \(file.path)",
        advice: ["For a simulation: cyclometerd --simulate CAPTURE --sensors DIRECTORY, with the directory of the file"]
      )
    }
    guard let used = try? Files.read(path, atMost: SensorFile.mostBytes), used != file.content else { return }
    throw Failure(
      .failed, "the daemon uses \(path), which differs from \(file.path)",
      advice: ["Copy the file there, and have the daemon read it: 'cyclo plugin install' or SIGHUP"])
  }

  private static var temporaryFolder: String {
    let named = ProcessEnvironment.variable("TMPDIR") ?? ""
    return named.isEmpty ? "/tmp" : named
  }

  private func makeFeed() throws(Failure) -> Feed {
    try explained { () throws(ClientError) in
      try Feed(Subscription(snapshot: false), from: session.endpoint, for: .read)
    }
  }

  private func makeSignals() throws(Failure) -> SignalDescriptor {
    do throws(SystemError) {
      return try SignalDescriptor([.interrupt, .terminate, .hangUp])
    } catch {
      throw Failure(.failed, "\(error)")
    }
  }

  private func makeListener(_ path: String) throws(Failure) -> FileDescriptor {
    do throws(SystemError) {
      return try UnixSocket.listen(at: path, mode: 0o600)
    } catch {
      throw Failure(.failed, "cannot listen at \(path): \(error.reason)")
    }
  }
}

// MARK: While it runs

extension PluginRun {
  /// Until the program ends or is disconnected. Returns the daemon's reason, if it gave one.
  private func follow(
    _ program: ForegroundProgram, _ feed: Feed, _ signals: Int32, _ listener: Int32, at path: String
  ) throws(Failure) -> String? {
    var relay: PluginRelay?
    while true {
      relay?.serve()
      if let relay, relay.isEnded {
        if relay.isEndedByProgram { text.problem("the program closed its connection") }
        session.output.flush()
        return relay.reason
      }
      program.check()
      if program.end != nil { return relay?.reason }
      if try isReadable(signals) { throw Failure(.interrupted, "") }
      if relay == nil, let connection = try accept(listener) {
        // A program has one connection. Without its name, the socket leaves nothing behind.
        try? Files.remove(path)
        relay = PluginRelay(connection, try connectToDaemon(), of: process, text)
        continue
      }
      session.output.flush()
      let inputs = relay?.inputs ?? (daemon: -1, program: -1)
      feed.wake(onInputOf: inputs.daemon, inputs.program, program.number, signals, listener)
      let deadline = relay?.isBehind == true ? MonotonicTime.now + Self.retryTime : nil
      let update = try explained { () throws(ClientError) in try feed.next(until: deadline) }
      if let update { show(update, of: relay?.sensors ?? []) }
    }
  }

  private func show(_ update: Update, of sensors: Set<String>) {
    switch update {
    case .record(let record):
      guard let sensor = record["sensor"]?.text, sensors.contains(sensor) else { return }
      text.line(.published, record.line)
    case .disconnected(let reason): text.problem("the daemon went away: \(reason)")
    case .connected, .gap, .lag, .answer: break
    }
  }

  private func isReadable(_ number: Int32) throws(Failure) -> Bool {
    do throws(SystemError) {
      return try Waiting.untilReadable(number, deadline: .now)
    } catch {
      throw Failure(.failed, "\(error)")
    }
  }

  private func accept(_ listener: Int32) throws(Failure) -> FileDescriptor? {
    do throws(SystemError) {
      return try StreamSocket.accept(from: listener)
    } catch {
      throw Failure(.failed, "\(error)")
    }
  }

  private func connectToDaemon() throws(Failure) -> FileDescriptor {
    let folder = Files.parent(of: session.endpoint.controlSocket)
    let path = (folder == "/" ? "" : folder) + "/plugin.sock"
    do throws(SystemError) {
      return try UnixSocket.connect(to: path, nonBlocking: true)
    } catch {
      throw Failure(
        .failed, "cannot connect to \(path): \(error.reason)",
        advice: error.isNotAllowed ? ["Only members of the group cyclometer-plugin can connect to it"] : [])
    }
  }
}
