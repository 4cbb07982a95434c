// Builds the recorder from the command line and its configuration.

import CommandTable
import CyclometerClient
import EventLoop
import Linux
import ProgramKit
import RecorderCore
import Release

struct Start {
  let invocation: Invocation

  private static let runtimeDirectory = "/run/cyclometer-recorder"
  private static let stateDirectory = "/var/lib/cyclometer-recorder"

  func recorder(
    _ configuration: RecorderConfiguration, _ loop: EventLoop, _ log: Log
  ) throws(StartError) -> RecorderService {
    let daemon = invocation.text(.socket).map { Endpoint(controlSocket: $0) } ?? .standard
    // Clients expect it next to the daemon's sockets.
    let socketFolder = invocation.text(.runtimeDirectory) ?? Files.parent(of: daemon.controlSocket)
    let places = RecorderPlaces(
      daemon: daemon, socket: socketFolder + "/logbook.sock",
      directories: ServiceDirectories(
        runtime: invocation.text(.runtimeDirectory) ?? Self.runtimeDirectory,
        state: invocation.text(.stateDirectory) ?? Self.stateDirectory))
    let service = try RecorderService(
      loop: loop, configuration: configuration, places: places, log: log, release: Release.release)
    try service.start()
    return service
  }
}
