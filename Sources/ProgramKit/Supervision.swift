// Reports to the service manager: ready, a status line, and the watchdog's keep-alive. It sends the
// keep-alive only if the loop runs and the service is alive, so one that hangs is restarted.

import EventLoop
import Linux

final class Supervision {
  private let service: any Service
  private let loop: EventLoop
  private let manager: ServiceManager
  private var heartbeat: Deadline?
  private var lastStatus: String

  init(of service: any Service, by manager: ServiceManager, on loop: EventLoop) {
    self.service = service
    self.loop = loop
    self.manager = manager
    lastStatus = service.statusLine
    manager.tell(.ready, .status(lastStatus))
    service.statusChanged = { [weak self] in self?.sendStatus() }
    beat()
  }

  /// Wraps `load`, which reads the configuration again.
  func reload(_ load: () -> Void) {
    manager.tell(.reloading)
    load()
    manager.tell(.ready)
  }

  func end() {
    heartbeat?.cancel()
    service.statusChanged = {}
    manager.tell(.stopping)
  }

  private func sendStatus() {
    let line = service.statusLine
    guard line != lastStatus else { return }
    lastStatus = line
    manager.tell(.status(line))
  }

  /// Twice per watchdog interval.
  private func beat() {
    guard let timeout = manager.watchdogInterval else { return }
    service.prove { [weak self] isAlive in
      if isAlive { self?.manager.tell(.alive) }
    }
    heartbeat = loop.schedule(after: timeout / 2) { [weak self] in self?.beat() }
  }
}
