// Sensors that several receivers are paired with: the rules of Roaming between the daemon and the
// broker. Bonded sensors, radars, sensors that only broadcast, and those that are pinned to this
// receiver or disabled by the user are left to the daemon.

import CyclometerClient
import EventLoop
import Fleet
import FleetWire
import JSON
import ProgramKit
import Time
import Wire

final class SharedSensors {
  private let loop: EventLoop
  private let log: Log
  private let topics: FleetTopics
  private unowned let broker: Broker
  private unowned let daemon: DaemonControl
  private var roaming: Roaming
  /// What the daemon has last reported of each sensor.
  private var sensors: [String: SensorRecord] = [:]
  private var deadline: Deadline?

  init(
    _ settings: RoamingSettings, topics: FleetTopics, broker: Broker, daemon: DaemonControl, in loop: EventLoop,
    log: Log
  ) {
    (self.topics, self.broker, self.daemon, self.loop, self.log) = (topics, broker, daemon, loop, log)
    roaming = Roaming(settings, at: loop.now)
    deadline = loop.schedule(at: loop.now) { [weak self] in self?.timePassed() }
  }

  var reply: [SharedSensorReply] {
    roaming.holders(at: loop.now).map { sensor, holder in
      switch holder {
      case .here: SharedSensorReply(sensor, .here)
      case .other(let receiver): SharedSensorReply(sensor, .elsewhere, receiver.text)
      case .free: SharedSensorReply(sensor, .free)
      }
    }
  }

  /// Withdraws all claims. The daemon ends the holds with the connection.
  func stop() {
    roaming.removeAll()
    act()
    deadline?.cancel()
  }

  private func timePassed() {
    roaming.timePassed(at: loop.now)
    act()
  }
}

// MARK: The daemon

extension SharedSensors {
  func daemonConnected() {
    request(.sensors, of: "the daemon", .object([])) { [weak self] reply in
      for sensor in SensorsReply(reply)?.sensors ?? [] { self?.follow(sensor) }
    }
  }

  func daemonDisconnected() {
    sensors = [:]
    roaming.removeAll()
    act()
  }

  func handle(_ record: ReceivedRecord) {
    switch record.message {
    case .sensor(let change) where change.change.known == .removed: forget(change.sensor.id)
    case .sensor(let change): follow(change.sensor)
    case .state(let state):
      guard var sensor = sensors[state.sensor] else { return }
      (sensor.state, sensor.reason) = (state.state, state.reason)
      follow(sensor)
    case .advert(let advert):
      guard let sensor = sensors[advert.sensor] else { return }
      roaming.received(advertOf: sensor.address, strength: advert.rssiDBm, at: loop.now)
      act()
    default: break
    }
  }

  private func forget(_ id: String) {
    guard let sensor = sensors.removeValue(forKey: id) else { return }
    roaming.remove(sensorAt: sensor.address)
    act()
  }

  private func follow(_ sensor: SensorRecord) {
    let before = sensors[sensor.id]
    if let before, before.address != sensor.address { forget(sensor.id) }
    sensors[sensor.id] = sensor
    if sensor.mayRoam {
      let isWanted = before?.isDisabledByUser == true
      roaming.add(sensor: sensor.id, at: sensor.address, sensor.roamingLink, isWanted: isWanted, at: loop.now)
    } else {
      roaming.remove(sensorAt: sensor.address, isFreed: !sensor.isDisabledByUser)
    }
    act()
  }

  private func request(
    _ method: Method, of name: String, _ parameters: JSONValue, _ answer: @escaping (JSONValue) -> Void
  ) {
    do throws(ClientError) {
      try daemon.send(method, parameters) { [log] result in
        switch result {
        case .success(let reply): answer(reply)
        case .failure(let error): log.warning("roaming: \(method.rawValue) of \(name) failed (\(error))")
        }
      }
    } catch {
      // The connection is lost, and with it every hold. All begins again with the next one.
      log.debug("roaming: \(method.rawValue) of \(name) was not sent (\(error))")
    }
  }
}

// MARK: The broker

extension SharedSensors {
  func brokerConnected() {
    roaming.brokerConnected(at: loop.now)
    act()
  }

  func brokerDisconnected() {
    roaming.brokerDisconnected(at: loop.now)
    act()
  }

  /// A message of a receiver of the group.
  func handle(_ payload: Span<UInt8>, of topic: PeerTopic) {
    let json = payload.isEmpty ? nil : try? JSONValue.parse(payload)
    switch topic.subject {
    case .status:
      let status = json.flatMap { ReceiverStatus($0) }
      roaming.received(status: status?.state.known == .online, of: topic.receiver, at: loop.now)
    case .strength(let address):
      guard let strength = json.flatMap({ HeardStrength($0) }) else { return }
      roaming.received(strength, of: address, from: topic.receiver, at: loop.now)
    case .claim(let address):
      let claim = json.flatMap { RoamingClaim($0) }
      guard payload.isEmpty || claim?.receiver == topic.receiver.text else { return }
      roaming.received(claim, to: address, from: topic.receiver, at: loop.now)
    }
    act()
  }
}

// MARK: What the rules want

extension SharedSensors {
  private func act() {
    for action in roaming.takeActions() {
      switch action {
      case .hold(let sensor, let listens): hold(sensor, listens: listens)
      case .connect(let sensor): connect(sensor)
      case .publishStrength(let strength, let address):
        broker.publish(passing: strength.payload, on: topics.strength(address))
      case .publishClaim(let claim, let address): broker.publish(retained: claim.payload, on: topics.claim(address))
      case .publishRelease(let address): broker.publish(retained: [], on: topics.claim(address))
      }
    }
    if let next = roaming.deadline { deadline?.set(to: next) } else { deadline?.cancel() }
  }

  private func hold(_ sensor: String, listens: Bool) {
    log.info("roaming: left \(sensor) to others")
    let parameters: [JSONValue.Member] = [
      .init("sensor", .string(sensor)), .init("while_connected", .bool(true)), .init("listen", .bool(listens)),
    ]
    request(.disable, of: sensor, .object(parameters)) { [weak self] reply in
      if let record = SensorRecord(reply) { self?.follow(record) }
    }
  }

  private func connect(_ sensor: String) {
    // `enable` would overrule the user.
    guard sensors[sensor]?.isDisabledByUser == false else { return }
    log.info("roaming: connecting \(sensor)")
    request(.enable, of: sensor, .object([.init("sensor", .string(sensor))])) { _ in }
  }
}

extension SensorRecord {
  /// A radar warns of cars, so no other receiver is waited for.
  var mayRoam: Bool {
    !isBonded && !isBroadcaster && !kinds.contains("radar") && !isDisabledByUser && PeerTopic.isAddress(address)
  }

  fileprivate var isDisabledByUser: Bool { state?.known == .disabled && reason?.known == .user }

  fileprivate var roamingLink: RoamingLink {
    switch state?.known {
    // A stale sensor still has its link.
    case .streaming, .stale: .linked
    case .disabled: .held
    default: .unlinked
    }
  }
}
