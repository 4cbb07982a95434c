// Reports to the service manager: ready, a status line, and the watchdog's keep-alive. It sends the
// keep-alive only if the loop runs and the bus answers, so a daemon that hangs on either is
// restarted.

public import EventLoop
public import Linux
import Wire

public final class Supervision {
  private let daemon: Daemon
  private let loop: EventLoop
  private let manager: ServiceManager
  private var heartbeat: Deadline?
  private var said: String

  public init(of daemon: Daemon, by manager: ServiceManager, on loop: EventLoop) {
    self.daemon = daemon
    self.loop = loop
    self.manager = manager
    said = daemon.statusLine
    manager.tell(.ready, .status(said))
    daemon.statusChanged = { [weak self] in self?.sendStatus() }
    beat()
  }

  /// Wraps `load`, which reads the configuration again.
  public func reload(_ load: () -> Void) {
    manager.tell(.reloading)
    load()
    manager.tell(.ready)
  }

  public func end() {
    heartbeat?.cancel()
    daemon.statusChanged = {}
    manager.tell(.stopping)
  }

  private func sendStatus() {
    let line = daemon.statusLine
    guard line != said else { return }
    said = line
    manager.tell(.status(line))
  }

  /// Twice per watchdog interval.
  private func beat() {
    guard let timeout = manager.watchdogInterval else { return }
    daemon.radio.prove { [weak self] isAlive in
      if isAlive { self?.manager.tell(.alive) }
    }
    heartbeat = loop.schedule(after: timeout / 2) { [weak self] in self?.beat() }
  }
}

extension Daemon {
  /// `3 of 4 sensors stream. Varia RTL515: searching, link lost`
  public var statusLine: String {
    let wanted = sessions.filter { $0.state != .disabled }
    let count = wanted.count { $0.state == .streaming }
    let sensors = wanted.count == 1 ? "sensor streams" : "sensors stream"
    var text = sessions.isEmpty ? "No sensor is paired" : "\(count) of \(wanted.count) \(sensors)"
    if let obstacle = radio.condition.obstacle {
      return text + ". Bluetooth: \(obstacle.words)"
    }
    for session in wanted.filter({ $0.state != .streaming }).prefix(Self.mostNamed) {
      text += ". \(session.name): \(session.state.rawValue)"
      if let reason = session.reason { text += ", \(reason.words)" }
    }
    return text
  }

  /// More would make the line too long to read.
  private static let mostNamed = 3
}
