// Where the dashboard's server finds the other services, listens, and keeps its files.

public import CyclometerClient
public import Linux
public import ProgramKit

public struct DashboardPlaces: Sendable {
  let daemon: Endpoint
  /// The folder of web.sock and front.sock, unless the service manager passes them.
  let socketFolder: String
  let directories: ServiceDirectories
  /// An address to listen on, in addition to what the service manager passes.
  let address: InternetAddress?
  /// The folder of the page, instead of the configured one.
  let pageFolder: String?
  /// That of Debian's package libjs-leaflet.
  let leafletFolder: String

  public init(
    daemon: Endpoint, socketFolder: String, directories: ServiceDirectories, address: InternetAddress?,
    pageFolder: String?, leafletFolder: String = "/usr/share/javascript/leaflet"
  ) {
    (self.daemon, self.socketFolder, self.directories) = (daemon, socketFolder, directories)
    (self.address, self.pageFolder, self.leafletFolder) = (address, pageFolder, leafletFolder)
  }

  var webSocket: String { socketFolder + "/web.sock" }
  var frontSocket: String { socketFolder + "/front.sock" }
  var maps: String { directories.state + "/maps" }
  var stateLock: String { directories.state + "/lock" }
  var guideSocket: String { Files.parent(of: daemon.controlSocket) + "/guide.sock" }
  var bridgeSocket: String { Files.parent(of: daemon.controlSocket) + "/mqtt.sock" }
  var logbookSocket: String { Files.parent(of: daemon.controlSocket) + "/logbook.sock" }
}
