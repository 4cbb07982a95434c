// The bridge: the daemon's records go live to the broker, and in batches through the spool. Everything
// runs on the loop's thread.

import CyclometerClient
public import EventLoop
import Fleet
import FleetWire
import HomeAssistant
import JSON
import Linux
import MQTT
public import ProgramKit
import Serving
import Time
import Wire

public final class BridgeService {
  private let loop: EventLoop
  private let log: Log
  private let release: String
  private let places: BridgePlaces
  private let configuration: BridgeConfiguration
  private let topics: FleetTopics
  /// Of this computer, as hex digits.
  private let boot: String
  /// Keeps a second bridge out of the runtime directory.
  private let lock: FileDescriptorBox
  private let publisher: Publisher
  private var reader = RecordReader()
  /// Nil until the daemon has listed its sensors.
  private var sensorCount: Int?
  private var daemon: DaemonRecords?
  private var broker: Broker?
  private var live: LiveTopics?
  private var status: StatusTopic?
  /// Nil if no records are sent for storing.
  private var records: LogSender?
  /// Nil if nothing is announced to Home Assistant.
  private var homeAssistant: HomeAssistantTopics?
  /// Nil unless others may control this computer.
  private var remote: RemoteRequests?
  /// Nil unless sensors roam.
  private var shared: SharedSensors?
  /// Nil unless something needs the daemon's control.sock.
  private var control: DaemonControl?
  /// Nil if no other receivers are read.
  private var wall: Wall?
  private let wantTopic: [UInt8]
  private let statusTopic: [UInt8]
  private let requestTopic: [UInt8]
  private let birthTopic: [UInt8]
  private var requests: BridgeRequests?
  private var socket: ServiceSocket?
  private var statusHook: Hook?
  /// Called at the end of a turn in which `statusLine` may have changed.
  public var statusChanged: () -> Void = {}

  public init(
    loop: EventLoop, configuration: BridgeConfiguration, places: BridgePlaces, log: Log, release: String
  ) throws(StartError) {
    (self.loop, self.log, self.release, self.places) = (loop, log, release, places)
    self.configuration = configuration
    lock = try places.directories.prepare(for: "cyclometer-mqtt")
    let receiver = configuration.receiver ?? ReceiverName.kept(in: places.directories.state, log: log)
    topics = FleetTopics(group: configuration.group, receiver: receiver)
    wantTopic = Array(topics.want.utf8)
    statusTopic = Array(topics.status.utf8)
    requestTopic = Array(topics.request.utf8)
    birthTopic = Array("\(configuration.homeAssistantPrefix)/status".utf8)
    boot = hexText(BootID.current ?? [])
    publisher = Publisher(loop: loop)
  }

  public func start() throws(StartError) {
    let hello = HelloRecord(
      release: release, instance: ProcessEnvironment.randomName(), clientLimit: ServiceSocket.clientLimit)
    let requests = BridgeRequests(
      status: { [weak self] in self?.reply ?? BridgeStatusReply() }, wall: { [weak self] in self?.wall })
    self.requests = requests
    let socket = ServiceSocket(
      "mqtt", of: "bridge", loop: loop, publisher: publisher, hello: hello, handler: requests, log: log)
    self.socket = socket
    try socket.listen(at: places.socket)
    statusHook = loop.makeHook { [weak self] in self?.statusChanged() }
    // Without a broker nothing would ever leave the spool.
    if let address = configuration.address { try startSending(to: address) }
    if !configuration.isWallOnly { daemon = DaemonRecords(from: places.daemon, in: loop, log: log, listener: self) }
    log.info("cyclometer-mqtt \(release): started as \(topics.receiver) of \(topics.group)")
  }

  private func startSending(to address: BrokerAddress) throws(StartError) {
    let broker = Broker(filters: topicFilters, in: loop, log: log, listener: self)
    self.broker = broker
    if !configuration.wallGroups.isEmpty { wall = Wall(configuration, broker: broker, in: loop) }
    if !configuration.isWallOnly { try startPublishing(to: broker) }
    do throws(AccountProblem) {
      if let settings = try BrokerAccount.settings(configuration, topics) { broker.connect(settings) }
    } catch {
      broker.refuse(error, address: address)
    }
  }

  /// What is subscribed to. A wall of the own group and roaming have one in common.
  private var topicFilters: [String] {
    var filters = configuration.wallGroups.flatMap { FleetTopics.wallFilters(of: $0) }
    if !configuration.isWallOnly { filters.append(topics.want) }
    if configuration.announcesToHomeAssistant { filters.append(configuration.homeAssistantPrefix + "/status") }
    if configuration.isControlled { filters.append(topics.request) }
    if configuration.roams { filters += topics.ofPeers.filter { !filters.contains($0) } }
    // Whether another receiver has the same name.
    if !configuration.isWallOnly, !filters.contains(topics.statusOfAll) { filters.append(topics.status) }
    return filters
  }

  private func startPublishing(to broker: Broker) throws(StartError) {
    let filter = RecordFilter(kinds: configuration.kinds, position: configuration.sendsPosition)
    let isAnnounced: (String) -> Bool =
      configuration.announcesToHomeAssistant ? { Discovery.mayAnnounce(kind: $0) } : { _ in false }
    let live = LiveTopics(
      topics, mode: configuration.live, announces: isAnnounced, filter: filter, broker: broker,
      stateFolder: places.directories.state, in: loop, log: log)
    self.live = live
    let status = StatusTopic(topics, release: release, boot: boot, broker: broker, in: loop)
    status.counts = { [unowned live] in live.counts }
    self.status = status
    if configuration.sendsRecords {
      let records = try LogSender(
        configuration, filter: filter, topics: topics, folder: places.directories.state + "/spool", broker: broker,
        in: loop, log: log)
      self.records = records
      status.unsent = { [unowned records] in records.reply.records }
    }
    if configuration.announcesToHomeAssistant { announceToHomeAssistant(broker, live) }
    if configuration.isControlled || configuration.roams { openControl(for: broker) }
  }

  private func announceToHomeAssistant(_ broker: Broker, _ live: LiveTopics) {
    let announcer = HomeAssistantTopics(
      prefix: configuration.homeAssistantPrefix, topics: topics, release: release, kinds: configuration.kinds,
      broker: broker)
    homeAssistant = announcer
    live.sensorChanged = { [unowned announcer] in announcer.put($0) }
    live.sensorForgotten = { [unowned announcer] in announcer.forget($0) }
  }

  private func openControl(for broker: Broker) {
    let control = DaemonControl(of: places.daemon, in: loop, log: log)
    self.control = control
    if configuration.isControlled {
      remote = RemoteRequests(
        topics, allowing: configuration.allowed, broker: broker, daemon: control, in: loop, log: log)
    }
    if configuration.roams {
      let settings = RoamingSettings(
        receiver: topics.receiver, pins: configuration.pins, pinGrace: .seconds(configuration.pinGrace))
      shared = SharedSensors(settings, topics: topics, broker: broker, daemon: control, in: loop, log: log)
    }
    control.connected = { [weak self] in
      self?.remote?.send()
      self?.shared?.daemonConnected()
    }
    control.disconnected = { [weak self] in self?.shared?.daemonDisconnected() }
    control.received = { [weak self] in self?.shared?.handle($0) }
  }

  private var reply: BridgeStatusReply {
    var reply = BridgeStatusReply()
    reply.release = release
    (reply.group, reply.receiver) = (topics.group.text, topics.receiver.text)
    reply.isConnected = daemon?.greeting != nil
    reply.sensors = sensorCount
    reply.isClockSet = ClockWatch.isSet
    reply.broker = broker?.reply ?? BrokerReply()
    reply.spool = records?.reply
    reply.live = live?.reply ?? .none
    reply.control = control?.reply(daemonRuns: reply.isConnected)
    if configuration.isControlled { reply.control?.allowed = configuration.allowed.map(\.rawValue) }
    reply.shared = shared?.reply
    reply.wall = wall?.reply
    return reply
  }
}

// MARK: The daemon

extension BridgeService: DaemonListener {
  func daemonConnected(_ greeting: HelloRecord) {
    records?.daemonConnected(instance: greeting.instance, boot: boot)
    live?.daemonConnected(greeting)
    status?.daemonChanged(instance: greeting.instance)
    statusHook?.schedule()
  }

  func daemonDisconnected() {
    sensorCount = nil
    live?.daemonDisconnected()
    status?.daemonChanged(instance: nil)
    statusHook?.schedule()
  }

  func daemon(sent sampleLine: Span<UInt8>) {
    guard broker != nil, reader.read(sampleLine) else { return }
    records?.add(sampleLine, reader)
    live?.add(sample: sampleLine, reader)
    homeAssistant?.add(sample: sampleLine)
    if let t = reader.t, let time = reader.time { status?.check(t: t, time: time) }
  }

  func daemon(sent record: ReceivedRecord) {
    guard broker != nil else { return }
    switch record.message {
    case .sensor(let change):
      sensorCount? += change.change.known == .added ? 1 : change.change.known == .removed ? -1 : 0
      live?.add(change)
    case .state(let state):
      add(record)
      live?.add(state)
    case .event:
      guard add(record) else { return }
      live?.add(event: record.line.span, reader)
    default: break
    }
  }

  /// Returns whether it can be read.
  @discardableResult
  private func add(_ record: ReceivedRecord) -> Bool {
    guard reader.read(record.line.span) else { return false }
    records?.add(record.line.span, reader)
    return true
  }

  func daemon(listed reply: SensorsReply) {
    sensorCount = reply.sensors.count
    live?.replaceAll(with: reply.sensors)
    status?.sensorsListed()
    homeAssistant?.update(rideLimits: reply.ride.staleAfterMS)
    statusHook?.schedule()
  }
}

// MARK: The broker

extension BridgeService: BrokerListener {
  func brokerConnected() {
    status?.brokerConnected()
    shared?.brokerConnected()
    live?.brokerConnected()
    homeAssistant?.brokerConnected()
    records?.brokerConnected()
  }

  func brokerDisconnected() {
    status?.brokerDisconnected()
    shared?.brokerDisconnected()
    live?.brokerDisconnected()
    records?.brokerDisconnected()
  }

  func broker(sent payload: Span<UInt8>, on topic: Span<UInt8>, _ message: IncomingMessage) {
    if topic.isEqual(to: wantTopic) {
      live?.want(payload, isRetained: message.isRetained)
    } else if topic.isEqual(to: requestTopic) {
      remote?.handle(payload, message)
    } else if topic.isEqual(to: birthTopic) {
      homeAssistant?.handle(birth: payload)
    } else {
      if topic.isEqual(to: statusTopic) { status?.handle(payload) }
      wall?.add(payload, on: topic, isRetained: message.isRetained)
      if let shared, let peer = PeerTopic(String(decoding: [UInt8](copying: topic), as: UTF8.self), in: topics.group) {
        shared.handle(payload, of: peer)
      }
    }
  }

  func broker(answered batch: MessageID, _ refusal: BrokerRefusal?) { records?.answered(batch, refusal) }

  func brokerHasRoom() { records?.send() }

  func brokerIsWritable() { live?.brokerIsWritable() }

  func brokerChanged() {
    wall?.brokerChanged()
    statusHook?.schedule()
  }
}

// MARK: The service

extension BridgeService: Service {
  /// How long the bridge waits at its end for the broker to take the last messages.
  private static let farewellLimit = Duration.seconds(2)

  public var statusLine: String {
    let daemon = daemon?.greeting == nil ? "not connected" : "connected"
    guard let reply = broker?.reply else { return "no broker is configured; daemon: \(daemon)" }
    if configuration.isWallOnly { return "\(topics.receiver): broker: \(reply.state.text); it only reads" }
    return "\(topics.receiver): broker: \(reply.state.text); daemon: \(daemon)"
  }

  public func apply(_ settings: BridgeConfiguration) {
    log.set(level: settings.logLevel)
    var new = settings
    new.logLevel = configuration.logLevel
    if new != configuration { log.warning("configuration: changed; it takes effect after a restart of the bridge") }
  }

  public func stop() {
    daemon?.stop()
    shared?.stop()
    control?.stop()
    remote?.stop()
    live?.stop()
    wall?.stop()
    records?.finish()
    if let broker, broker.isConnected {
      status?.publishFarewell()
      _ = try? loop.run(until: loop.now + Self.farewellLimit) { broker.isIdle }
    }
    records?.close()
    broker?.stop()
    socket?.close()
    log.info("shutting down")
  }
}
