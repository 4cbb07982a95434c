// The daemon: a radio, the sockets, and a session for every sensor. Everything runs on the loop's
// thread. If a bus, an adapter or a permission is missing, the daemon waits for it and reports that
// in `status`.

import Connections
public import EventLoop
import Linux
import Metrics
public import ProgramKit
public import Radio
import Ride
import Sensing
import SensorKit
import Serving
import Wire

public final class Daemon {
  let loop: EventLoop
  let radio: any SensorRadio
  private let log: Log
  private let release: String
  let plugins: PluginKeeper
  let processes: ProcessKeeper
  /// Changes with every start.
  private let instance = ProcessEnvironment.randomName()
  let publisher: Publisher
  let queue = ConnectQueue()
  private let closing: ClosingLinks
  let captures = Captures()
  let ride: RideKeeper
  let position: PositionKeeper
  let equipment: Equipment
  let sensors: SensorKeeper
  let pairing: PairingKeeper
  let rider: RiderRequests
  let listening: ListeningRequests
  let capturing: CaptureRequests
  let backup: BackupRequests
  private(set) var server: SocketServer?
  private var configuration: DaemonConfiguration
  private let directories: ServiceDirectories
  /// The path of metrics.sock, whose mode follows `MetricsAccess`.
  private var metricsSocket = ""
  /// Called at the end of a turn in which `statusLine` may have changed.
  public var statusChanged: () -> Void = {}
  private var statusHook: Hook?
  private var lock: FileDescriptorBox?
  private var searchHook: Hook?
  private var bikeHook: Hook?
  private var isResetWanted = false

  public init(
    loop: EventLoop, radio: any SensorRadio, configuration: DaemonConfiguration, plugins: PluginKeeper,
    directories: ServiceDirectories, log: Log, release: String, isSimulated: Bool = false
  ) throws(StartError) {
    self.loop = loop
    self.radio = radio
    self.configuration = configuration
    self.directories = directories
    self.log = log
    self.release = release
    self.plugins = plugins
    let shelf = plugins.shelf
    publisher = Publisher(loop: loop)
    lock = try directories.prepare(for: "cyclometerd")
    let state = directories.state
    // Simulated sensors are saved separately from real ones.
    let prefix = isSimulated ? "simulated-" : ""
    let change = StateChange(in: state, file: prefix + "import.json", log: log)
    let roster = Roster(folder: state, file: isSimulated ? "simulated.json" : "roster.json", change: change, log: log)
    let bikes = BikeStore(folder: state, file: prefix + "bikes.json", change: change, log: log)
    let riders = RiderStore(folder: state, file: prefix + "rider.json", change: change, log: log)
    let settings = RideSettingsStore(folder: state, file: prefix + "ride-settings.json", change: change, log: log)
    ride = RideKeeper(
      loop: loop, publisher: publisher, settings: settings.overrides.applied(to: configuration.ride),
      rider: riders.rider, store: RideStore(folder: state, file: prefix + "ride.json", log: log),
      wheels: WheelStore(folder: state, file: prefix + "wheels.json", change: change, log: log))
    rider = RiderRequests(riders, settings, ride: ride, publisher, configured: configuration.ride)
    position = PositionKeeper(loop: loop, ride: ride, captures: captures, log: log)
    equipment = Equipment(bikes, roster, ride: ride, plugins: shelf)
    processes = ProcessKeeper(
      plugins: plugins, loop: loop, log: log, release: release, instance: instance, admitsOwnUser: isSimulated)
    let environment = SensorSession.Environment(
      connecting: ConnectionServices(loop: loop, radio: radio, queue: queue, log: log),
      reading: ReaderServices(plugins: shelf, loop: loop, captures: captures, log: log, processes: processes),
      publisher: publisher,
      ride: ride)
    closing = environment.connecting.closing
    sensors = SensorKeeper(
      roster, equipment, plugins: shelf, radio: radio, loop: loop, log: log, environment: environment)
    pairing = PairingKeeper(
      for: sensors, plugins: shelf, radio: radio, loop: loop, log: log, environment: environment)
    listening = ListeningRequests(
      sensors: sensors, publisher: publisher, plugins: shelf, ride: ride, position: position, radio: radio,
      loop: loop,
      release: release, isSimulated: isSimulated, startTime: loop.now)
    capturing = CaptureRequests(sensors: sensors, captures: captures, radio: radio)
    backup = BackupRequests(
      sensors: sensors, pairing: pairing, equipment: equipment, rider: rider, ride: ride, stateChange: change,
      release: release, log: log)
  }

  /// Opens the sockets before starting the radio, so that early clients are answered.
  public func start() throws(StartError) {
    let server = SocketServer(
      loop: loop, log: log, publisher: publisher, hello: HelloRecord(release: release, instance: instance),
      handler: self)
    self.server = server
    do throws(SystemError) {
      try openSockets(of: server)
    } catch {
      server.close()
      processes.stop()
      let hint = error.isInUse ? ": another daemon listens there" : ""
      throw StartError("cannot open a socket: \(error)\(hint)")
    }
    connectParts()
    sensors.start()
    try? Files.remove(resetRequest)
    radio.delegate = self
    radio.start()
    followGPSD()
    log.info("cyclometerd \(release) listens in \(directories.runtime), paired sensors: \(sensors.sessions.count)")
  }

  private func connectParts() {
    searchHook = loop.makeHook { [weak self] in self?.search() }
    statusHook = loop.makeHook { [weak self] in self?.statusChanged() }
    bikeHook = loop.makeHook { [weak self] in self?.currentBikeChanged() }
    ride.bikeChanged = { [weak self] in self?.bikeHook?.schedule() }
    ride.wheelChanged = { [weak self] in self?.sensors.followWheel(of: $0) }
    queue.onChange = { [weak self] in self?.searchHook?.schedule() }
    sensors.changed = { [weak self] in self?.sensorsChanged() }
    pairing.changed = { [weak self] in self?.sensorsChanged() }
    (radio as? any ReplayingRadio)?.reported = { [weak self] in self?.position.play($0) }
  }

  /// Coalesced: what follows runs once, at the end of the turn.
  private func sensorsChanged() {
    searchHook?.schedule()
    statusHook?.schedule()
  }

  /// Runs once the packet that showed another bike is handled.
  private func currentBikeChanged() {
    if let name = equipment.currentBike?.name { log.info("the bike is \(name)") }
    equipment.changed()
  }

  private var connections: [DeviceConnection] { sensors.sessions.map(\.connection) + pairing.connections }

  /// Discovery runs only while adverts are needed, and pauses during a connect.
  private func search() {
    let connections = connections
    let isWanted =
      !pairing.scans.isEmpty || sensors.isListening || connections.contains(where: \.needsAdverts)
    queue.update(areAdvertsNeeded: isWanted)
    // A repeated broadcast shows that the sensor is still there, and a repeated advert how near it is.
    let repeats = sensors.isListening || connections.contains(where: \.isBroadcaster)
    radio.search(isWanted && !queue.isBusy ? SearchDemand(repeats: repeats) : nil)
  }

  /// Pairs the sensors of a simulation as if the user had done it before.
  public func adopt(_ played: [PlayedSensor], of scene: [DeviceAddress]) throws(StartError) {
    try capturing.adopt(played, of: scene)
  }

  /// Uses the sockets that the service manager opened, and opens the others.
  private func openSockets(of server: SocketServer) throws(SystemError) {
    try InheritedSockets.take { socket throws(SystemError) in
      guard let role = SocketRole.of(socket, among: [.metrics, .control, .plugin]) else {
        return log.warning(
          "\(socket.address) was passed by the service manager, but is not metrics.sock, control.sock or plugin.sock")
      }
      if role == .plugin { return try processes.listen(on: socket) }
      if role == .metrics { metricsSocket = "\(socket.address)" }
      try server.listen(on: socket, role: role)
    }
    if !metricsSocket.isEmpty { followMetricsAccess() }
    for (role, mode) in [(SocketRole.metrics, metricsMode), (.control, 0o660)] where !server.isListening(role) {
      let path = "\(directories.runtime)/\(role.fileName)"
      try server.listen(at: path, mode: mode, role: role)
      if role == .metrics { metricsSocket = path }
    }
    if !processes.isListening { try processes.listen(at: "\(directories.runtime)/\(SocketRole.plugin.fileName)") }
  }

  private var metricsMode: UInt32 { configuration.metricsAccess == .everyone ? 0o666 : 0o660 }

  /// Applies a changed configuration without closing any link.
  public func apply(_ new: DaemonConfiguration) {
    let old = configuration
    configuration = new
    log.set(level: new.logLevel)
    radio.apply(new.radio)
    rider.configure(new.ride)
    if new.metricsAccess != old.metricsAccess { followMetricsAccess() }
    followGPSD()
  }

  /// Reads the files of declared sensors again. No link is closed, except to a sensor that nothing
  /// supports any more.
  public func readFiles() {
    plugins.read()
    sensors.followPlugins()
    for session in pairing.sessions { session.followPlugins() }
    processes.filesChanged()
  }

  /// A simulation uses the positions of its capture.
  private func followGPSD() { position.follow(listening.isSimulated ? nil : configuration.gpsd) }

  private func followMetricsAccess() {
    guard Files.isOpenToEveryone(metricsSocket) != (configuration.metricsAccess == .everyone) else { return }
    do throws(SystemError) {
      try Files.setMode(metricsSocket, metricsMode)
    } catch {
      let advice = "set SocketUser= of cyclometer.socket to this daemon's user"
      log.error("cannot apply MetricsAccess=\(configuration.metricsAccess.rawValue): \(error): \(advice)")
    }
  }

  /// Closes all links and removes the sockets. Waits for the last writes to sensors.
  public func stop() {
    pairing.stop()
    sensors.stop()
    processes.stop()
    position.stop()
    ride.stop()
    radio.search(nil)
    server?.close()
    _ = try? loop.run(until: loop.now + ClosingLinks.timeLimit) { closing.isEmpty }
    radio.stop()
    log.info("shutting down")
  }
}

// MARK: The radio

extension Daemon: RadioDelegate {
  public func radio(received advert: Advert) {
    withdrawResetRequest()
    sensors.handle(advert)
    pairing.handle(advert)
  }

  public func radioChanged(_ adapter: RadioAdapter) {
    log.info(
      "adapter \(adapter.name) (\(adapter.address)) is \(adapter.state.rawValue)", .adapter(adapter.address),
      .state(adapter.state.rawValue))
    publisher.publish(adapter.record)
  }

  public func radioGainedAdapter() {
    for session in sensors.sessions { session.connection.adapterCame() }
  }

  /// systemd/cyclometer-reset.path (root) watches for this file and resets the adapter.
  public func radio(cannotRevive adapter: String) {
    do throws(SystemError) {
      try Files.replace(resetRequest, with: Array((adapter + "\n").utf8), mode: 0o600)
      isResetWanted = true
      log.warning(
        "adapter \(adapter) hangs: requested a reset (cyclometer-reset.path)")
    } catch {
      log.error("adapter \(adapter) hangs, and requesting a reset failed: \(error)")
    }
  }

  public func radio(keepsLostLinkTo address: DeviceAddress, detail: String) {
    for connection in connections where connection.address == address { connection.linkBecameStuck(detail) }
  }

  /// The adapter works again, so a reset would only end its links.
  private func withdrawResetRequest() {
    guard isResetWanted else { return }
    isResetWanted = false
    try? Files.remove(resetRequest)
  }

  private var resetRequest: String { directories.runtime + "/reset-wanted" }

  public func radio(asks question: PairingQuestion) { pairing.ask(question) }

  public func radioConditionChanged() {
    let condition = radio.condition
    if condition.obstacle == nil {
      pairing.radioIsKnown()
      withdrawResetRequest()
    }
    log.log(
      condition.obstacle == nil ? .info : .warning, "Bluetooth: \(condition.message)",
      condition.obstacle.map { [.reason($0.rawValue)] } ?? [])
    for connection in connections { connection.radioChanged(condition) }
    sensorsChanged()
  }
}
