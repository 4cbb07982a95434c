// Home Assistant's discovery: one retained message for each device, from which it makes the device and
// its entities. The same input gives the same bytes.

import JSON
package import Wire

/// The topics of a receiver. Fleet's have these names.
package protocol ReceiverTopics: Sendable {
  var status: String { get }
  func sensor(_ id: String) -> String
  func now(_ sensor: String, _ kind: String) -> String
}

package struct DiscoveryMessage: Equatable, Sendable {
  package let topic: String
  /// Empty if Home Assistant is to forget the device.
  package let payload: [UInt8]
}

package struct Discovery: Sendable {
  private let prefix: String
  private let receiver: String
  private let release: String
  private let topics: any ReceiverTopics
  private let kinds: Set<String>?

  /// `prefix` is the one that Home Assistant's MQTT integration is configured with. `kinds` are those
  /// that are published; nil for all.
  package init(
    prefix: String, receiver: String, release: String, topics: some ReceiverTopics, kinds: Set<String>? = nil
  ) {
    (self.prefix, self.receiver, self.release, self.topics, self.kinds) = (prefix, receiver, release, topics, kinds)
  }

  /// Whether samples of a kind can have entities, and so have to be published.
  package static func mayAnnounce(kind: String) -> Bool { !Entity.kindsWithoutEntities.contains(kind) }

  /// Nil if the id cannot be part of a topic.
  package func message(for sensor: SensorRecord, fields: DeclaredFields = DeclaredFields()) -> DiscoveryMessage? {
    guard let topic = topic(of: sensor.id) else { return nil }
    let entities = entities(of: sensor, fields)
    var device = device(sensor.id, sensor.name.isEmpty ? sensor.id : sensor.name)
    device.address = sensor.address
    device.maker = sensor.facts["manufacturer"]?.text
    device.model = sensor.facts["model"]?.text
    device.software = sensor.facts["firmware"]?.text
    device.hardware = sensor.facts["hardware"]?.text
    let availability = [
      Availability(topic: topics.status, isOnlineIf: "online"),
      Availability(topic: topics.sensor(sensor.id), isOnlineIf: "streaming"),
    ]
    let writer = MessageWriter(device, release, availability, topics: topics, limits: sensor.staleAfterMS)
    return DiscoveryMessage(topic: topic, payload: writer.payload(sensor.id, entities))
  }

  /// The derived values: the ride itself, and the best source of each value. `limits` are those of
  /// `ride` in the daemon's reply to `sensors`.
  package func message(forRide limits: KindLimits) -> DiscoveryMessage {
    let writer = MessageWriter(
      device(SensorID.ride, "Ride (\(receiver))"), release, [Availability(topic: topics.status, isOnlineIf: "online")],
      topics: topics, limits: limits)
    return DiscoveryMessage(
      topic: topic(named: "cyclometer_" + SensorID.ride),
      payload: writer.payload(SensorID.ride, Entity.ofRide.filter(isPublished(_:))))
  }

  /// The receiver itself. Its connection stays visible when it is lost.
  package var receiverMessage: DiscoveryMessage {
    var device = Device(id: deviceID, name: "Cyclometer \(receiver)", receiver: nil)
    device.software = release
    let writer = MessageWriter(device, release, [], topics: topics, limits: KindLimits())
    return DiscoveryMessage(topic: topic(named: "cyclometer"), payload: writer.payload("", Entity.ofReceiver))
  }

  /// Nil if the id cannot be part of a topic: then there was no message.
  package func forgotten(_ sensor: String) -> DiscoveryMessage? {
    topic(of: sensor).map { DiscoveryMessage(topic: $0, payload: []) }
  }

  private func entities(of sensor: SensorRecord, _ fields: DeclaredFields) -> [Entity] {
    let kinds = Set(sensor.kinds).sorted()
    let entities = kinds.flatMap { Entity.all(ofKind: $0, fields: fields.names(of: sensor.id, $0)) }
    return entities.filter(isPublished(_:)) + [Entity.signal]
  }

  private func isPublished(_ entity: Entity) -> Bool {
    guard let kinds, case .sample(let kind) = entity.source else { return true }
    return kinds.contains(kind)
  }

  // MARK: Names

  private var deviceID: String { "cyclometer_" + receiver }

  private func device(_ id: String, _ name: String) -> Device {
    Device(id: "\(deviceID)_\(id)", name: name, receiver: deviceID)
  }

  /// Home Assistant ignores a topic with other characters.
  private func topic(of sensor: String) -> String? {
    let isPlain = sensor.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
    return isPlain && !sensor.isEmpty ? topic(named: "cyclometer_" + sensor) : nil
  }

  private func topic(named name: String) -> String { "\(prefix)/device/\(receiver)/\(name)/config" }
}
