// The whole daemon with its sockets, in virtual time, with a simulated radio. Clients must not be
// able to end it, to keep it from answering others, or to make it send anything but records.

import DaemonCore
import EventLoop
import Fuzzing
import Linux
import ProgramKit
import Sensors
import Simulation

/// The daemon's log, if the steps are shown.
private func tell(_ line: String) {
  show(line)
}

final class House {
  /// One folder for the process, in memory if scripts/fuzz made it. It is emptied for each input.
  private let folder =
    (ProcessEnvironment.variable("FUZZ_FOLDER") ?? "/tmp") + "/house-\(ProcessEnvironment.processNumber)"
  private let daemon: Daemon
  private let crowd: Crowd

  init() throws {
    try Files.createDirectory(folder, mode: 0o700)
    for file in try Files.names(in: folder) { try Files.remove("\(folder)/\(file)") }
    let loop = try EventLoop(.virtual(VirtualTime()))
    crowd = Crowd(loop, first: folder + "/control.sock", other: folder + "/metrics.sock")
    let log = Log(level: .error, write: tell)
    let plugins = PluginKeeper(builtInPlugins, log: log)
    let radio = SimulatedRadio(RideScene(), loop: loop, plugins: plugins.shelf)
    daemon = try Daemon(
      loop: loop, radio: radio, configuration: DaemonConfiguration(), plugins: plugins,
      directories: ServiceDirectories(runtime: folder, state: folder), log: log,
      release: "0.0.0", isSimulated: true)
    try daemon.adopt(radio.pairedSensors, of: radio.addresses)
    try daemon.start()
    ignoreBrokenPipes()
  }

  func play(_ step: SocketScript.Step) throws { try crowd.play(step) }

  /// All clients read the rest. Then a new client must be served normally.
  func end() throws {
    try crowd.leave()
    for (id, method) in [("w1", "ping"), ("w2", "status")] {
      try crowd.ask(id, "\"\(method)\"", within: .seconds(10))
    }
    daemon.stop()
  }
}
