// What other receivers publish, for the readers of mqtt.sock: the bridge reads the topics of some groups,
// and asks their receivers for live values while somebody reads.
//
// The requests are not kept by the broker. A receiver that comes online gets its own, and what is
// not read any more ends by itself.

import EventLoop
import Fleet
import FleetWire
import JSON
import ProgramKit
import Serving
import Time
import Wire

final class Wall {
  private static let wantTime = Duration.seconds(600)
  private static let wantInterval = Duration.seconds(300)
  /// All receivers are told at most once in this time, however often readers come and go.
  private static let shortestInterval = Duration.seconds(1)
  /// Any time that is far away, for a receiver whose clock is not set: it does not use it.
  private static let farAway = WallTime(seconds: 4_102_444_800)

  private let loop: EventLoop
  private let groups: [FleetName]
  private let isAlone: Bool
  private unowned let broker: Broker
  private var board = WallBoard()
  private var readers: [WallReader] = []
  private var told = BrokerReply()
  private var wanted: WallWish?
  private var wantedAt: MonotonicTime?
  private var hook: Hook?
  private var wantTimer: Deadline?

  init(_ configuration: BridgeConfiguration, broker: Broker, in loop: EventLoop) {
    (self.broker, self.loop) = (broker, loop)
    (groups, isAlone) = (configuration.wallGroups, configuration.isWallOnly)
    hook = loop.makeHook { [weak self] in self?.sendChanges() }
    wantTimer = loop.schedule(at: loop.now) { [weak self] in self?.askAll() }
    wantTimer?.cancel()
  }

  func stop() { wantTimer?.cancel() }

  var reply: WallReply {
    var reply = WallReply()
    reply.groups = groups.map(\.text)
    reply.isAlone = isAlone
    (reply.receivers, reply.online) = board.counts
    (reply.bytes, reply.limitBytes, reply.refused) = (board.bytes, WallBoard.defaultLimit, board.refused)
    return reply
  }

  // MARK: The broker

  /// A message on one of the groups' topics. Those of a sample are added without an allocation.
  func add(_ payload: Span<UInt8>, on topic: Span<UInt8>, isRetained: Bool) {
    let receiver = board.add(
      payload, on: topic, isRetained: isRetained, at: loop.now, calendar: ClockWatch.calendar)
    if !readers.isEmpty { hook?.schedule() }
    if let receiver, let wanted, !readers.isEmpty { ask(receiver, wanted) }
  }

  /// With each connection, the broker sends everything that it has kept.
  func brokerChanged() {
    guard broker.reply != told else { return }
    if broker.reply.state != told.state, broker.isConnected {
      board.removeAll()
      wantedAt = nil
    }
    told = broker.reply
    for reader in readers { reader.send(told) }
  }
}

// MARK: Readers

extension Wall {
  func subscribe(_ request: WallRequest, _ client: Client) throws(Refusal) -> Answer {
    if let unknown = request.groups?.first(where: { name in !groups.contains { $0.text == name } }) {
      let list = groups.map(\.text).joined(separator: ", ")
      throw Refusal(
        .badRequest, "this bridge does not read the group \(unknown.prefix(32)), only \(list); see Groups= of mqtt.conf"
      )
    }
    let reader = WallReader(request, client, of: self)
    return .done.then { [weak self, weak client] in
      guard let self, let client else { return }
      unsubscribe(client)
      client.begin(reader)
      readers.append(reader)
      reader.begin(at: board.start, told)
      scheduleWants()
    }
  }

  func unsubscribe(_ client: Client) {
    guard let reader = client.operation as? WallReader else { return }
    client.endOperation()
    remove(reader)
  }

  func remove(_ reader: WallReader) {
    readers.removeAll { $0 === reader }
    if readers.isEmpty { wantTimer?.cancel() }
  }

  private func sendChanges() { for reader in readers { reader.sendChanges() } }

  /// Appends what the reader lacks. Returns whether that was all.
  func write(
    _ filter: WallFilter, after position: inout WallPosition, into lines: inout [UInt8], atMost size: Int
  ) -> Bool {
    board.write(
      filter, after: &position, at: loop.now, calendar: ClockWatch.calendar, into: &lines, atMost: size)
  }
}

// MARK: What is wanted live

extension Wall {
  private func scheduleWants() {
    let wish = readers.dropFirst().reduce(readers.first?.wish) { $0?.joined(with: $1.wish) }
    guard let wish else { return }
    let earliest = wantedAt.map { $0 + Self.shortestInterval } ?? loop.now
    let isCovered = wish == wanted
    wanted = wish
    let next = wantedAt.map { $0 + Self.wantInterval } ?? loop.now
    wantTimer?.set(to: max(loop.now, isCovered ? next : earliest))
  }

  private func askAll() {
    guard let wanted, !readers.isEmpty else { return }
    wantedAt = loop.now
    for receiver in board.online(at: loop.now) { ask(receiver, wanted) }
    wantTimer?.set(to: loop.now + Self.wantInterval)
  }

  private func ask(_ receiver: WallReceiver, _ wish: WallWish) {
    let until = (receiver.calendar ?? ClockWatch.calendar ?? Self.farAway) - (Duration.zero - Self.wantTime)
    broker.publish(
      request: LiveWant.message(kinds: wish.kinds, hz: wish.hz, until: until), on: receiver.want)
  }
}

/// What a reader wants, or all of them together.
struct WallWish: Equatable {
  /// Nil for all kinds.
  let kinds: [String]?
  let hz: Double

  init(kinds: [String]?, hz: Double) { (self.kinds, self.hz) = (kinds.map { Set($0).sorted() }, hz) }

  func joined(with other: WallWish) -> WallWish {
    let kinds: [String]? = if let kinds, let others = other.kinds { kinds + others } else { nil }
    return WallWish(kinds: kinds, hz: max(hz, other.hz))
  }
}
