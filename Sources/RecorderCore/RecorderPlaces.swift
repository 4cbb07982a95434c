// Where the recorder finds the daemon and keeps its files.

public import CyclometerClient
public import ProgramKit

public struct RecorderPlaces: Sendable {
  let daemon: Endpoint
  /// The path of logbook.sock, unless the service manager passes it.
  let socket: String
  let directories: ServiceDirectories

  public init(daemon: Endpoint, socket: String, directories: ServiceDirectories) {
    (self.daemon, self.socket, self.directories) = (daemon, socket, directories)
  }

  var logbook: String { directories.state + "/logbook.db" }
  var spool: String { directories.state + "/spool" }
  var stateLock: String { directories.state + "/lock" }

  /// Nil if nothing is exported automatically.
  func exportFolder(_ wanted: RecorderConfiguration.ExportFolder) -> String? {
    switch wanted {
    case .none: nil
    case .standard: directories.state + "/export"
    case .folder(let path): path
    }
  }

  func exports(_ configuration: RecorderConfiguration) -> AutomaticExports.Settings {
    AutomaticExports.Settings(
      folder: exportFolder(configuration.exportFolder), formats: configuration.exportFormats)
  }
}
