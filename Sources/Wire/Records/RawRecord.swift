// Undecoded traffic with a sensor: the records of a running capture, one per line of the capture
// file.

public import CaptureFormat
public import JSON
public import Time
import Vocabulary

public struct RawRecord: Record {
  public static let className = "raw"
  public let sensor: String
  public let time: MonotonicTime
  public let event: CaptureEvent

  public init(sensor: String, time: MonotonicTime, event: CaptureEvent) {
    self.sensor = sensor
    self.time = time
    self.event = event
  }

  public func writeMembers(into writer: inout JSONWriter) {
    writer.member("sensor", sensor)
    writer.member("t", time)
    writer.member("op", event.operation)
    switch event {
    case .connected, .disconnected: break
    case .value(_, let uuid, let value), .serviceData(let uuid, let value):
      writer.member("source", uuid.description)
      writer.member("hex", hexText(value))
    case .advert(let company, let value):
      writer.member("source", companyText(company))
      writer.member("hex", hexText(value))
    }
  }

  public init?(_ json: JSONValue) {
    guard let sensor = json["sensor"]?.text, let time = json["t"].flatMap(MonotonicTime.init(wire:)),
      let event = json["op"]?.text.flatMap({ CaptureEvent($0, source: json["source"]?.text, hex: json["hex"]?.text) })
    else { return nil }
    self.init(sensor: sensor, time: time, event: event)
  }
}

extension CaptureEvent {
  /// The word used in capture files.
  fileprivate var operation: String {
    switch self {
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .value(let verb, _, _): verb.rawValue
    case .advert: "advert"
    case .serviceData: "service"
    }
  }

  fileprivate init?(_ operation: String, source: String?, hex: String?) {
    let value = hex.flatMap { bytes(ofHex: $0) }
    let uuid = source.flatMap { BluetoothUUID($0) }
    switch operation {
    case "connected": self = .connected
    case "disconnected": self = .disconnected
    case "advert":
      guard let company = source.flatMap({ UInt16($0, radix: 16) }), let value else { return nil }
      self = .advert(company, value)
    case "service":
      guard let uuid, let value else { return nil }
      self = .serviceData(uuid, value)
    default:
      guard let verb = Verb(rawValue: operation), let uuid, let value else { return nil }
      self = .value(verb, uuid, value)
    }
  }
}
