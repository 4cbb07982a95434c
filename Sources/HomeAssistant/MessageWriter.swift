// The JSON of a discovery message, with Home Assistant's abbreviations of long names.

import JSON
import Wire

struct Device {
  let id: String
  let name: String
  /// The device over which it is connected.
  let receiver: String?
  var address: String?
  var maker: String?
  var model: String?
  var software: String?
  var hardware: String?
}

/// A topic whose messages tell whether the values are current. All must agree.
struct Availability {
  let topic: String
  /// The value of `state`. Home Assistant keeps its opinion if a template gives any other word than
  /// online or offline.
  let isOnlineIf: String
}

struct MessageWriter {
  private let device: Device
  private let release: String
  private let availability: [Availability]
  private let topics: any ReceiverTopics
  private let limits: KindLimits

  init(
    _ device: Device, _ release: String, _ availability: [Availability], topics: any ReceiverTopics, limits: KindLimits
  ) {
    (self.device, self.release, self.availability) = (device, release, availability)
    (self.topics, self.limits) = (topics, limits)
  }

  func payload(_ sensor: String, _ entities: [Entity]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("dev")
    writeDevice(into: &writer)
    writer.member("o")
    writer.beginObject()
    writer.member("name", "cyclometer")
    writer.member("sw", release)
    writer.endObject()
    if !availability.isEmpty { writeAvailability(into: &writer) }
    writer.member("cmps")
    writer.beginObject()
    for entity in entities {
      writer.member(entity.key)
      write(entity, of: sensor, into: &writer)
    }
    writer.endObject()
    writer.member("qos", 0)
    writer.endObject()
    return writer.bytes
  }

  private func writeDevice(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("ids", [device.id])
    if let address = device.address, !address.isEmpty {
      writer.member("cns")
      writer.beginArray()
      writer.beginArray()
      writer.string("bluetooth")
      writer.string(address)
      writer.endArray()
      writer.endArray()
    }
    writer.member("name", device.name)
    writer.member("mf", device.maker)
    writer.member("mdl", device.model)
    writer.member("sw", device.software)
    writer.member("hw", device.hardware)
    writer.member("via_device", device.receiver)
    writer.endObject()
  }

  private func writeAvailability(into writer: inout JSONWriter) {
    writer.member("availability")
    writer.beginArray()
    for each in availability {
      writer.beginObject()
      writer.member("topic", each.topic)
      writer.member("value_template", "{{ 'online' if value_json.state == '\(each.isOnlineIf)' else 'offline' }}")
      writer.endObject()
    }
    writer.endArray()
    writer.member("availability_mode", "all")
  }

  private func write(_ entity: Entity, of sensor: String, into writer: inout JSONWriter) {
    writer.beginObject()
    if case .isOn = entity.form { writer.member("p", "binary_sensor") } else { writer.member("p", "sensor") }
    writer.member("unique_id", "\(device.id)_\(entity.key)")
    writer.member("name", entity.name)
    writer.member("state_topic", topic(of: entity, sensor))
    writer.member("value_template", entity.template)
    switch entity.form {
    case .measured(let measure): write(measure, "measurement", into: &writer)
    case .counted(let measure): write(measure, "total_increasing", into: &writer)
    case .isOn(let deviceClass): writer.member("device_class", deviceClass)
    }
    writer.member("icon", entity.icon)
    writer.member("expire_after", expiry(of: entity))
    writer.member("entity_category", entity.isDiagnostic ? "diagnostic" : nil)
    writer.endObject()
  }

  private func write(_ measure: Measure, _ stateClass: String, into writer: inout JSONWriter) {
    writer.member("device_class", measure.deviceClass)
    writer.member("unit_of_measurement", measure.unit)
    writer.member("state_class", stateClass)
  }

  private func topic(of entity: Entity, _ sensor: String) -> String {
    switch entity.source {
    case .sample(let kind): topics.now(sensor, kind)
    case .sensor: topics.sensor(sensor)
    case .status: topics.status
    }
  }

  /// In seconds: three times the age at which the daemon calls a value old. By then the state of the
  /// sensor has said so, unless messages are missing.
  private func expiry(of entity: Entity) -> Int? {
    guard case .sample(let kind) = entity.source, let limit = limits[kind], limit > 0, limit <= Self.longestLimit else {
      return nil
    }
    return (limit * 3 + 999) / 1000
  }

  /// Against numbers that cannot be right.
  private static let longestLimit = 1_000_000_000
}
