// Signals that match rules, and the owners of names.

import DBus
import TestSupport
import Testing

struct SignalTests {
  let world: TestWorld
  let bus: Bus
  let service: Bus

  init() throws {
    world = try TestWorld()
    bus = world.makeBus()
    service = world.makeBus()
    service.requestName("test.service")
    let isConnected = try world.run { [bus, service] in bus.isConnected && service.isConnected }
    #expect(isConnected)
    try world.settle()
  }

  private func signal(_ path: String, _ interface: String, _ member: String, _ arguments: Value...) -> BusMessage {
    BusMessage.signal(path: path, interface: interface, member: member).append(arguments)
  }

  static let rules: [(name: String, rule: MatchRule, expected: [String])] = [
    ("everything", MatchRule(), ["Near", "Far", "Other"]),
    ("member", MatchRule(member: "Far"), ["Far"]),
    ("interface", MatchRule(interface: "test.Two"), ["Other"]),
    ("path", MatchRule(path: "/a/b"), ["Near"]),
    ("namespace", MatchRule(pathNamespace: "/a/b"), ["Near", "Far"]),
    ("root namespace", MatchRule(interface: "test.One", pathNamespace: "/"), ["Near", "Far"]),
    ("first argument", MatchRule(firstArgument: "it's"), ["Other"]),
    ("owner of a name", MatchRule(sender: "test.service", member: "Near"), ["Near"]),
    ("name without an owner", MatchRule(sender: "test.unowned"), []),
  ]

  @Test("a handler gets the signals that match its rule", arguments: rules)
  func handlerGetsSignalsThatMatch(_ row: (name: String, rule: MatchRule, expected: [String])) throws {
    var seen: [String] = []
    // A second, wider rule brings all signals to this connection. The narrow one still gets only
    // its own.
    let wide = bus.addMatch(MatchRule(pathNamespace: "/")) { _ in }
    let match = bus.addMatch(row.rule) { message in
      if message.interface?.hasPrefix("test.") == true { seen.append(message.member ?? "") }
    }
    service.send(signal("/before", "test.Before", "Before"))
    try world.settle()
    seen = []
    service.send(signal("/a/b", "test.One", "Near"))
    service.send(signal("/a/b/c", "test.One", "Far"))
    service.send(signal("/a/bc", "test.Two", "Other", .string("it's")))
    try world.settle()
    #expect(seen == row.expected)
    match.cancel()
    service.send(signal("/a/b", "test.One", "Near"))
    try world.settle()
    #expect(seen == row.expected)
    wide.cancel()
  }

  @Test("equal rules are added once and kept until the last one goes")
  func equalRulesAdded() throws {
    var (first, second) = (0, 0)
    let one = bus.addMatch(MatchRule(member: "Now")) { _ in first += 1 }
    let two = bus.addMatch(MatchRule(member: "Now")) { _ in second += 1 }
    try world.settle()
    service.send(signal("/", "test.One", "Now"))
    try world.settle()
    one.cancel()
    one.cancel()
    service.send(signal("/", "test.One", "Now"))
    try world.settle()
    #expect((first, second) == (1, 2))
    two.cancel()
    try world.settle()
    let before = bus.connection?.traffic
    service.send(signal("/", "test.One", "Now"))
    try world.settle()
    let questions: UInt64 = 4
    #expect(bus.connection?.traffic == before.map { $0 + questions }, "only the messages of two fences, not the signal")
  }

  @Test("a handler that another one cancels is not called")
  func handlerThatAnotherOneCancels() throws {
    var order: [String] = []
    var second: Match?
    _ = bus.addMatch(MatchRule(member: "Now")) { _ in
      order.append("first")
      second?.cancel()
    }
    second = bus.addMatch(MatchRule(member: "Now")) { _ in order.append("second") }
    try world.settle()
    service.send(signal("/", "test.One", "Now"))
    try world.settle()
    #expect(order == ["first"])
  }

  @Test("signals of a previous owner do not match")
  func signalsOfPreviousOwner() throws {
    var seen = 0
    _ = bus.addMatch(MatchRule(sender: "test.service")) { _ in seen += 1 }
    let wide = bus.addMatch(MatchRule(interface: "test.One")) { _ in }
    try world.settle()
    service.releaseName("test.service")
    service.send(signal("/", "test.One", "Now"))
    try world.settle()
    #expect(seen == 0)
    wide.cancel()
  }

  @Test("the owner of a name is reported at once and at every change")
  func ownerOfNameReported() throws {
    var owners: [String?] = []
    let watch = bus.watchName("test.service") { owners.append($0) }
    #expect(owners.isEmpty)
    try world.settle()
    let owner = service.connection?.name
    #expect(owners == [owner])
    service.releaseName("test.service")
    try world.settle()
    service.requestName("test.service")
    try world.settle()
    #expect(owners == [owner, nil, owner])
    #expect(watch.generation == 3)
    var late: [String?] = []
    _ = bus.watchName("test.service") { late.append($0) }
    try world.settle()
    #expect(late == [owner])
    watch.cancel()
    service.releaseName("test.service")
    try world.settle()
    #expect(owners.count == 3)
    #expect(late == [owner, nil])
  }

  @Test("a name without an owner is reported too")
  func nameWithoutOwnerReportedToo() throws {
    var owners: [String?] = []
    _ = bus.watchName("test.unowned") { owners.append($0) }
    try world.settle()
    #expect(owners == [nil])
  }

  @Test("a reply of a previous owner is ignored")
  func replyOfPreviousOwnerIgnored() throws {
    var late: BusMessage?
    service.handleCalls {
      late = $0
      return .later
    }
    var events: [String] = []
    let watch = bus.watchName("test.service") { events.append($0 == nil ? "gone" : "there") }
    try world.settle()
    watch.call(path: "/", interface: "test.Service", member: "Do") { result in
      if case .failure(let error) = result { events.append(error.name.rawValue) } else { events.append("answered") }
    }
    try world.settle()
    service.releaseName("test.service")
    try world.settle()
    service.send(.reply(to: try #require(late)))
    try world.run(for: .seconds(60))
    #expect(events == ["there", BusError.Name.nameHasNoOwner.rawValue, "gone"])
    watch.call(path: "/", interface: "test.Service", member: "Do") { _ in events.append("refused") }
    #expect(events.count == 3)
    try world.settle()
    #expect(events.last == "refused")
  }

  @Test("a rule that the bus refuses does no harm")
  func ruleThatBusRefuses() throws {
    var seen = 0
    _ = bus.addMatch(MatchRule(path: "no path")) { _ in seen += 1 }
    _ = bus.addMatch(MatchRule(firstArgument: "a,b='c'")) { _ in seen += 1 }
    try world.settle()
    service.send(signal("/", "test.One", "Now", .string("a,b='c'")))
    try world.settle()
    #expect(seen == 1)
    #expect(bus.isConnected)
  }

  @Test("a flood of signals is handled in portions and completely")
  func floodOfSignalsHandledInPortions() throws {
    var seen = 0
    _ = bus.addMatch(MatchRule(member: "Now")) { _ in seen += 1 }
    try world.settle()
    for _ in 0..<20_000 { service.send(signal("/", "test.One", "Now", .bytes([UInt8](repeating: 7, count: 40)))) }
    try world.settle()
    #expect(seen == 20_000)
  }
}
