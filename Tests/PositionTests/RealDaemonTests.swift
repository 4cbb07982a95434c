// The real daemon with the real gpsd: no Bluetooth, a pseudo-terminal as the receiver, and samples
// on the socket.

import Foundation
import JSON
import Linux
import TestSupport
import Testing
import Time

@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: RealGPSD.path != nil, "there is no gpsd"))
struct RealDaemonTests {
  @Test("positions come from gpsd, and again after its restart")
  func positionsComeFromGpsd() throws {
    let (folder, gpsd, receiver) = (try TemporaryFolder(), try RealGPSD(), try PretendedReceiver())
    let configuration = folder.file("cyclometer.conf")
    try Files.replace(configuration, with: Array("[Position]\nGPSD=localhost:\(gpsd.port)\n".utf8), mode: 0o600)
    let daemon = try RealDaemon(
      ["--config", configuration], in: folder,
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.file("nowhere"))"])
    let listener = try Listener(daemon.metricsSocket)
    try gpsd.start([receiver])
    var second = 0
    func feed() {
      receiver.writeFix(second: second)
      second += 1
    }
    // The first position can lack an altitude, and one can still be in transit when gpsd is killed.
    var first = try listener.position(feed)
    while first["altitude_m"] == nil { first = try listener.position(feed) }
    #expect(abs((first["longitude_deg"]?.number ?? 0) - 8.533333) < 1e-6 && first["altitude_m"] == 420)
    gpsd.kill()
    try gpsd.start([receiver])
    let place = try #require(first["latitude_deg"]?.number)
    while try listener.position(feed)["latitude_deg"]?.number ?? 0 <= place {}
    #expect(daemon.stop() == 0)
  }
}

/// Waits for positions. Meanwhile ten seconds of the ride pass per second.
private final class Listener {
  private let socket: FileDescriptor
  private var splitter = LineSplitter()

  struct NoPosition: Error {}

  init(_ path: String) throws {
    socket = try UnixSocket.connect(to: path)
    _ = try socket.write(Array(#"{"id":1,"method":"subscribe","params":{"kinds":["position"]}}"#.utf8 + [10]).span)
  }

  func position(_ feed: () -> Void) throws -> JSONValue {
    let deadline = MonotonicTime.now + .seconds(30)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while MonotonicTime.now < deadline {
      feed()
      guard try Waiting.untilReadable(socket.number, deadline: .now + .milliseconds(100)),
        case .done(let count) = try socket.read(into: &buffer), count > 0
      else { continue }
      var found: JSONValue?
      _ = splitter.feed(buffer.span.extracting(..<count)) { line in
        if let record = try? JSONValue.parse(line), record["kind"] == "position" { found = record }
        return true
      }
      if let found { return found }
    }
    throw NoPosition()
  }
}
