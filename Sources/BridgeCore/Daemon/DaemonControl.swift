// The daemon's control.sock, for requests from afar and for sensors that roam. It is opened only if the
// configuration asks for one of them. Samples are not subscribed to.

import CyclometerClient
import CyclometerClientLoop
import EventLoop
import FleetWire
import JSON
import ProgramKit
import Wire

final class DaemonControl {
  typealias Answer = (Result<JSONValue, ClientError>) -> Void

  private let log: Log
  private var feed: LoopFeed?
  private var pending: [Int: Answer] = [:]
  private(set) var isConnected = false
  /// Why it is not connected. Nil while it is, and before the first attempt.
  private var absence: ClientError?
  var connected: () -> Void = {}
  var disconnected: () -> Void = {}
  var received: (ReceivedRecord) -> Void = { _ in }

  init(of daemon: Endpoint, in loop: EventLoop, log: Log) {
    self.log = log
    var subscription = Subscription(snapshot: false, events: false)
    subscription.samples = false
    feed = LoopFeed(
      subscription, from: daemon, for: .control, in: loop, onUpdate: { [weak self] in self?.handle($0) },
      onFailure: { [weak self] in self?.disconnect($0) })
  }

  /// Without access to the socket, it looks as if no daemon listened.
  func reply(daemonRuns: Bool) -> ControlReply {
    var reply = ControlReply()
    reply.isConnected = isConnected
    reply.message = absence.map { "\($0)" }
    if daemonRuns, case .noDaemon(let path) = absence { reply.message = "the bridge has no access to \(path)" }
    return reply
  }

  func stop() {
    feed?.stop()
    isConnected = false
  }

  /// The answer comes later, also if the connection is lost. Throws without a connection.
  func send(_ method: Method, _ parameters: JSONValue, _ answer: @escaping Answer) throws(ClientError) {
    guard let feed, isConnected else { throw absence ?? .closed }
    let request = try feed.send(method.rawValue, parameters)
    pending[request] = answer
  }

  private func handle(_ update: Update) {
    switch update {
    case .connected:
      (isConnected, absence) = (true, nil)
      log.info("control: connected")
      connected()
    case .disconnected(let reason): disconnect(reason)
    case .answer(let answer): pending.removeValue(forKey: answer.request)?(answer.result)
    case .record(let record): received(record)
    case .gap, .lag: break
    }
  }

  private func disconnect(_ reason: ClientError) {
    let wasConnected = isConnected
    // It is tried again and again.
    let level: LogLevel = wasConnected || absence != reason ? .warning : .debug
    (isConnected, absence) = (false, reason)
    log.log(level, "control: not connected (\(reason))", [])
    if wasConnected { disconnected() }
  }
}
