// The whole guide in one loop with virtual time, between a daemon and a recorder that a test plays.

import CyclometerClient
import Earth
import EventLoop
import JSON
import Linux
import LogbookWire
import ProgramKit
import TestSupport
import Testing
import Time

@testable import GuideCore

final class GuideServiceTests {
  private let loop: EventLoop
  private let folder: TemporaryFolder
  private let recorder: PlayedRecorder
  private let daemon: PlayedDaemon
  private var guide: GuideService?
  private var lines: [String] = []

  init() throws {
    loop = try EventLoop(.virtual(VirtualTime()))
    recorder = try PlayedRecorder(loop)
    folder = recorder.folder
    daemon = try PlayedDaemon(loop, at: folder.file("metrics.sock"))
  }

  deinit {
    guide?.stop()
    daemon.stop()
    recorder.stop()
  }

  private func start() throws {
    try recorder.start()
    let directories = ServiceDirectories(runtime: folder.file("run"), state: folder.file("state"))
    for path in [directories.runtime, directories.state] { try Files.createDirectory(path, mode: 0o700) }
    let places = GuidePlaces(
      daemon: Endpoint(controlSocket: folder.file("control.sock")), socket: folder.file("guide.sock"),
      directories: directories)
    let log = Log { [weak self] in self?.lines.append($0) }
    guide = try GuideService(
      loop: loop, configuration: GuideConfiguration(), places: places, log: log, release: "0.0.0")
    try guide?.start()
    try run(for: .seconds(1))
  }

  private func run(for span: Duration) throws { _ = try loop.run(until: loop.now + span) { false } }

  private func connect() throws -> Peer { try Peer(folder.file("guide.sock")) }

  @Test("changes of the segments and of the recorder are announced")
  func announcements() throws {
    try start()
    let peer = try connect()
    try peer.send("subscribe")
    try run(for: .seconds(1))
    _ = try peer.received()
    recorder.add(1, points: 20)
    recorder.announce(.added, 1)
    try run(for: .seconds(2))
    var records = try peer.received().filter { $0["class"] == "guide" }
    #expect(records.last?["segments"] == 1 && records.last?["logbook_message"] == nil, "\(records)")
    recorder.stop()
    try run(for: .seconds(2))
    records = try peer.received().filter { $0["class"] == "guide" }
    #expect(records.last?["logbook_message"]?.text?.contains("cyclometer-recorder") == true, "\(records)")
    #expect(records.last?["segments"] == 1)
    try recorder.start()
    try run(for: .seconds(60))
    records = try peer.received().filter { $0["class"] == "guide" }
    #expect(!records.isEmpty && records.last?["logbook_message"] == nil, "\(records)")
  }

  @Test("segments with the longest names that end together are all finished")
  func manyEnds() throws {
    // So many bytes do not fit into one batch.
    let name = String(repeating: "n", count: 256)
    for id in 1...8 {
      recorder.add(id, points: 20)
      recorder.segments[0].name = name
    }
    try start()
    let peer = try connect()
    try peer.send("subscribe")
    for second in 0...60 {
      let position = try #require(Coordinate(latitude: 46.999 + Double(second) * 0.00009, longitude: 8.5))
      daemon.publish(position)
      try run(for: .seconds(1))
    }
    let finished = try peer.received().filter { $0["state"] == "finished" && $0["name"]?.text == name }
    #expect(Set(finished.compactMap { $0["segment"]?.integer }) == Set(1...8), "\(finished.count)\n\(lines)")
    #expect(!lines.contains { $0.contains("not published") }, "\(lines)")
  }

  @Test("a route that the client no longer waits for is not followed later")
  func abandonedFollow() throws {
    recorder.answersRoutes = false
    try start()
    var peer: Peer? = try connect()
    try peer?.send("follow", #"{"route":4}"#)
    try run(for: .seconds(2))
    #expect(recorder.waitingClients == 1)
    peer = nil
    try run(for: .seconds(1))
    #expect(recorder.waitingClients == 0, "the download is cancelled")
    let other = try connect()
    try other.send("status")
    try run(for: .seconds(1))
    let status = try #require(try other.received().first { $0["class"] == "reply" })
    #expect(status["result"]?["following"] == nil)
  }

  /// A client in the same loop.
  private final class Peer {
    private let socket: FileDescriptor
    private var lastID = 0
    private var bytes: [UInt8] = []

    init(_ path: String) throws { socket = try UnixSocket.connect(to: path, nonBlocking: true) }

    func send(_ method: String, _ parameters: String = "{}") throws {
      lastID += 1
      let line = Array("{\"id\":\(lastID),\"method\":\"\(method)\",\"params\":\(parameters)}\n".utf8)
      _ = try StreamSocket.send(socket.number, line.span)
    }

    /// The records since the last call.
    func received() throws -> [JSONValue] {
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      while case .done(let count) = try socket.read(into: &chunk), count > 0 { bytes += chunk[..<count] }
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      bytes = []
      return try lines.map { try JSONValue.parse(Array($0)) }
    }
  }
}
