// org.bluez.AgentManager1 and the requests to agents. As in 5.66, the agent of the client that
// called Pair is asked. If bluetoothd itself starts the bonding, it asks the default agent. The
// first registered agent is the default until another requests to be.

public import DBus
internal import EventLoop

/// How a sensor bonds.
public enum FakeBonding: Equatable, Sendable {
  /// The agent is only asked if bluetoothd itself starts the bonding.
  case justWorks
  case passkey(UInt32)
  case confirmation(UInt32)
}

final class FakeAgents {
  struct Agent: Equatable {
    let client: String
    let path: String
    let capability: String
  }

  /// The default agent comes first.
  private(set) var agents: [Agent] = []
  private unowned let fake: FakeBlueZ

  static let path = "/org/bluez"
  static let manager = "org.bluez.AgentManager1"
  static let agent = "org.bluez.Agent1"

  init(_ fake: FakeBlueZ) {
    self.fake = fake
  }

  func export() {
    let object = FakeObject(Self.path, [Self.manager: [:]])
    object.call = { [weak self] in self?.answer($0) ?? .unknown }
    fake.table.add(object)
  }

  func forget(_ client: String) {
    agents.removeAll { $0.client == client }
  }

  func forgetAll() {
    agents = []
  }

  private func answer(_ call: BusMessage) -> CallAnswer {
    var reader = call.reader
    guard let path = reader.objectPath(), let client = call.sender else { return .unknown }
    let known = agents.firstIndex { $0.client == client && $0.path == path }
    switch (call.member, known) {
    case ("RegisterAgent", nil):
      agents.append(Agent(client: client, path: path, capability: reader.string() ?? ""))
      fake.watchClient(client)
    case ("RegisterAgent", _?):
      return .reply(.error(BusError("org.bluez.Error.AlreadyExists", "Already Exists"), to: call))
    case ("UnregisterAgent", let index?): agents.remove(at: index)
    case ("RequestDefaultAgent", let index?): agents.insert(agents.remove(at: index), at: 0)
    case ("UnregisterAgent", nil), ("RequestDefaultAgent", nil): return .reply(.error(.doesNotExist, to: call))
    default: return .unknown
    }
    return .reply(.reply(to: call))
  }

  /// The agent to ask: the client's own, else the default.
  func agent(for client: String?) -> Agent? {
    agents.first { $0.client == client } ?? agents.first
  }

  enum Outcome {
    case right, wrong, refused
  }

  /// The outcome is also `refused` if there is no agent.
  func ask(
    _ agent: Agent?, of device: FakeDevice, isOwnIdea: Bool, _ answered: @escaping (Outcome) -> Void
  ) -> PendingCall? {
    let bonding = device.sensor.bonding
    if bonding == .justWorks, !isOwnIdea {
      answered(.right)
      return nil
    }
    guard let agent else {
      answered(.refused)
      return nil
    }
    let call: BusMessage
    switch bonding {
    case .justWorks: call = message("RequestAuthorization", agent, device)
    case .passkey: call = message("RequestPasskey", agent, device)
    case .confirmation(let passkey): call = message("RequestConfirmation", agent, device).append(.uint32(passkey))
    }
    return fake.call(call) { result in
      guard case .success(let reply) = result else { return answered(.refused) }
      guard case .passkey(let passkey) = bonding else { return answered(.right) }
      var reader = reply.reader
      answered(reader.uint32() == passkey ? .right : .wrong)
    }
  }

  func cancel(_ agent: Agent) {
    fake.send(.call(to: agent.client, path: agent.path, interface: Self.agent, member: "Cancel"))
  }

  private func message(_ member: String, _ agent: Agent, _ device: FakeDevice) -> BusMessage {
    BusMessage.call(to: agent.client, path: agent.path, interface: Self.agent, member: member)
      .append(.objectPath(device.path))
  }
}

extension FakeBlueZ {
  /// The unique names of the clients with an agent, the default first.
  public var agentClients: [String] { agents.agents.map(\.client) }

  /// Calls the default agent about a sensor, as bluetoothd does. Returns the error of a refusal.
  public func askAgent(
    of sensor: FakeSensor, _ member: String, _ arguments: [Value], in world: TestWorld
  ) throws -> BusError? {
    guard let agent = agents.agent(for: nil), let device = adapters.lazy.compactMap({ $0.device(sensor) }).first else {
      return BusError(.failed, "no agent to ask")
    }
    let message = BusMessage.call(to: agent.client, path: agent.path, interface: FakeAgents.agent, member: member)
    var answer: Result<BusMessage, BusError>?
    _ = call(message.append([.objectPath(device)] + arguments)) { answer = $0 }
    _ = try world.run { answer != nil }
    if case .failure(let error) = answer { return error }
    return nil
  }
}
