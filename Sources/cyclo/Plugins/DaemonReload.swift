// Has the daemon read its files again, as `systemctl reload` does, and asks what it uses then.

import CyclometerClient
import Linux
import Text
import Wire

struct DaemonReload {
  private let session: Session

  enum Outcome {
    case notRunning
    /// With the reason.
    case notReloaded(String)
    case reloaded(PluginsReply)
  }

  init(_ session: Session) { self.session = session }

  func run() throws(Failure) -> Outcome {
    let connection: Connection
    do throws(ClientError) {
      connection = try Connection(to: session.endpoint, for: .read)
    } catch {
      guard case .noDaemon = error else { return .notReloaded(error.description) }
      return .notRunning
    }
    guard let process = DaemonProcess(try session.ask(connection, .status).content.daemon.pid) else {
      return .notReloaded("its process is not visible from here")
    }
    do throws(SystemError) {
      try Signal.hangUp.send(toProcess: process.number)
    } catch {
      return .notReloaded(error.reason)
    }
    // The signal is pending before the first request, so the daemon handles it before the second.
    try session.ask(connection, .plugins())
    return .reloaded(try session.ask(connection, .plugins()).content)
  }
}
