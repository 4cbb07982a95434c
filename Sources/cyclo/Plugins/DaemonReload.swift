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
    let daemon = try session.ask(connection, .status).content.daemon
    guard let number = daemon.pid.flatMap(Int32.init(exactly:)), Self.isDaemon(number) else {
      return .notReloaded("its process is not visible from here")
    }
    do throws(SystemError) {
      try Signal.hangUp.send(toProcess: number)
    } catch {
      return .notReloaded(error.reason)
    }
    // The signal is pending before the first request, so the daemon handles it before the second.
    try session.ask(connection, .plugins())
    return .reloaded(try session.ask(connection, .plugins()).content)
  }

  /// The number comes from a socket, so another process must not get the signal.
  private static func isDaemon(_ number: Int32) -> Bool {
    guard let name = try? Files.read("/proc/\(number)/comm", atMost: 64) else { return false }
    return name == Array("cyclometerd\n".utf8)
  }
}
