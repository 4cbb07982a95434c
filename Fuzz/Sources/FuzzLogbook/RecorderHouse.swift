// The whole recorder with its socket, in virtual time, without a daemon. Clients must not be able to
// end it, to keep it from answering others, to make it send anything but records, or to damage the
// logbook.

import CyclometerClient
import EventLoop
import Fuzzing
import Linux
import Logbook
import ProgramKit
import RecorderCore
import Recording
import SQLite

final class RecorderHouse {
  /// One folder for the process, in memory if scripts/fuzz made it.
  private static let folder =
    (ProcessEnvironment.variable("FUZZ_FOLDER") ?? "/tmp") + "/recorder-\(ProcessEnvironment.processNumber)"
  let logbook = RecorderHouse.folder + "/logbook.db"
  private let socket = RecorderHouse.folder + "/logbook.sock"
  private let service: RecorderService
  private let crowd: Crowd

  /// Without a template the logbook is empty.
  init(_ template: LogbookTemplate?) throws {
    let folder = Self.folder
    try Files.createDirectory(folder, mode: 0o700)
    let reserve = logbook + ".reserve"
    for file in try Files.names(in: folder) where file.hasPrefix("logbook.") && folder + "/" + file != reserve {
      try Files.remove("\(folder)/\(file)")
    }
    // Filling it for each input would take longer than all else.
    if !Files.exists(reserve) {
      try Files.replace(reserve, with: [UInt8](repeating: 0, count: Reserve.size), mode: 0o600)
    }
    try template?.write(to: logbook)
    let loop = try EventLoop(.virtual(VirtualTime()))
    crowd = Crowd(loop, first: socket)
    var configuration = RecorderConfiguration()
    configuration.exportFolder = .none
    let places = RecorderPlaces(
      daemon: Endpoint(controlSocket: folder + "/control.sock"), socket: socket,
      directories: ServiceDirectories(runtime: folder, state: folder))
    service = try RecorderService(
      loop: loop, configuration: configuration, places: places, log: Log(level: .error, write: { show($0) }),
      release: "0.0.0")
    try service.start()
    ignoreBrokenPipes()
  }

  func play(_ step: SocketScript.Step) throws { try crowd.play(step) }

  func ask(_ id: String, _ request: String) throws { try crowd.ask(id, request) }

  /// All clients read the rest. Then a new client must be served normally, and the logbook must be
  /// sound.
  func end() throws {
    try crowd.leave()
    try ask("w1", #""ping""#)
    try ask("w2", #""list""#)
    try ask("w3", #""add","params":{"sport":"running","start":"2026-06-01T07:30:00.000Z","elapsed_time_s":60}"#)
    service.stop()
    // A copy, because the recorder has the file until its process ends.
    let copy = Self.folder + "/logbook.copy"
    for suffix in ["", "-wal", ".is-damaged"] where Files.exists(logbook + suffix) {
      try Files.replace(copy + suffix, with: try Files.read(logbook + suffix), mode: 0o600)
    }
    let file = try LogbookFile(copy)
    require(file.event == nil, "the logbook was damaged")
    try file.database.checkpoint()
  }
}
