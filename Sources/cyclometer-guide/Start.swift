// Builds the guide from the command line and its configuration.

import CommandTable
import CyclometerClient
import EventLoop
import GuideCore
import Linux
import ProgramKit
import Release

struct Start {
  let invocation: Invocation

  private static let runtimeDirectory = "/run/cyclometer-guide"
  private static let stateDirectory = "/var/lib/cyclometer-guide"

  func guide(
    _ configuration: GuideConfiguration, _ loop: EventLoop, _ log: Log
  ) throws(StartError) -> GuideService {
    let daemon = invocation.text(.socket).map { Endpoint(controlSocket: $0) } ?? .standard
    // Clients expect it next to the daemon's sockets.
    let socketFolder = invocation.text(.runtimeDirectory) ?? Files.parent(of: daemon.controlSocket)
    let places = GuidePlaces(
      daemon: daemon, socket: socketFolder + "/guide.sock",
      directories: ServiceDirectories(
        runtime: invocation.text(.runtimeDirectory) ?? Self.runtimeDirectory,
        state: invocation.text(.stateDirectory) ?? Self.stateDirectory))
    let service = try GuideService(
      loop: loop, configuration: configuration, places: places, log: log, release: Release.release)
    try service.start()
    return service
  }
}
