// A line from the daemon as a client reads it. Unknown classes and members are kept as JSON, so
// that an older client works with a newer daemon.

public import JSON
public import Time
public import Vocabulary

public enum Message: Equatable, Sendable {
  case hello(HelloRecord)
  case reply(id: RequestID, result: JSONValue)
  case error(ErrorRecord)
  case sample(SampleRecord)
  case state(StateRecord)
  case sensor(SensorChangeRecord)
  case adapter(AdapterRecord)
  case event(EventRecord)
  case found(FoundRecord)
  case advert(AdvertRecord)
  case scanEnded
  case inspectEnded(InspectEndedRecord)
  case snapshotEnded
  case lag(LagRecord)
  case raw(RawRecord)
  case report(RawReport)
  case prompt(PromptRecord)
  /// An unknown class, or a record that lacks a required member.
  case other(className: String, JSONValue)

  public static func parse(_ line: Span<UInt8>) throws(JSONError) -> Message {
    Message(try JSONValue.parse(line))
  }

  public init(_ json: JSONValue) {
    let className = json["class"]?.text ?? ""
    self = Self.known(className, json) ?? .other(className: className, json)
  }

  private static func known(_ className: String, _ json: JSONValue) -> Message? {
    switch className {
    case HelloRecord.className: HelloRecord(json).map(Message.hello)
    case "reply": json["id"].flatMap(RequestID.init).map { .reply(id: $0, result: json["result"] ?? .object([])) }
    case ErrorRecord.className: ErrorRecord(json).map(Message.error)
    case SampleRecord.className: SampleRecord(json).map(Message.sample)
    case StateRecord.className: StateRecord(json).map(Message.state)
    case SensorChangeRecord.className: SensorChangeRecord(json).map(Message.sensor)
    case AdapterRecord.className: AdapterRecord(json).map(Message.adapter)
    case EventRecord.className: EventRecord(json).map(Message.event)
    case FoundRecord.className: FoundRecord(json).map(Message.found)
    case ScanEndedRecord.className: .scanEnded
    case InspectEndedRecord.className: InspectEndedRecord(json).map(Message.inspectEnded)
    case SnapshotEndedRecord.className: .snapshotEnded
    case AdvertRecord.className: AdvertRecord(json).map(Message.advert)
    case LagRecord.className: LagRecord(json).map(Message.lag)
    case RawRecord.className: RawRecord(json).map(Message.raw) ?? RawReport(json).map(Message.report)
    case PromptRecord.className: PromptRecord(json).map(Message.prompt)
    default: nil
    }
  }
}

/// A sample as a client reads it.
public struct SampleRecord: Equatable, Sendable {
  static let className = "sample"
  private static let header = ["class", "sensor", "kind", "seq", "t", "time", "age_ms"]

  public let sensor: String
  public let kind: String
  public let sequence: Int
  /// Seconds since the boot of the daemon's computer.
  public let t: Double
  public let time: WallTime?
  public let ageMS: Int
  /// The whole record.
  public let json: JSONValue
  /// The measured values, in the order of the line.
  public let fields: [JSONValue.Member]

  public init?(_ json: JSONValue) {
    guard let members = json.members, let sensor = json["sensor"]?.text, let kind = json["kind"]?.text,
      let sequence = json["seq"]?.integer, let t = json["t"]?.number
    else { return nil }
    self.json = json
    self.sensor = sensor
    self.kind = kind
    self.sequence = sequence
    self.t = t
    time = json["time"]?.text.flatMap(WallTime.init)
    ageMS = json["age_ms"]?.integer ?? 0
    fields = members.filter { !Self.header.contains($0.name) }
  }

  public subscript(_ field: String) -> JSONValue? {
    fields.last { $0.name == field }?.value
  }

  public subscript(_ field: Field) -> JSONValue? { self[field.name.description] }

  /// Of a derived sample: the sensor that the value comes from.
  public var source: String? { self["source"]?.text }
}
