// Builds the dashboard's server from the command line and its configuration.

import CommandTable
import CyclometerClient
import Dashboard
import EventLoop
import Linux
import ProgramKit
import Release

struct Start {
  let invocation: Invocation

  private static let runtimeDirectory = "/run/cyclometer-web"
  private static let stateDirectory = "/var/lib/cyclometer-web"

  func server(
    _ configuration: DashboardConfiguration, _ loop: EventLoop, _ log: Log
  ) throws(StartError) -> DashboardService {
    let daemon = invocation.text(.socket).map { Endpoint(controlSocket: $0) } ?? .standard
    // Clients expect it next to the daemon's sockets.
    let socketFolder = invocation.text(.runtimeDirectory) ?? Files.parent(of: daemon.controlSocket)
    let places = DashboardPlaces(
      daemon: daemon, socketFolder: socketFolder,
      directories: ServiceDirectories(
        runtime: invocation.text(.runtimeDirectory) ?? Self.runtimeDirectory,
        state: invocation.text(.stateDirectory) ?? Self.stateDirectory),
      address: try address(), pageFolder: invocation.text(.page))
    let service = try DashboardService(
      loop: loop, configuration: configuration, places: places, log: log, release: Release.release)
    try service.start()
    if invocation.has(.listen), let address = service.addresses.last { writeOutput("http://\(address)/\n") }
    return service
  }

  /// `127.0.0.1:8080` or `[::1]:8080`.
  private func address() throws(StartError) -> InternetAddress? {
    guard let text = invocation.text(.listen) else { return nil }
    if let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) {
      var host = String(text[..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      if let address = InternetAddress(host, port: port) { return address }
    }
    throw StartError("--listen \(text): expected an address and a port, such as 127.0.0.1:8080 or [::1]:8080")
  }
}
