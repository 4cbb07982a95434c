// Follows the owner of a bus name. Each owner begins a new generation. Calls made through the watch
// fail when their generation ends, so a late reply of a former owner is never used.

internal import EventLoop

extension Bus {
  /// Reports the owner's unique name (nil for none) as soon as it is known, and at every change.
  public func watchName(_ name: String, _ changed: @escaping (String?) -> Void) -> NameWatch {
    let watch = NameWatch(bus: self, name: name, changed: changed)
    if let record = names[name] {
      record.watches.append(watch)
      if record.isKnown { watch.announceLater() }
    } else {
      let record = NameRecord(name)
      record.watches = [watch]
      names[name] = record
      record.match = addMatch(MatchRule.ownerChanges(of: name)) { [weak self, weak record] signal in
        var reader = signal.reader
        guard let record, reader.string() == name, reader.string() != nil, let owner = reader.string() else { return }
        self?.settle(record, owner.isEmpty ? nil : owner)
      }
      askOwner(record)
    }
    return watch
  }

  func remove(_ watch: NameWatch) {
    guard let record = names[watch.name] else { return }
    record.watches.removeAll { $0 === watch }
    guard record.watches.isEmpty else { return }
    names[watch.name] = nil
    record.match?.cancel()
  }

  func renewNames() {
    for record in names.values.sorted(by: { $0.name < $1.name }) { askOwner(record) }
  }

  private func askOwner(_ record: NameRecord) {
    guard isConnected, let connection else { return }
    connection.call(BusNames.call("GetNameOwner", .string(record.name))) { [weak self, weak record] result in
      guard let self, let record else { return }
      switch result {
      case .success(let message):
        var reader = message.reader
        settle(record, reader.string())
      case .failure(let error) where error.name == .disconnected:
        break
      case .failure:
        settle(record, nil)
      }
    }
  }

  /// Without a bus, no name has an owner.
  func forgetOwners() {
    for record in names.values.sorted(by: { $0.name < $1.name }) {
      if record.owner != nil { settle(record, nil) }
      record.isKnown = false
    }
  }

  private func settle(_ record: NameRecord, _ owner: String?) {
    guard !record.isKnown || owner != record.owner else { return }
    record.isKnown = true
    record.owner = owner
    for watch in record.watches { watch.change(to: owner) }
  }
}

/// A watched name, shared by all its watches.
final class NameRecord {
  let name: String
  var owner: String?
  /// Whether the bus has replied on this connection.
  var isKnown = false
  var watches: [NameWatch] = []
  var match: Match?

  init(_ name: String) {
    self.name = name
  }
}

extension MatchRule {
  var isAboutOwners: Bool { sender == BusNames.bus && member == "NameOwnerChanged" }

  fileprivate static func ownerChanges(of name: String) -> MatchRule {
    MatchRule(
      sender: BusNames.bus, interface: BusNames.bus, member: "NameOwnerChanged", path: BusNames.path,
      firstArgument: name)
  }
}

public final class NameWatch {
  public let name: String
  public private(set) var owner: String?
  /// Counts owners, so that a closure can check whether it is outdated.
  public private(set) var generation = 0
  private let changed: (String?) -> Void
  private weak var bus: Bus?
  private var pending: [PendingCall] = []
  private var isKnown = false

  init(bus: Bus, name: String, changed: @escaping (String?) -> Void) {
    self.bus = bus
    self.name = name
    self.changed = changed
  }

  /// Calls the current owner. Fails with `nameHasNoOwner` if there is none, or as soon as the owner
  /// changes.
  @discardableResult
  public func call(
    path: String, interface: String, member: String, _ arguments: Value...,
    timeout: Duration = BusConnection.defaultTimeout, _ reply: @escaping BusConnection.Reply
  ) -> PendingCall? {
    guard let bus else { return nil }
    guard let owner else { return bus.refuse(goneError, reply) }
    let message = BusMessage.call(to: owner, path: path, interface: interface, member: member)
    for argument in arguments { message.append(argument) }
    let call = bus.call(message, timeout: timeout, reply)
    pending.removeAll { !$0.isPending }
    pending.append(call)
    return call
  }

  public func cancel() {
    bus?.remove(self)
    bus = nil
  }

  func change(to owner: String?) {
    guard bus != nil else { return }
    isKnown = true
    self.owner = owner
    generation += 1
    let calls = pending
    pending = []
    for call in calls { call.complete(.failure(goneError)) }
    // One of those replies may have cancelled the watch.
    if bus != nil { changed(owner) }
  }

  /// For a new watch of a name that is already watched.
  func announceLater() {
    guard let bus else { return }
    bus.loop.schedule(after: .zero) { [weak self] in
      guard let self, !isKnown, let record = self.bus?.names[name], record.isKnown else { return }
      change(to: record.owner)
    }
  }

  private var goneError: BusError { BusError(.nameHasNoOwner, "\(name) has no owner, or another one now") }
}

// MARK: Own names

extension Bus {
  /// Requests the name now and on every later connection. Reports each time whether we own it.
  public func requestName(_ name: String, _ answer: @escaping (Bool) -> Void = { _ in }) {
    ownNames[name] = answer
    askForName(name)
  }

  public func releaseName(_ name: String) {
    guard ownNames.removeValue(forKey: name) != nil, isConnected, let connection else { return }
    connection.call(BusNames.call("ReleaseName", .string(name))) { _ in }
  }

  func renewOwnNames() {
    for name in ownNames.keys.sorted() { askForName(name) }
  }

  private func askForName(_ name: String) {
    guard isConnected, let connection else { return }
    // Flag 4: do not queue for the name. Replies 1 and 4: we own it now, or already did.
    connection.call(BusNames.call("RequestName", .string(name), .uint32(4))) { [weak self] result in
      guard let answer = self?.ownNames[name] else { return }
      guard case .success(let message) = result else { return answer(false) }
      var reader = message.reader
      let code = reader.uint32()
      answer(code == 1 || code == 4)
    }
  }
}
