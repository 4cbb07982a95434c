// Knows when nothing is under way on a bus any more, so that virtual time may pass.
//
// Each connection asks the bus a question without effect. The bus keeps the order of what it gets and of what it gives, so
// a round of answers proves that everything sent before the round has been passed on, and a second one that everything
// passed on has arrived. Two rounds in a row in which nothing else was sent or received: nothing happens before the next
// deadline. As long as nothing has happened since, no question is needed.

public import DBus
public import EventLoop

public final class BusFence {
  private var buses: [WeakBus] = []
  private var questions: [PendingCall] = []
  private var quietRounds = 0
  private var expected: [ObjectIdentifier: UInt64]?
  private var settled: [ObjectIdentifier: UInt64]?

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
    let traffic = Dictionary(uniqueKeysWithValues: connections.map { (ObjectIdentifier($0), $0.traffic) })
    if traffic == settled { return .settled }
    quietRounds = traffic == expected ? quietRounds + 1 : 0
    // A connection that was closed says so on a descriptor of its own, whose order with the questions nothing keeps: rounds
    // enough for the bus to come to it.
    let enough = connections.count < (settled?.count ?? 0) ? 8 : 2
    if quietRounds >= enough || connections.isEmpty {
      (settled, expected, quietRounds) = (traffic, nil, 0)
      return .settled
    }
    // The question and its answer.
    expected = traffic.mapValues { $0 + 2 }
    questions = connections.map(ask)
    return .underway
  }

  private func ask(_ connection: Connection) -> PendingCall {
    let question = Message.call(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus.Peer", member: "Ping")
    return connection.call(question, timeout: .seconds(1_000_000_000)) { _ in }
  }
}
