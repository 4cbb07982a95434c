// The whole daemon with its sockets, in virtual time, with a simulated radio. Clients must not be
// able to end it, to keep it from answering others, or to make it send anything but records.

import DaemonCore
import EventLoop
import Fuzzing
import Linux
import ProgramKit
import Sensors
import Simulation
import Time

/// The daemon's log, if the steps are shown.
private func tell(_ line: String) {
  show(line)
}

final class House {
  /// One folder for the process, in memory if scripts/fuzz made it. It is emptied for each input.
  private let folder =
    (ProcessEnvironment.variable("FUZZ_FOLDER") ?? "/tmp") + "/house-\(ProcessEnvironment.processNumber)"
  private let loop: EventLoop
  private let daemon: Daemon
  private var clients: [FuzzClient?] = Array(repeating: nil, count: ControlScript.clients)
  private var requests = 0

  init() throws {
    try Files.createDirectory(folder, mode: 0o700)
    for file in try Files.names(in: folder) { try Files.remove("\(folder)/\(file)") }
    loop = try EventLoop(.virtual(VirtualTime()))
    let radio = SimulatedRadio(RideScene(), loop: loop, plugins: builtInPlugins)
    daemon = try Daemon(
      loop: loop, radio: radio, configuration: DaemonConfiguration(), plugins: builtInPlugins,
      directories: ServiceDirectories(runtime: folder, state: folder), log: Log(level: .error, write: tell),
      release: "0.0.0", isSimulated: true)
    try daemon.adopt(radio.pairedSensors, of: radio.addresses)
    try daemon.start()
    ignoreBrokenPipes()
  }

  func play(_ step: ControlScript.Step) throws {
    show("\(step)")
    switch step {
    case .connect(let client, let toControl): try connect(client, toControl: toControl)
    case .send(let client, let bytes): try send(client, bytes)
    case .request(let client, let method, let parameters, let times):
      requests += 1
      let head = #"{"id":\#(requests),"method":"\#(method)","params":{"#
      let line = Array(head.utf8) + parameters + Array("}}\n".utf8)
      try send(client, Array(repeatElement(line, count: times).joined()))
    case .read(let client): try clients[client]?.read()
    case .stopSending(let client): clients[client]?.stopSending()
    case .close(let client): clients[client] = nil
    case .pass(let milliseconds): try pass(.milliseconds(milliseconds))
    }
    try pass(.milliseconds(1))
  }

  /// All clients read the rest. Then a new client must be served normally.
  func end() throws {
    for client in clients { try client?.read() }
    try pass(.seconds(5))
    for client in clients { try client?.read() }
    clients = clients.map { _ in nil }
    try pass(.milliseconds(1))
    let witness = try FuzzClient(folder + "/control.sock")
    try witness.send(Array(#"{"id":"w1","method":"ping"}"#.utf8) + [10])
    try witness.send(Array(#"{"id":"w2","method":"status"}"#.utf8) + [10])
    try pass(.seconds(10))
    try witness.read()
    require(witness.repliedTo.suffix(2) == ["w1", "w2"], "a newcomer is not answered: \(witness.repliedTo)")
    daemon.stop()
  }

  private func connect(_ client: Int, toControl: Bool) throws {
    clients[client] = nil
    try pass(.milliseconds(1))
    clients[client] = try FuzzClient(folder + (toControl ? "/control.sock" : "/metrics.sock"))
  }

  private func send(_ client: Int, _ bytes: [UInt8]) throws {
    if clients[client] == nil { try connect(client, toControl: true) }
    try clients[client]?.send(bytes)
  }

  private func pass(_ span: Duration) throws {
    _ = try loop.run(until: loop.now + span) { false }
  }
}
