// Where the bridge finds the daemon, and keeps its files.

public import CyclometerClient
public import ProgramKit

public struct BridgePlaces: Sendable {
  let daemon: Endpoint
  /// The path of mqtt.sock, unless the service manager passes it.
  let socket: String
  let directories: ServiceDirectories

  public init(daemon: Endpoint, socket: String, directories: ServiceDirectories) {
    (self.daemon, self.socket, self.directories) = (daemon, socket, directories)
  }
}
