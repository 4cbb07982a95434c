// A call together with the type of its reply, as a client asks.
//
// `Reply` is constrained where replies are read. A constraint of the types themselves would have a
// program look for conformances when it first copies one, which takes longer than a whole request.

public import JSON

public struct Query<Reply: Sendable>: Sendable {
  public let call: Call
}

/// A reply, typed and as received, so that it can be passed on unchanged.
public struct Received<Reply: Sendable>: Sendable {
  public let content: Reply
  public let json: JSONValue
}

extension Received where Reply: WireObject {
  /// Nil if it is not a reply of this kind.
  public init?(_ json: JSONValue) {
    guard let content = Reply(json) else { return nil }
    self.content = content
    self.json = json
  }
}

extension Received: Equatable where Reply: Equatable {}

extension Query<EmptyReply> {
  public static func subscribe(_ filter: Filter) -> Self { Self(call: .subscribe(filter)) }
  public static var unsubscribe: Self { Self(call: .unsubscribe) }
  public static var ping: Self { Self(call: .ping) }
  public static var cancel: Self { Self(call: .cancel) }
  public static func scan(_ parameters: ScanParameters) -> Self { Self(call: .scan(parameters)) }
  public static func answer(_ parameters: AnswerParameters) -> Self { Self(call: .answer(parameters)) }
  public static func capture(sensors: [String]?) -> Self { Self(call: .capture(sensors: sensors)) }
  public static func replay(_ parameters: ReplayParameters) -> Self { Self(call: .replay(parameters)) }
}

extension Query<PollReply> {
  public static func poll(_ filter: Filter) -> Self { Self(call: .poll(filter)) }
}

extension Query<StatusReply> {
  public static var status: Self { Self(call: .status) }
}

extension Query<PluginsReply> {
  public static func plugins(id: String? = nil) -> Self { Self(call: .plugins(id: id)) }
}

extension Query<SensorsReply> {
  public static var sensors: Self { Self(call: .sensors) }
}

extension Query<SensorRecord> {
  public static func pair(_ parameters: PairParameters) -> Self { Self(call: .pair(parameters)) }
  public static func forget(sensor: String) -> Self { Self(call: .forget(sensor: sensor)) }
  public static func enable(sensor: String) -> Self { Self(call: .enable(sensor: sensor)) }
  public static func disable(_ parameters: DisableParameters) -> Self { Self(call: .disable(parameters)) }
  public static func rename(sensor: String, name: String) -> Self { Self(call: .rename(sensor: sensor, name: name)) }
  public static func set(_ parameters: SettingParameters) -> Self { Self(call: .set(parameters)) }
}

extension Query<InspectReply> {
  public static func inspect(_ parameters: InspectParameters) -> Self { Self(call: .inspect(parameters)) }
}

extension Query<CommandReply> {
  public static func command(_ parameters: CommandParameters) -> Self { Self(call: .command(parameters)) }
}

extension Query<LapsReply> {
  public static var laps: Self { Self(call: .laps) }
}

extension Query<RideReply> {
  public static func ride(_ parameters: RideParameters) -> Self { Self(call: .ride(parameters)) }
}

extension Query<SettingsReply> {
  public static func rideSettings(_ changes: [JSONValue.Member] = []) -> Self {
    Self(call: .rideSettings(changes: changes))
  }

  public static func rider(_ changes: [JSONValue.Member] = []) -> Self { Self(call: .rider(changes: changes)) }
}

extension Query<BikesReply> {
  public static func bike(_ parameters: BikeParameters = BikeParameters()) -> Self { Self(call: .bike(parameters)) }
}

extension Query<ExportReply> {
  public static var export: Self { Self(call: .export) }
}

extension Query<ImportReply> {
  /// The object that `export` returned.
  public static func `import`(_ learned: JSONValue) -> Self { Self(call: .import(learned)) }
}
