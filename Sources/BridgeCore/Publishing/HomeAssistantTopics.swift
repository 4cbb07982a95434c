// Home Assistant's discovery messages: one for each sensor, for the ride and for the receiver. Each is
// published when it has changed, and all of them when the broker or Home Assistant may have forgotten
// them.

import Fleet
import HomeAssistant
import JSON
import Wire

extension FleetTopics: ReceiverTopics {}

final class HomeAssistantTopics {
  private let discovery: Discovery
  private unowned let broker: Broker
  private var fields = DeclaredFields()
  private var sensors: [String: SensorRecord] = [:]
  /// The kinds of declared sensors, whose fields only samples show.
  private var declaredKinds: [[UInt8]] = []
  /// By topic, what was published last.
  private var published: [String: [UInt8]] = [:]
  private var rideLimits = KindLimits()
  /// Sensors that were removed, which is published again at every connection.
  private var removed: Set<String> = []

  /// `kinds` are those that are published; nil for all.
  init(prefix: String, topics: FleetTopics, release: String, kinds: [String]?, broker: Broker) {
    self.broker = broker
    discovery = Discovery(
      prefix: prefix, receiver: topics.receiver.text, release: release, topics: topics, kinds: kinds.map { Set($0) })
  }

  func brokerConnected() {
    published = [:]
    for id in removed.sorted() { publish(discovery.forgotten(id)) }
    publish(discovery.receiverMessage)
    publish(discovery.message(forRide: rideLimits))
    for id in sensors.keys.sorted() { publish(id) }
  }

  /// Home Assistant says that it has started.
  func handle(birth payload: Span<UInt8>) { if payload.isText("online") { brokerConnected() } }

  func update(rideLimits limits: KindLimits) {
    rideLimits = limits
    publish(discovery.message(forRide: limits))
  }

  func put(_ sensor: SensorRecord) {
    sensors[sensor.id] = sensor
    removed.remove(sensor.id)
    updateKinds()
    publish(sensor.id)
  }

  func forget(_ sensor: String) {
    sensors[sensor] = nil
    removed.insert(sensor)
    fields.remove(sensor)
    updateKinds()
    publish(discovery.forgotten(sensor))
  }

  /// A sample. Those of built-in sensors cost no allocation.
  func add(sample line: Span<UInt8>) {
    guard !declaredKinds.isEmpty, let kind = line.text(of: "kind"), isDeclared(line.extracting(kind)),
      let json = try? JSONValue.parse(line), let sensor = json["sensor"]?.text, let kind = json["kind"]?.text
    else { return }
    if fields.add(json, of: sensor, kind) { publish(sensor) }
  }

  private func isDeclared(_ kind: Span<UInt8>) -> Bool {
    for known in declaredKinds where known.count == kind.count && kind.starts(with: known) { return true }
    return false
  }

  private func updateKinds() {
    let kinds = Set(sensors.values.flatMap(\.kinds)).filter { DeclaredFields.areWanted(ofKind: $0) }
    declaredKinds = kinds.sorted().map { Array($0.utf8) }
  }

  private func publish(_ sensor: String) {
    guard let record = sensors[sensor] else { return }
    publish(discovery.message(for: record, fields: fields))
  }

  private func publish(_ message: DiscoveryMessage?) {
    guard let message, broker.isConnected, published[message.topic] != message.payload else { return }
    published[message.topic] = message.payload
    broker.publish(retained: message.payload, on: message.topic)
  }
}

extension Span<UInt8> {
  /// Where the value of a member is that is a string without escapes.
  fileprivate func text(of member: StaticString) -> Range<Int>? {
    guard var place = value(of: member), skip("\"", at: &place) else { return nil }
    return string(at: &place)
  }

  fileprivate func starts(with bytes: [UInt8]) -> Bool {
    guard count >= bytes.count else { return false }
    for index in bytes.indices where self[index] != bytes[index] { return false }
    return true
  }
}
