// A mirror of bluetoothd's adapters, devices, services and characteristics.
//
// The mirror is either complete or empty. The reply to GetManagedObjects fills it, and a change of
// the name's owner clears it. Signals are subscribed to before that call. Messages from one sender
// stay in order, so signals that arrive before the reply are already contained in it and are
// dropped.

public import DBus
internal import EventLoop

public final class ObjectTree {
  public enum State: Equatable, Sendable {
    case busGone
    case bluetoothdGone
    /// bluetoothd is running but has not sent its objects yet.
    case asking
    /// The request failed and will be retried.
    case failing(BusError)
    case ready
  }

  public enum Event {
    /// Everything may have changed.
    case stateChanged
    case added(path: String, interface: String)
    case removed(path: String, interface: String)
    /// The names of properties that were set, set again to the same value, or removed.
    case changed(path: String, interface: String, names: [String])
  }

  public private(set) var state = State.busGone
  /// Called from the loop after the mirror has changed.
  public var observer: (Event) -> Void = { _ in }
  public let bus: Bus
  /// bluetoothd's unique name on the bus.
  var owner: String? { service?.owner }

  public typealias Properties = [String: Value]
  private var objects: [String: [String: Properties]] = [:]
  private var service: NameWatch?
  private var observation: BusObservation?
  private var matches: [Match] = []
  private var retry: Deadline?
  private var wait = ObjectTree.shortestWait

  private static let shortestWait = Duration.seconds(1)
  private static let longestWait = Duration.seconds(60)

  public init(bus: Bus) {
    self.bus = bus
  }

  public func start() {
    guard service == nil else { return }
    let matched = [
      MatchRule(
        sender: BlueZName.service, interface: BlueZName.Interface.objectManager,
        member: BlueZName.Member.interfacesAdded,
        path: BlueZName.root),
      MatchRule(
        sender: BlueZName.service, interface: BlueZName.Interface.objectManager,
        member: BlueZName.Member.interfacesRemoved,
        path: BlueZName.root),
    ]
    let handlers: [(BusMessage) -> Void] = [{ [weak self] in self?.add($0) }, { [weak self] in self?.remove($0) }]
    matches = zip(matched, handlers).map { bus.addMatch($0, $1) }
    matches += BlueZName.Interface.followed.map { interface in
      bus.addMatch(.properties(of: interface)) { [weak self] in self?.change($0) }
    }
    observation = bus.observe(connected: {}, lost: { [weak self] _ in self?.busIsGone() })
    service = bus.watchName(BlueZName.service) { [weak self] in self?.ownerChanged($0) }
  }

  /// Stops for good, without calling the observer.
  public func stop() {
    retry?.cancel()
    observation?.cancel()
    for match in matches { match.cancel() }
    matches = []
    service?.cancel()
    service = nil
    objects = [:]
    state = .busGone
  }
}

extension MatchRule {
  static func properties(of interface: String, at path: String? = nil) -> MatchRule {
    MatchRule(
      sender: BlueZName.service, interface: BlueZName.Interface.properties, member: BlueZName.Member.propertiesChanged,
      path: path,
      firstArgument: interface)
  }
}

// MARK: Reading

extension ObjectTree {
  /// The paths of all objects that have the interface, in the order of the paths.
  public func paths(having interface: String, under prefix: String = "") -> [String] {
    objects.compactMap { path, interfaces in
      path.hasPrefix(prefix) && interfaces[interface] != nil ? path : nil
    }.sorted()
  }

  public func has(_ path: String, _ interface: String) -> Bool {
    objects[path]?[interface] != nil
  }

  public func value(_ path: String, _ interface: String, _ name: String) -> Value? {
    objects[path]?[interface]?[name]
  }
}

// MARK: Requests

extension ObjectTree {
  /// Fails with `nameHasNoOwner` as soon as this bluetoothd exits.
  @discardableResult
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [Value] = [],
    timeout: Duration = BusConnection.defaultTimeout, reply: @escaping BusConnection.Reply
  ) -> PendingCall? {
    switch arguments.count {
    case 0: service?.call(path: path, interface: interface, member: member, timeout: timeout, reply)
    case 1: service?.call(path: path, interface: interface, member: member, arguments[0], timeout: timeout, reply)
    case 2:
      service?.call(
        path: path, interface: interface, member: member, arguments[0], arguments[1], timeout: timeout, reply)
    default:
      service?.call(
        path: path, interface: interface, member: member, arguments[0], arguments[1], arguments[2], timeout: timeout,
        reply)
    }
  }

  private func ownerChanged(_ owner: String?) {
    wait = Self.shortestWait
    guard owner != nil else { return enter(bus.isConnected ? .bluetoothdGone : .busGone) }
    enter(.asking)
    ask()
  }

  private func ask() {
    let generation = service?.generation
    call(BlueZName.root, BlueZName.Interface.objectManager, BlueZName.Member.getManagedObjects) { [weak self] result in
      guard let self, let service, service.generation == generation, service.owner != nil else { return }
      switch result {
      case .success(let message):
        var reader = message.reader
        fill(reader.objects() ?? [:])
      case .failure(let error):
        enter(.failing(error))
        retry = bus.loop.schedule(after: wait) { [weak self] in self?.ask() }
        wait = min(wait * 2, Self.longestWait)
      }
    }
  }

  private func fill(_ answer: [String: [String: Properties]]) {
    objects = answer.compactMapValues { interfaces in
      let kept = interfaces.filter { BlueZName.Interface.mirrored.contains($0.key) }
      return kept.isEmpty ? nil : kept
    }
    wait = Self.shortestWait
    state = .ready
    observer(.stateChanged)
  }

  /// If there never was a connection, the reason for that is known now.
  private func busIsGone() {
    if state == .busGone { observer(.stateChanged) } else { enter(.busGone) }
  }

  private func enter(_ state: State) {
    retry?.cancel()
    objects = [:]
    guard state != self.state else { return }
    self.state = state
    observer(.stateChanged)
  }
}

// MARK: Signals

extension ObjectTree {
  private func add(_ signal: BusMessage) {
    guard state == .ready else { return }
    var reader = signal.reader
    guard let path = reader.objectPath(), let interfaces = reader.interfaces() else { return }
    let added = interfaces.filter { BlueZName.Interface.mirrored.contains($0.key) }
    for (interface, properties) in added { objects[path, default: [:]][interface] = properties }
    for interface in added.keys.sorted() { observer(.added(path: path, interface: interface)) }
  }

  private func remove(_ signal: BusMessage) {
    guard state == .ready else { return }
    var reader = signal.reader
    guard let path = reader.objectPath(), let interfaces = reader.strings() else { return }
    let removed = interfaces.filter { objects[path]?.removeValue(forKey: $0) != nil }
    if objects[path]?.isEmpty == true { objects[path] = nil }
    for interface in removed { observer(.removed(path: path, interface: interface)) }
  }

  private func change(_ signal: BusMessage) {
    guard state == .ready, let path = signal.path else { return }
    var reader = signal.reader
    guard let interface = reader.string(), let news = reader.properties(), objects[path]?[interface] != nil else {
      return
    }
    let gone = reader.strings() ?? []
    for (name, value) in news { objects[path]?[interface]?[name] = value }
    for name in gone { objects[path]?[interface]?[name] = nil }
    observer(.changed(path: path, interface: interface, names: Array(news.keys) + gone))
  }
}
