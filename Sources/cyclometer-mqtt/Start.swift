// Builds the bridge from the command line and its configuration.

import BridgeCore
import CommandTable
import CyclometerClient
import EventLoop
import Linux
import ProgramKit
import Release

struct Start {
  let invocation: Invocation

  private static let runtimeDirectory = "/run/cyclometer-mqtt"
  private static let stateDirectory = "/var/lib/cyclometer-mqtt"

  func bridge(
    _ configuration: BridgeConfiguration, _ loop: EventLoop, _ log: Log
  ) throws(StartError) -> BridgeService {
    let daemon = invocation.text(.socket).map { Endpoint(controlSocket: $0) } ?? .standard
    // Clients expect it next to the daemon's sockets.
    let socketFolder = invocation.text(.runtimeDirectory) ?? Files.parent(of: daemon.controlSocket)
    let places = BridgePlaces(
      daemon: daemon, socket: socketFolder + "/mqtt.sock",
      directories: ServiceDirectories(
        runtime: invocation.text(.runtimeDirectory) ?? Self.runtimeDirectory,
        state: invocation.text(.stateDirectory) ?? Self.stateDirectory))
    let service = try BridgeService(
      loop: loop, configuration: configuration, places: places, log: log, release: Release.release)
    try service.start()
    return service
  }
}
