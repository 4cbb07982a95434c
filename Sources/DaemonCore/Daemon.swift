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
public import SensorKit
import Serving
import Time
import Wire

public final class Daemon {
  let loop: EventLoop
  let radio: any SensorRadio
  let plugins: PluginRegistry
  let log: Log
  let roster: Roster
  let publisher: Publisher
  let queue = ConnectQueue()
  let startTime: MonotonicTime
  let release: String
  let isSimulated: Bool
  var sessions: [SensorSession] = [] { didSet { statusHook?.schedule() } }
  var scans: [Scan] = []
  var pairings: [Pairing] = []
  /// Sensors that clients keep disabled.
  var holds: [SensorHold] = []
  let captures = Captures()
  let ride: RideKeeper
  let position: PositionKeeper
  let riders: RiderStore
  let bikes: BikeStore
  let rideSettings: RideSettingsStore
  /// Makes an import as a whole.
  let stateChange: StateChange
  private var promptCount = 0
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
  /// Requests that wait until the state of the radio is known.
  private var deferred: [DeferredRequest] = []

  /// For this long after the start, a missing radio is not reported: it may not have answered yet.
  private static let grace = Duration.seconds(3)

  public init(
    loop: EventLoop, radio: any SensorRadio, configuration: DaemonConfiguration, plugins: PluginRegistry,
    directories: ServiceDirectories, log: Log, release: String, isSimulated: Bool = false
  ) throws(StartError) {
    self.loop = loop
    self.radio = radio
    self.configuration = configuration
    self.plugins = plugins
    self.directories = directories
    self.log = log
    self.release = release
    self.isSimulated = isSimulated
    startTime = loop.now
    publisher = Publisher(loop: loop)
    lock = try directories.prepare(for: "cyclometerd")
    // Simulated sensors are saved separately from real ones.
    let prefix = isSimulated ? "simulated-" : ""
    stateChange = StateChange(in: directories.state, file: prefix + "import.json", log: log)
    roster = Roster(
      folder: directories.state, file: isSimulated ? "simulated.json" : "roster.json", change: stateChange, log: log)
    bikes = BikeStore(folder: directories.state, file: prefix + "bikes.json", change: stateChange, log: log)
    riders = RiderStore(folder: directories.state, file: prefix + "rider.json", change: stateChange, log: log)
    rideSettings = RideSettingsStore(
      folder: directories.state, file: prefix + "ride-settings.json", change: stateChange, log: log)
    ride = RideKeeper(
      loop: loop, publisher: publisher, settings: rideSettings.overrides.applied(to: configuration.ride),
      rider: riders.rider, store: RideStore(folder: directories.state, file: prefix + "ride.json", log: log),
      wheels: WheelStore(folder: directories.state, file: prefix + "wheels.json", change: stateChange, log: log))
    position = PositionKeeper(loop: loop, ride: ride, captures: captures, log: log)
  }

  /// Opens the sockets before starting the radio, so that early clients are answered.
  public func start() throws(StartError) {
    let instance = ProcessEnvironment.randomName()
    let server = SocketServer(
      loop: loop, log: log, publisher: publisher, hello: HelloRecord(release: release, instance: instance),
      handler: self)
    self.server = server
    do throws(SystemError) {
      try openSockets(of: server)
    } catch {
      server.close()
      let hint = error.isInUse ? ": another daemon listens there" : ""
      throw StartError("cannot open a socket: \(error)\(hint)")
    }
    searchHook = loop.makeHook { [weak self] in self?.search() }
    statusHook = loop.makeHook { [weak self] in self?.statusChanged() }
    ride.apply(bikes.bikes)
    bikeHook = loop.makeHook { [weak self] in self?.currentBikeChanged() }
    ride.bikeChanged = { [weak self] in self?.bikeHook?.schedule() }
    queue.onChange = { [weak self] in self?.reconsiderSearch() }
    for sensor in roster.sensors { addSession(for: sensor) }
    try? Files.remove(resetRequest)
    radio.delegate = self
    ride.wheelChanged = { [weak self] in self?.followWheel(of: $0) }
    (radio as? any ReplayingRadio)?.reported = { [weak self] in self?.position.play($0) }
    radio.start()
    followGPSD()
    log.info("cyclometerd \(release) listens in \(directories.runtime), paired sensors: \(sessions.count)")
  }

  /// Uses the sockets that the service manager opened, and opens the others.
  private func openSockets(of server: SocketServer) throws(SystemError) {
    try InheritedSockets.take { socket throws(SystemError) in
      guard let role = SocketRole.of(socket, among: [.metrics, .control]) else {
        return log.warning(
          "\(socket.path) was passed by the service manager, but is neither metrics.sock nor control.sock")
      }
      if role == .metrics { metricsSocket = socket.path }
      try server.listen(on: socket, role: role)
    }
    if !metricsSocket.isEmpty { followMetricsAccess() }
    for (role, mode) in [(SocketRole.metrics, metricsMode), (.control, 0o660)] where !server.isListening(role) {
      let path = "\(directories.runtime)/\(role.fileName)"
      try server.listen(at: path, mode: mode, role: role)
      if role == .metrics { metricsSocket = path }
    }
  }

  private var metricsMode: UInt32 { configuration.metricsAccess == .everyone ? 0o666 : 0o660 }

  /// Applies a changed configuration without closing any link.
  public func apply(_ new: DaemonConfiguration) {
    let old = configuration
    configuration = new
    log.level = new.logLevel
    radio.apply(new.radio)
    ride.apply(effectiveRideSettings)
    if new.metricsAccess != old.metricsAccess { followMetricsAccess() }
    followGPSD()
  }

  /// The configuration, and what the rider has set on the road.
  var effectiveRideSettings: RideMetrics.Settings { rideSettings.overrides.applied(to: configuration.ride) }

  /// A simulation uses the positions of its capture.
  private func followGPSD() { position.follow(isSimulated ? nil : configuration.gpsd) }

  private func followMetricsAccess() {
    guard Files.isOpenToEveryone(metricsSocket) != (configuration.metricsAccess == .everyone) else { return }
    do throws(SystemError) {
      try Files.setMode(metricsSocket, metricsMode)
    } catch {
      let advice = "set SocketUser= of cyclometer.socket to this daemon's user"
      log.error("cannot apply MetricsAccess=\(configuration.metricsAccess.rawValue): \(error): \(advice)")
    }
  }

  /// Closes all links and removes the sockets.
  public func stop() {
    for pairing in pairings { pairing.end() }
    for session in sessions { session.discard() }
    sessions = []
    position.stop()
    ride.stop()
    radio.search(nil)
    radio.stop()
    server?.close()
    log.info("shutting down")
  }
}

// MARK: The radio

extension Daemon: RadioDelegate {
  public func radio(received advert: Advert) {
    withdrawResetRequest()
    for scan in scans { scan.handle(advert) }
    for session in sessions where session.address == advert.address {
      session.handle(advert)
      for hold in holds where hold.sensor == session.id { hold.report(rssi: advert.rssi, at: loop.now) }
    }
    for pairing in pairings where pairing.session.address == advert.address { handle(advert, for: pairing) }
  }

  private func handle(_ advert: Advert, for pairing: Pairing) {
    let name = advert.name ?? radio.name(of: advert.address)
    if let name, pairing.session.connection.needsAdverts {
      var named = advert
      named.name = name
      pairing.session.introduce(
        id: identify(named).id, name: pairing.wantedName ?? name, deviceName: name)
    }
    pairing.session.handle(advert)
  }

  public func radioChanged(_ adapter: RadioAdapter) {
    log.info(
      "adapter \(adapter.name) (\(adapter.address)) is \(adapter.state.rawValue)", .adapter(adapter.address),
      .state(adapter.state.rawValue))
    publisher.publish(adapter.record)
    // This adapter may have the bond that another lacks.
    if adapter.state == .on { for session in sessions { session.connection.adapterCame() } }
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
    for session in sessions + pairings.map(\.session) where session.address == address {
      session.connection.linkBecameStuck(detail)
    }
  }

  /// The adapter works again, so a reset would only end its links.
  private func withdrawResetRequest() {
    guard isResetWanted else { return }
    isResetWanted = false
    try? Files.remove(resetRequest)
  }

  private var resetRequest: String { directories.runtime + "/reset-wanted" }

  public func radio(asks question: PairingQuestion) {
    guard let pairing = pairings.first(where: { $0.session.address == question.address }) else {
      log.warning("\(question.address) asks for a passkey, but is not being paired: refused")
      return question.answer(nil)
    }
    promptCount += 1
    pairing.ask(question, as: "p\(promptCount)")
  }

  /// Shortly after the start, requests that need the radio wait until its state is known.
  func whenRadioIsKnown(
    _ client: Client, _ asker: Asker, _ action: @escaping DeferredRequest.Action
  ) throws(Refusal) -> Answer {
    guard radio.condition.obstacle != nil, loop.now < startTime + Self.grace else { return try action(client) }
    try requireIdle(client)
    if deferred.isEmpty { loop.schedule(at: startTime + Self.grace) { [weak self] in self?.runDeferred() } }
    let request = DeferredRequest(of: asker, action)
    client.operation = request
    deferred.append(request)
    return .later
  }

  private func runDeferred() {
    let requests = deferred
    deferred = []
    for request in requests { request.run() }
  }

  public func radioConditionChanged() {
    let condition = radio.condition
    if condition.obstacle == nil {
      runDeferred()
      withdrawResetRequest()
    }
    log.log(
      condition.obstacle == nil ? .info : .warning, "Bluetooth: \(condition.message)",
      condition.obstacle.map { [.reason($0.rawValue)] } ?? [])
    for session in sessions + pairings.map(\.session) { session.connection.radioChanged(condition) }
    reconsiderSearch()
    statusHook?.schedule()
  }

  /// Coalesced: `search` runs once, at the end of the turn.
  func reconsiderSearch() {
    searchHook?.schedule()
  }

  /// Discovery runs only while adverts are needed, and pauses during a connect.
  private func search() {
    let all = sessions + pairings.map(\.session)
    let isListening = holds.contains(where: \.listens)
    let isWanted = !scans.isEmpty || isListening || all.contains(where: \.connection.needsAdverts)
    queue.areAdvertsNeeded = isWanted
    // A repeated broadcast shows that the sensor is still there, and a repeated advert how near it is.
    let repeats = isListening || all.contains(where: \.connection.isBroadcaster)
    radio.search(isWanted && !queue.isBusy ? SearchDemand(repeats: repeats) : nil)
  }
}

// MARK: Sensors

extension Daemon {
  var environment: SensorSession.Environment {
    SensorSession.Environment(
      connecting: ConnectionServices(loop: loop, radio: radio, queue: queue, log: log),
      reading: ReaderServices(plugins: plugins, loop: loop, captures: captures, log: log), publisher: publisher,
      ride: ride)
  }

  func addSession(for sensor: PairedSensor) {
    let effective = effective(sensor)
    registerInRide(effective)
    let session = SensorSession(
      address: sensor.address, id: sensor.id, name: sensor.name, deviceName: sensor.deviceName ?? sensor.name,
      settings: settings(of: effective), isBonded: sensor.isBonded,
      isUrgent: plugins.plugins(called: sensor.plugins).contains(where: \.info.watchesTheRoad),
      environment: environment,
      delegate: self)
    sessions.append(session)
    resume(sensor)
  }

  /// Pairs the sensors of a simulation as if the user had done it before.
  public func adopt(_ played: [PlayedSensor], of scene: [DeviceAddress]) throws(StartError) {
    let isOfScene = roster.sensors.contains { scene.contains($0.address) }
    // Sensors that the user forgot stay forgotten. Sensors of another scene are replaced.
    guard !roster.wasFound || !roster.sensors.isEmpty && !isOfScene else { return }
    guard played.count <= Roster.capacity else {
      let text = "the scene has \(played.count) sensors, but at most \(Roster.capacity) can be paired"
      throw StartError(text)
    }
    for sensor in roster.sensors { try? roster.remove(sensor.id) }
    for sensor in played {
      do throws(SystemError) {
        try roster.put(sensor.applied(to: makeSensor(of: sensor.advert)))
      } catch {
        throw StartError("\(error)")
      }
    }
  }

  /// Makes a sensor that was never connected.
  func makeSensor(of advert: Advert) -> PairedSensor {
    let plugins = plugins.recognize(DeviceDescription(advert)).map(\.info.id)
    return PairedSensor(
      id: identify(advert).id, address: advert.address,
      name: freeName(advert.name ?? advert.address.text, for: advert.address),
      plugins: plugins)
  }

  /// The id of a paired sensor, or the id that the device would get.
  func identify(_ advert: Advert) -> (id: String, isPaired: Bool) {
    if let sensor = roster.sensor(at: advert.address) { return (sensor.id, true) }
    let isTaken = { [roster, pairings] id in
      roster.sensor(id) != nil || pairings.contains { $0.session.id == id && $0.session.address != advert.address }
    }
    if let id = radio.id(of: advert.address), !isTaken(id) { return (id, false) }
    let fallback = plugins.recognize(DeviceDescription(advert)).first?.info.id ?? "sensor"
    return (PairedSensor.makeID(name: advert.name, address: advert.address, fallback: fallback, taken: isTaken), false)
  }
}

extension Daemon: SensorSessionDelegate {
  func sessionChangedState(_ session: SensorSession) {
    reconsiderSearch()
    statusHook?.schedule()
    if let pairing = pairings.first(where: { $0.session === session }) { return pairing.changedState() }
    session.connection.logState()
    session.leaveRideIfSilent()
    publisher.publish(session.stateRecord)
  }

  func sessionReceivedFirstValue(_ session: SensorSession) {
    pairings.first { $0.session === session }?.succeeded()
  }

  func sessionMoved(_ session: SensorSession) {
    guard let pairing = pairings.first(where: { $0.session === session }) else { return remember(addressOf: session) }
    // The sensor was paired before, but could not be recognised by its private address.
    guard let former = roster.sensor(at: session.address) else { return }
    session.introduce(id: former.id, name: pairing.wantedName ?? former.name, deviceName: session.reader.deviceName)
  }

  func sessionLearned(_ session: SensorSession) {
    guard var sensor = roster.sensor(session.id) else { return }
    let plugins = session.reader.infos.map(\.id)
    if !plugins.isEmpty { sensor.plugins = plugins }
    sensor.note(deviceName: session.reader.deviceName)
    sensor.isBonded = session.connection.isBonded
    do throws(SystemError) {
      try roster.put(sensor)
    } catch {
      log.error("cannot save what \(sensor.name) supports: \(error)", .sensor(sensor.id))
    }
    // A pedal may have turned out to be a power meter.
    applyBikeDefaults(sensor)
    publisher.publish(SensorChangeRecord(.changed, record(of: sensor)))
  }
}
