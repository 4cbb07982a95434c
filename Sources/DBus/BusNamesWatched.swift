// Follows the owner of a bus name. Each owner begins a new generation. Calls made through the watch
// fail when their generation ends, so a late reply of a former owner is never used.

internal import EventLoop

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

  static func ownerChanges(of name: String) -> MatchRule {
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
      guard let self, !isKnown, let record = self.bus?.record(of: name), record.isKnown else { return }
      change(to: record.owner)
    }
  }

  private var goneError: BusError { BusError(.nameHasNoOwner, "\(name) has no owner, or another one now") }
}
