// Detects when a bus is idle, so that virtual time may advance.
//
// Each connection sends the bus a request without side effects. The bus keeps messages in order in
// both directions. So one round of replies proves that everything sent before it was forwarded, and
// a second round that everything forwarded has arrived. After two rounds in a row without other
// traffic, nothing happens before the next deadline. While there is no traffic, no new requests are
// needed.
//
// A closed connection is reported on a separate descriptor, which has no defined order relative to
// the requests. The bus is therefore asked about the name until it no longer knows it.

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
    // A request on a closed connection gets no reply, but is not pending any more.
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
    // Each request and its reply.
    expected = traffic.mapValues { $0 + 2 }
    questions = connections.map { connection in connection.call(Self.ping, timeout: Self.timeout) { _ in } }
    if let witness = connections.first {
      expected?[ObjectIdentifier(witness)]? += 2 * UInt64(departed.count)
      questions += departed.map { askAbout($0, witness) }
    }
    return .underway
  }

  /// Remembers names of closed connections until the bus has dropped them.
  private func noteNames(of connections: [BusConnection]) {
    let current = Set(connections.compactMap(\.name))
    departed.formUnion(present.subtracting(current))
    present = current
    if connections.isEmpty { departed = [] }
  }

  private func askAbout(_ name: String, _ witness: BusConnection) -> PendingCall {
    let question = Self.question("NameHasOwner", interface: "org.freedesktop.DBus").append(.string(name))
    return witness.call(question, timeout: Self.timeout) { [weak self] result in
      guard case .success(let answer) = result else { return }
      var reader = answer.reader
      if reader.bool() == false { self?.departed.remove(name) }
    }
  }

  private static let timeout = Duration.seconds(1_000_000_000)
  private static var ping: BusMessage { question("Ping", interface: "org.freedesktop.DBus.Peer") }

  private static func question(_ member: String, interface: String) -> BusMessage {
    .call(to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: interface, member: member)
  }
}
