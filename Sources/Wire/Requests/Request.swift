// A client's line, parsed in two steps: first the id and method, so that `denied` can be returned
// before parameters are checked, then the typed parameters. Unknown members are ignored, and null
// means omitted. The first step is the same for every service.

public import JSON

/// A client's line: which request it is, and what it asks for.
public struct Request: Equatable, Sendable {
  public let id: RequestID
  /// The name of the method, as the client wrote it.
  public let method: String
  public let params: JSONValue

  /// Parses a line without its line feed.
  public static func parse(_ line: Span<UInt8>) throws(ErrorRecord) -> Request {
    let members = try members(of: line)
    func last(_ name: String) -> (member: JSONValue.Member, place: Range<Int>)? {
      members.last { $0.member.name == name }
    }

    guard let given = last("id"), let id = requestID(given, in: line) else {
      throw ErrorRecord(id: nil, .badRequest, "a request needs an id, a number or a string of at most 1024 bytes")
    }
    guard let method = last("method")?.member.value.text else {
      throw ErrorRecord(id: id, .badRequest, "a request needs a method, a string")
    }
    return Request(id: id, method: method, params: last("params")?.member.value ?? .null)
  }

  private static func members(
    of line: Span<UInt8>
  ) throws(ErrorRecord) -> [(member: JSONValue.Member, place: Range<Int>)] {
    do throws(JSONError) {
      if let members = try JSONReader.members(line) { return members }
    } catch {
      throw ErrorRecord(id: nil, .badJSON, error.description)
    }
    throw ErrorRecord(id: nil, .badJSON, "a line is one JSON object")
  }

  private static func requestID(
    _ given: (member: JSONValue.Member, place: Range<Int>), in line: Span<UInt8>
  ) -> RequestID? {
    RequestID(token: given.place.map { line[$0] }, of: given.member.value)
  }
}

// MARK: Calls

/// The methods of the daemon. To add one: add a case here and to `Call`, and a line to `call()` and
/// to `Call.writeParameters`.
public enum Method: String, CaseIterable, Sendable {
  case subscribe, unsubscribe, poll, status, sensors, plugins, laps, ping
  case scan, pair, answer, inspect, cancel
  case forget, enable, disable, rename, set, command
  case capture, replay
  case ride, rideSettings = "ride_settings", rider, bike, export, `import`

  /// Whether the method requires control.sock. metrics.sock still allows reading with `rider` and
  /// `bike` (`isPersonalReading`).
  public var needsControl: Bool {
    switch self {
    case .subscribe, .unsubscribe, .poll, .status, .sensors, .plugins, .laps, .ping: false
    default: true
    }
  }

  public init(_ name: String) throws(Refusal) {
    guard let method = Method(rawValue: name) else {
      throw Refusal(.unknownMethod, "no method is called \(String(name.prefix(64)))")
    }
    self = method
  }
}

extension Request {
  /// Whether the request only reads the rider or the bikes.
  public var isPersonalReading: Bool {
    [Method.rider.rawValue, Method.bike.rawValue].contains(method)
      && (params == .null || params.members?.isEmpty == true)
  }

  /// The method with its typed parameters. Refuses an unknown method, and parameters that are
  /// missing or have the wrong type.
  public func call() throws(Refusal) -> Call {
    let method = try Method(method)
    guard params == .null || params.members != nil else { throw Refusal(.badRequest, "params is an object") }
    let parameters = Parameters(params)
    switch method {
    case .subscribe: return .subscribe(try Filter(parameters))
    case .unsubscribe: return .unsubscribe
    case .poll: return .poll(try Filter(parameters))
    case .status: return .status
    case .sensors: return .sensors
    case .plugins: return .plugins(id: try parameters.text("plugin"))
    case .laps: return .laps
    case .scan: return .scan(try ScanParameters(parameters))
    case .ping: return .ping
    case .pair: return .pair(try PairParameters(parameters))
    case .answer: return .answer(try AnswerParameters(parameters))
    case .inspect: return .inspect(try InspectParameters(parameters))
    case .cancel: return .cancel
    case .forget: return .forget(sensor: try parameters.sensor())
    case .enable: return .enable(sensor: try parameters.sensor())
    case .disable: return .disable(try DisableParameters(parameters))
    case .rename: return .rename(sensor: try parameters.sensor(), name: try parameters.name())
    case .set: return .set(try SettingParameters(parameters))
    case .command: return .command(try CommandParameters(parameters))
    case .capture: return .capture(sensors: try parameters.names("sensors"))
    case .replay: return .replay(try ReplayParameters(parameters))
    case .ride: return .ride(try RideParameters(parameters))
    case .rideSettings: return .rideSettings(changes: params.members ?? [])
    case .rider: return .rider(changes: params.members ?? [])
    case .export: return .export
    case .import: return .import(params)
    case .bike: return .bike(try BikeParameters(parameters))
    }
  }
}

/// A method with its parameters: the daemon executes it, and a client sends it.
public enum Call: Equatable, Sendable {
  case subscribe(Filter)
  case unsubscribe
  case poll(Filter)
  case status
  case sensors
  /// All plugins, or the one with this id.
  case plugins(id: String?)
  /// The finished laps of the ride.
  case laps
  case scan(ScanParameters)
  case ping
  case pair(PairParameters)
  case answer(AnswerParameters)
  case inspect(InspectParameters)
  case cancel
  case forget(sensor: String)
  case enable(sensor: String)
  case disable(DisableParameters)
  case rename(sensor: String, name: String)
  case set(SettingParameters)
  case command(CommandParameters)
  /// Nil captures every sensor.
  case capture(sensors: [String]?)
  case replay(ReplayParameters)
  case ride(RideParameters)
  /// Changes by key; an empty string clears one. Without changes, the request only reads.
  case rideSettings(changes: [JSONValue.Member])
  /// Likewise.
  case rider(changes: [JSONValue.Member])
  case bike(BikeParameters)
  case export
  /// The object that `export` returned.
  case `import`(JSONValue)

  /// The maximum number of bytes around the parameters in a line, with an id of common length.
  public static let envelope = 128

  public var method: Method {
    switch self {
    case .subscribe: .subscribe
    case .unsubscribe: .unsubscribe
    case .poll: .poll
    case .status: .status
    case .sensors: .sensors
    case .plugins: .plugins
    case .laps: .laps
    case .scan: .scan
    case .ping: .ping
    case .pair: .pair
    case .answer: .answer
    case .inspect: .inspect
    case .cancel: .cancel
    case .forget: .forget
    case .enable: .enable
    case .disable: .disable
    case .rename: .rename
    case .set: .set
    case .command: .command
    case .capture: .capture
    case .replay: .replay
    case .ride: .ride
    case .rideSettings: .rideSettings
    case .rider: .rider
    case .bike: .bike
    case .export: .export
    case .import: .import
    }
  }

  fileprivate func writeParameters(into writer: inout JSONWriter) {
    switch self {
    case .subscribe(let filter), .poll(let filter): filter.write(into: &writer)
    case .scan(let parameters): parameters.write(into: &writer)
    case .pair(let parameters): parameters.write(into: &writer)
    case .answer(let parameters): parameters.write(into: &writer)
    case .inspect(let parameters): parameters.write(into: &writer)
    case .forget(let sensor), .enable(let sensor): writer.member("sensor", sensor)
    case .plugins(let id): writer.member("plugin", id)
    case .disable(let parameters): parameters.write(into: &writer)
    case .rename(let sensor, let name):
      writer.member("sensor", sensor)
      writer.member("name", name)
    case .set(let parameters): parameters.write(into: &writer)
    case .command(let parameters): parameters.write(into: &writer)
    case .capture(let sensors): writer.member("sensors", sensors)
    case .replay(let parameters): parameters.write(into: &writer)
    case .ride(let parameters): parameters.write(into: &writer)
    case .rider(let changes), .rideSettings(let changes):
      for change in changes { writer.member(change.name, change.value) }
    case .bike(let parameters): parameters.write(into: &writer)
    case .import(let learned): for member in learned.members ?? [] { writer.member(member.name, member.value) }
    case .unsubscribe, .status, .sensors, .laps, .cancel, .ping, .export: break
    }
  }
}

extension JSONWriter {
  /// Writes a request as a client sends it, without the line feed.
  public mutating func request(_ id: RequestID, _ call: Call) {
    beginObject()
    member("id", id)
    member("method", call.method.rawValue)
    member("params")
    beginObject()
    call.writeParameters(into: &self)
    endObject()
    endObject()
  }
}
