// The whole daemon in virtual time, with a scripted radio and real sockets.

import EventLoop
import JSON
import Linux
import Position
import ProgramKit
import Radio
import SensorFolders
import Sensors
import TestSupport
import Time
import Wire

@testable import Connections
@testable import DaemonCore

final class TestDaemon {
  let loop: EventLoop
  let radio: ScriptedRadio
  let folder: TemporaryFolder
  let daemon: Daemon
  private(set) var logged = LogBook()

  /// `sensors`: a folder with files of declared sensors.
  init(
    in folder: TemporaryFolder? = nil, runtime: String? = nil, gpsd: GPSDClient.Address? = nil, sensors: String? = nil
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    let loop = try EventLoop(.virtual(VirtualTime()))
    let book = LogBook()
    self.folder = folder
    self.loop = loop
    radio = ScriptedRadio(loop)
    var configuration = DaemonConfiguration()
    // Ignore a gpsd of this machine.
    configuration.gpsd = gpsd
    let log = Log { book.lines.append($0) }
    let folders = sensors.map { SensorFileFolders(packages: nil, owner: $0) }
    daemon = try Daemon(
      loop: loop, radio: radio, configuration: configuration,
      plugins: PluginKeeper(builtInPlugins, filesIn: folders, log: log),
      directories: ServiceDirectories(runtime: runtime ?? folder.path, state: folder.path),
      log: log, release: "0.0.0")
    logged = book
    try daemon.start()
  }

  func connect(_ role: String = "control.sock") throws -> TestClient {
    try TestClient(folder.path + "/" + role, daemon: self)
  }

  func run(for span: Duration) throws {
    _ = try loop.run(until: loop.now + span) { false }
  }

  func run(within span: Duration = .seconds(1), until condition: () -> Bool) throws -> Bool {
    try loop.run(until: loop.now + span, condition)
  }

  /// Pairs the strap, or a sensor with another `measurement`, and sends its first value.
  func pairStrap(
    name: String = "Polar H10", measurement: Endpoint = .measurement, first: [UInt8] = [0x00, 0x48]
  ) throws -> TestClient {
    let client = try connect()
    client.send(#"{"id":1,"method":"subscribe"}"#)
    client.send(#"{"id":2,"method":"pair","params":{"address":"\#(DeviceAddress.strap)"}}"#)
    try run(for: .milliseconds(10))
    radio.advertise(name: name)
    try run(for: .milliseconds(200))
    radio.link?.notify(first, from: measurement)
    try run(for: .milliseconds(10))
    return client
  }

  /// Three revolutions per second of every connected wheel.
  func roll(_ seconds: Range<Int>) throws {
    for second in seconds {
      let (turns, ticks) = (second * 3, second * 1024 % 65_536)
      for link in radio.links where !link.isClosed {
        link.notify(
          [1, UInt8(turns % 256), UInt8(turns / 256), 0, 0, UInt8(ticks % 256), UInt8(ticks / 256)], from: .wheel)
      }
      try run(for: .seconds(1))
    }
  }

  func state(_ id: String = "polar-h10-0001") -> SensorState? {
    daemon.sensors.sessions.first { $0.id == id }?.state
  }

  /// Whether the first sensor is connected and subscribed, so that its next value makes it stream.
  var isSubscribed: Bool { daemon.sensors.sessions.first?.connection.isSubscribed == true }

  func reason(_ id: String = "polar-h10-0001") -> StateReason? {
    daemon.sensors.sessions.first { $0.id == id }?.connection.reason
  }
}

final class LogBook {
  var lines: [String] = []
}

/// A client in the same thread. The daemon answers when its loop runs.
final class TestClient {
  private let socket: FileDescriptor
  private unowned let daemon: TestDaemon
  private let tap: LineTap
  private var splitter = LineSplitter()
  private(set) var records: [JSONValue] = []
  /// The received part of an unfinished line.
  private(set) var unfinished: [UInt8] = []

  init(_ path: String, daemon: TestDaemon) throws {
    socket = try UnixSocket.connect(to: path)
    try socket.setNonBlocking()
    self.daemon = daemon
    tap = LineTap(path.hasSuffix("/plugin.sock") ? .plugins : .daemon)
  }

  func stopSending() throws {
    try StreamSocket.shutdownWrite(socket.number)
  }

  func send(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    tap.sent(bytes)
    _ = try? socket.write(bytes.span)
  }

  /// All records received so far, hello included. With `bytes`, reads at most that many further
  /// bytes.
  @discardableResult
  func receive(bytes: Int? = nil) throws -> [JSONValue] {
    var buffer = [UInt8](repeating: 0, count: bytes ?? 1 << 16)
    var isEnough = false
    while !isEnough, case .done(let count) = try socket.read(into: &buffer), count > 0 {
      isEnough = bytes != nil
      tap.received(buffer[..<count])
      let end = buffer[..<count].lastIndex(of: UInt8(ascii: "\n"))
      unfinished = end.map { Array(buffer[($0 + 1)..<count]) } ?? unfinished + buffer[..<count]
      var lines: [[UInt8]] = []
      _ = splitter.feed(buffer.span.extracting(..<count)) { line in
        lines.append(line.indices.map { line[$0] })
        return true
      }
      records += try lines.map { try JSONValue.parse($0) }
    }
    return records
  }

  /// Samples of sensors, without those of the ride.
  func samples() throws -> [JSONValue] {
    try all("sample").filter { $0["sensor"] != "ride" }
  }

  func all(_ className: String) throws -> [JSONValue] {
    try receive().filter { $0["class"]?.text == className }
  }

  func reply(_ id: Int) throws -> JSONValue? {
    try receive().last { $0["id"]?.integer == id }
  }
}
