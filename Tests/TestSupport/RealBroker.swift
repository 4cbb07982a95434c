// Debian's Mosquitto for one test, on a port of the loopback that no other test uses.

internal import Foundation
internal import Linux
internal import Time

public final class RealBroker {
  public struct Configuration {
    /// Without users, everybody may connect.
    public var users: [String: String] = [:]
    /// Lines of an `acl_file`. Without any, everything is allowed.
    public var rights: [String] = []
    /// With a certificate, it speaks TLS only.
    public var certificate: ThrowawayAuthority.Certificate?
    public var requiresClientCertificate = false
    /// Further lines of mosquitto.conf.
    public var lines: [String] = []

    public init() {}
  }

  public struct StartError: Error, CustomStringConvertible {
    public let description: String
  }

  public var port: UInt16 { claim.port }
  private let folder: TemporaryFolder
  private var claim: ClaimedPort
  private var program: KeptProgram?
  private var starts = 0

  /// Returns when it listens.
  public init(_ configuration: Configuration = Configuration()) throws {
    (folder, claim) = (try TemporaryFolder(), try ClaimedPort())
    try write(configuration)
    while program == nil {
      do {
        try start()
      } catch is StartError where starts < 5 && log.contains("Address already in use") {
        // A program that is not ours was faster.
        claim = try ClaimedPort()
        try write(configuration)
      }
    }
  }

  deinit {
    kill()
  }

  /// What it has logged since the last start.
  public var log: String { (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "" }

  /// On the same port, with nothing of what it had before. Returns when it listens.
  public func start() throws {
    guard program == nil else { return }
    starts += 1
    let program = try KeptProgram(
      ["/usr/sbin/mosquitto", "-c", folder.file("mosquitto.conf")], folder: folder.path, output: logFile)
    let deadline = MonotonicTime.now + .seconds(120)
    while !log.contains(" running") {
      guard program.isRunning, MonotonicTime.now < deadline else {
        throw StartError(description: "mosquitto does not listen: \(log)")
      }
      try Waiting.until(.now + .milliseconds(10))
    }
    self.program = program
  }

  /// Like a crash. Its sockets are closed when this returns.
  public func kill() { end(SIGKILL) }

  /// Like a service manager: it says goodbye to its clients.
  public func stop() { end(SIGTERM) }

  /// It stops answering until `goOn`.
  public func hang() { program?.send(SIGSTOP) }

  public func goOn() { program?.send(SIGCONT) }

  private func end(_ signal: Int32) {
    program?.end(signal)
    program = nil
  }

  /// A file for each start, so that an old line is not taken for a new one.
  private var logFile: String { folder.file("log-\(starts)") }

  private func write(_ configuration: Configuration) throws {
    var lines = ["listener \(port) 127.0.0.1", "persistence false", "log_type all", "connection_messages true"]
    // As root it would become another user, who cannot read the folder.
    if geteuid() == 0 { lines.append("user root") }
    lines.append("allow_anonymous \(configuration.users.isEmpty)")
    if !configuration.users.isEmpty {
      let file = folder.file("passwords")
      for (user, password) in configuration.users { try setPassword(file, user, password) }
      lines.append("password_file \(file)")
    }
    if !configuration.rights.isEmpty {
      let text = configuration.rights.joined(separator: "\n") + "\n"
      try text.write(toFile: folder.file("rights"), atomically: false, encoding: .utf8)
      lines.append("acl_file \(folder.file("rights"))")
    }
    if let certificate = configuration.certificate {
      lines += [
        "cafile \(certificate.authorities)", "certfile \(certificate.certificate)", "keyfile \(certificate.key)",
        "require_certificate \(configuration.requiresClientCertificate)",
      ]
    }
    let text = (lines + configuration.lines).joined(separator: "\n") + "\n"
    try text.write(toFile: folder.file("mosquitto.conf"), atomically: false, encoding: .utf8)
  }

  private func setPassword(_ file: String, _ user: String, _ password: String) throws {
    let create = FileManager.default.fileExists(atPath: file) ? [] : ["-c"]
    try runProgram("/usr/bin/mosquitto_passwd", create + ["-b", file, user, password])
  }
}

/// A port of 127.0.0.1 that no other test gets, even while its broker is away. The claim is a listener
/// on the same port of 127.0.0.2, so the kernel ends it with this process.
private final class ClaimedPort {
  let port: UInt16
  private let listener: FileDescriptor

  init() throws {
    for _ in 0..<100 {
      // Below the kernel's own range: while the broker is away, no other connection may get its port.
      let port = UInt16.random(in: 20_000..<32_000)
      guard let address = InternetAddress("127.0.0.2", port: port) else { break }
      guard let listener = try? TCPSocket.listen(on: address),
        (try? TCPSocket.listen(on: .loopback(port: port))) != nil
      else { continue }
      self.port = port
      self.listener = listener
      return
    }
    throw RealBroker.StartError(description: "no port is free")
  }
}

/// A program of others that never outlives its test: it is ended by its process id, and if this
/// process dies first, end of input ends it.
public final class KeptProgram {
  private let keeper: Process
  private var lifeline: FileDescriptor?
  private let number: pid_t

  /// Both of its outputs are written to a file. If this process dies, the folder is removed.
  public init(_ command: [String], folder: String, output: String) throws {
    let (keeper, answer) = (Process(), Pipe())
    keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
    keeper.arguments = ["-c", Self.script, "sh", folder, output] + command
    keeper.standardOutput = answer
    lifeline = try PacketPair().keepNear { far in
      // Sockets, because a pipe from Foundation would be inherited by processes of other tests, and
      // then never close.
      let input = dup(far.number)
      _ = fcntl(input, F_SETFL, 0)
      keeper.standardInput = FileHandle(fileDescriptor: input, closeOnDealloc: true)
    }
    try withSignalsUnblocked { try keeper.run() }
    let line = String(decoding: answer.fileHandleForReading.availableData, as: UTF8.self)
    guard let number = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw RealBroker.StartError(description: "\(command[0]) did not start")
    }
    (self.keeper, self.number) = (keeper, number)
  }

  deinit {
    end(SIGKILL)
  }

  public var isRunning: Bool { keeper.isRunning }

  public func send(_ signal: Int32) {
    if isRunning { kill(number, signal) }
  }

  /// Returns when it has ended.
  public func end(_ signal: Int32) {
    send(signal)
    keeper.waitUntilExit()
    lifeline = nil
  }

  /// The shell waits for the program and also for the end of its own input, which means that this
  /// process is gone and cannot clean up. The program has the same input, which is silent until then.
  private static let script = """
    exec 3<&0
    folder=$1 output=$2
    shift 2
    "$@" <&3 3<&- >"$output" 2>&1 &
    program=$!
    echo $program
    exec 1>/dev/null 2>&1
    (read end <&3; rm -rf "$folder"; kill -KILL $program) &
    wait $program
    kill -KILL $!
    """
}

/// Runs a program to its end. Throws with its output if it fails.
func runProgram(_ path: String, _ arguments: [String], in folder: String? = nil) throws {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
  (process.standardOutput, process.standardError) = (output, output)
  try withSignalsUnblocked { try process.run() }
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  guard process.terminationStatus == 0 else {
    throw RealBroker.StartError(description: "\(path) \(arguments.joined(separator: " ")): \(text)")
  }
}
