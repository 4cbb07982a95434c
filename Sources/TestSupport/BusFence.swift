// Knows when nothing is under way on a bus any more, so that virtual time may pass.
//
// Each connection asks the bus a question without effect. The bus keeps the order of what it gets and of what it gives, so
// a round of answers proves that everything sent before the round has been passed on, and a second one that everything
// passed on has arrived. Two rounds in a row in which nothing else was sent or received: nothing happens before the next
// deadline. As long as nothing has happened since, no question is needed.
//
// A connection that was closed says so on a descriptor of its own, whose order with the questions nothing keeps: the bus is
// asked whether it still knows the name, until it does not.

public import DBus
public import EventLoop

public final class BusFence {
  private var buses: [WeakBus] = []
  private var questions: [PendingCall] = []
  private var quietRounds = 0
  private var expected: [ObjectIdentifier: UInt64]?
  private var settled: [ObjectIdentifier: UInt64]?
  private var present: Set<String> = []
  private var departed: Set<String> = []

  private struct WeakBus {
    weak var bus: Bus?
  }

  public init() {}

  public func include(_ bus: Bus) {
    buses.append(WeakBus(bus: bus))
  }

  public func quiescence() -> VirtualTime.Quiescence {
    // One that will never be answered, for its connection was closed, is pending no more.
    if questions.contains(where: \.isPending) { return .underway }
    let connections = buses.compactMap { $0.bus?.connection }.filter(\.isOpen)
    noteNames(of: connections)
    let traffic = Dictionary(uniqueKeysWithValues: connections.map { (ObjectIdentifier($0), $0.traffic) })
    if traffic == settled, departed.isEmpty { return .settled }
    quietRounds = traffic == expected && departed.isEmpty ? quietRounds + 1 : 0
    if quietRounds >= 2 || connections.isEmpty {
      (settled, expected, quietRounds) = (traffic, nil, 0)
      return .settled
    }
    // Each question and its answer.
    expected = traffic.mapValues { $0 + 2 }
    questions = connections.map { connection in connection.call(Self.ping, timeout: Self.patience) { _ in } }
    if let witness = connections.first {
      expected?[ObjectIdentifier(witness)]? += 2 * UInt64(departed.count)
      questions += departed.map { askAbout($0, witness) }
    }
    return .underway
  }

  /// Names that the bus gave to connections which are open no more stay in question until the bus has forgotten them.
  private func noteNames(of connections: [Connection]) {
    let current = Set(connections.compactMap(\.name))
    departed.formUnion(present.subtracting(current))
    present = current
    if connections.isEmpty { departed = [] }
  }

  private func askAbout(_ name: String, _ witness: Connection) -> PendingCall {
    let question = Self.question("NameHasOwner", interface: "org.freedesktop.DBus").append(.string(name))
    return witness.call(question, timeout: Self.patience) { [weak self] result in
      guard case .success(let answer) = result else { return }
      var reader = answer.reader
      if reader.bool() == false { self?.departed.remove(name) }
    }
  }

  private static let patience = Duration.seconds(1_000_000_000)
  private static var ping: Message { question("Ping", interface: "org.freedesktop.DBus.Peer") }

  private static func question(_ member: String, interface: String) -> Message {
    .call(to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: interface, member: member)
  }
}
