// `metrics`: the health of the services, for Prometheus.

import CycloCommands
import CyclometerClient
import FleetWire
import GuideWire
import Linux
import LogbookWire
import Wire

func metrics(_ session: Session) throws(Failure) {
  let endpoint = session.endpoint
  var text = OpenMetricsText()
  do throws(ClientError) {
    try text.addDaemon(endpoint)
  } catch {
    // A wrong group is a mistake of the setup, and says nothing about the daemon.
    if case .notAllowed = error { throw Failure(error) }
    text.addService("cyclometerd", isUp: false)
  }
  text.addRecorder(endpoint)
  text.addGuide(endpoint)
  text.addDashboard(endpoint)
  text.addBridge(endpoint)
  session.output.bytes(text.bytes)
}

extension OpenMetricsText {
  fileprivate mutating func addService(_ program: String, isUp: Bool, release: String? = nil) {
    add(.isUp, isUp, ("service", program))
    if let release { add(.release, 1, ("service", program), ("release", release)) }
  }

  // MARK: The daemon

  fileprivate mutating func addDaemon(_ endpoint: Endpoint) throws(ClientError) {
    let connection = try Connection(to: endpoint, for: .read)
    let status = try connection.request(.status).content
    addService("cyclometerd", isUp: true, release: status.daemon.release ?? connection.greeting.release)
    add(.uptime, status.daemon.uptimeS)
    let memory = DaemonProcess(status.daemon.pid)?.memory
    add(.residentMemory, memory?.resident)
    add(.privateMemory, memory?.anonymous)
    add(.clients, status.counts.clients.map(Double.init))
    add(.bluetoothUsable, status.bluetooth.reason == nil)
    for adapter in status.adapters {
      addStates(.adapterState, AdapterState.self, current: adapter.state.text, ("adapter", adapter.adapter))
    }
    add(.positionReceivers, status.position?.receivers.map(Double.init))
    // An older daemon has no such method.
    if let plugins = try? connection.request(.plugins()).content {
      add(.sensorFileErrors, Double(plugins.omitted.count { !$0.isSwitchedOff } + plugins.moreOmitted))
    }
    addCounts(of: status.sensors)
    for sensor in status.sensors { add(sensor) }
  }

  private mutating func addCounts(of sensors: [SensorRecord]) {
    let states = sensors.compactMap { $0.state?.text }
    var words = SensorState.allCases.map(\.rawValue)
    for state in states where !words.contains(state) { words.append(state) }
    for word in words { add(.sensors, Double(states.count { $0 == word }), ("state", word)) }
  }

  private mutating func add(_ sensor: SensorRecord) {
    let label: Label = ("sensor", sensor.id)
    if let state = sensor.state { addStates(.sensorState, SensorState.self, current: state.text, label) }
    if let link = sensor.link {
      add(.sensorReconnects, Double(link.reconnects), label)
      add(.sensorSilentReconnects, Double(link.silentReconnects), label)
      add(.sensorLongestGap, link.longestGapS, label)
      add(.sensorPackets, link.packets.map(Double.init), label)
      add(.sensorMissedPackets, link.missed.map(Double.init), label)
    }
    add(.sensorBattery, sensor.batteryPct.map { $0 / 100 }, label)
    add(.sensorSignal, sensor.rssiDBm.map(Double.init), label)
  }

  // MARK: Services beside the daemon

  fileprivate mutating func addRecorder(_ endpoint: Endpoint) {
    let contact = LogbookContact.ask(endpoint)
    // The service may well run, but this user cannot tell.
    if case .notAllowed = contact { return }
    guard case .answers(let status) = contact else { return addSilent("cyclometer-recorder", endpoint.logbookSocket) }
    addService("cyclometer-recorder", isUp: true, release: status.release)
    add(.recorderConnected, status.isConnected)
    add(.recorderRecording, status.recording != nil)
    addStates(.recorderStorage, StorageState.self, current: status.storage.text)
    add(.recorderStorageLeft, status.hoursLeft.map { $0 * 3600 })
    add(.recorderSync, status.syncP99MS.map { $0 / 1000 })
    if status.exportFolder != nil { add(.recorderExport, status.exportMessage != nil) }
  }

  fileprivate mutating func addGuide(_ endpoint: Endpoint) {
    let contact = GuideContact.ask(endpoint)
    if case .notAllowed = contact { return }
    guard case .answers(let status) = contact else { return addSilent("cyclometer-guide", endpoint.guideSocket) }
    addService("cyclometer-guide", isUp: true, release: status.release)
    add(.guideConnected, status.isConnected)
    add(.guideLogbook, status.logbookMessage == nil)
  }

  fileprivate mutating func addDashboard(_ endpoint: Endpoint) {
    switch DashboardContact.ask(endpoint) {
    case .notAllowed: return
    case .answers: addService("cyclometer-web", isUp: true)
    case .absent, .silent: addSilent("cyclometer-web", WebSession.path(endpoint))
    }
  }

  fileprivate mutating func addBridge(_ endpoint: Endpoint) {
    let contact = BridgeContact.ask(endpoint)
    if case .notAllowed = contact { return }
    guard case .answers(let status) = contact else { return addSilent("cyclometer-mqtt", endpoint.bridgeSocket) }
    addService("cyclometer-mqtt", isUp: true, release: status.release)
    if status.wall?.isAlone != true { add(.bridgeConnected, status.isConnected) }
    addStates(.bridgeBroker, BrokerState.self, current: status.broker.state.text)
    guard let spool = status.spool else { return }
    add(.bridgeUnsent, Double(spool.records))
    add(.bridgeSpool, Double(spool.bytes))
    add(.bridgeSpoolLimit, Double(spool.limitBytes))
    add(.bridgeLost, Double(spool.lost))
  }

  /// systemd keeps the socket of an installed service. Without a socket the service is not installed.
  private mutating func addSilent(_ program: String, _ socket: String) {
    if Files.exists(socket) { addService(program, isUp: false) }
  }
}
