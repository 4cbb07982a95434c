// A real dbus-daemon for one test, on a socket in a temporary directory, without access
// restrictions.
//
// It never outlives the test: it is killed by its process id, and if this process dies first, end
// of input ends it.

public import DBus
internal import Foundation
internal import Linux

public final class PrivateBus {
  public let address: BusAddress
  private let folder: TemporaryFolder
  private var keeper: Process?
  private var lifeline: FileDescriptor?
  /// The bus's process while it runs.
  public private(set) var daemon: Int32?

  public init() throws {
    folder = try TemporaryFolder()
    address = .address("unix:path=\(folder.file("bus"))")
    try Self.configuration(folder.file("bus")).write(
      toFile: folder.file("bus.conf"), atomically: false, encoding: .utf8)
    try start()
  }

  deinit {
    stop()
  }

  /// Returns when the bus is listening.
  public func start() throws {
    guard keeper == nil else { return }
    let keeper = Process()
    let output = Pipe()
    keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
    keeper.arguments = ["-c", Self.script, "sh", folder.file("bus.conf"), folder.path]
    keeper.standardOutput = output
    lifeline = try PacketPair().keepNear { far in
      // Sockets, because a pipe from Foundation would be inherited by processes of other tests, and
      // then never close.
      let input = dup(far.number)
      _ = fcntl(input, F_SETFL, 0)
      keeper.standardInput = FileHandle(fileDescriptor: input, closeOnDealloc: true)
    }
    try withSignalsUnblocked { try keeper.run() }
    let lines = try readLines(output.fileHandleForReading, 2)
    guard let number = pid_t(lines[1]) else { throw StartError(output: lines[1]) }
    (self.keeper, daemon) = (keeper, number)
  }

  /// Like a crash. Its sockets are closed when this returns.
  public func stop() {
    guard let keeper, let daemon else { return }
    kill(daemon, SIGKILL)
    keeper.waitUntilExit()
    (self.keeper, self.daemon) = (nil, nil)
    lifeline = nil
  }

  /// The bus stops answering until `goOn`.
  public func hang() {
    if let daemon { kill(daemon, SIGSTOP) }
  }

  public func goOn() {
    if let daemon { kill(daemon, SIGCONT) }
  }

  /// The shell waits for the bus and also for the end of its own input, which means that this
  /// process is gone and cannot clean up.
  private static let script = """
    exec 3<&0
    dbus-daemon --config-file="$1" --nofork --nopidfile --print-address=1 --print-pid=1 3<&- 2>"$1.log" &
    daemon=$!
    exec 1>/dev/null 2>&1
    (read end <&3; rm -rf "$2"; kill -KILL $daemon) &
    wait $daemon
    kill -KILL $!
    """

  public struct StartError: Error {
    public let output: String
  }

  /// dbus-daemon prints its address and process id once it listens.
  private func readLines(_ handle: FileHandle, _ count: Int) throws -> [String] {
    var text = ""
    while text.split(separator: "\n").count < count || !text.hasSuffix("\n") {
      let data = handle.availableData
      guard !data.isEmpty else {
        throw StartError(output: try String(contentsOfFile: folder.file("bus.conf.log"), encoding: .utf8))
      }
      text += String(decoding: data, as: UTF8.self)
    }
    return text.split(separator: "\n").map(String.init)
  }

  private static func configuration(_ socket: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>cyclometer-test</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """
  }
}
