// Requests from afar: from the topic `do` to the daemon, and its answers to `done`.

import CyclometerClient
import EventLoop
import Fleet
import JSON
import MQTT
import ProgramKit
import Time
import Wire

final class RemoteRequests {
  /// Further requests are refused, so that a client that floods the topic only slows itself down.
  private static let mostUnanswered = 16

  private let loop: EventLoop
  private let log: Log
  private let topic: [UInt8]
  private let rules: RemoteControl
  private unowned let broker: Broker
  private unowned let daemon: DaemonControl
  /// Requests that no daemon has.
  private var waiting: [RemoteRequest] = []
  /// How many the daemon has not answered.
  private var underWay = 0
  private var deadline: Deadline?

  init(
    _ topics: FleetTopics, allowing methods: [RemoteMethod], broker: Broker, daemon: DaemonControl, in loop: EventLoop,
    log: Log
  ) {
    (self.loop, self.log, self.broker, self.daemon) = (loop, log, broker, daemon)
    topic = Array(topics.answer.utf8)
    rules = RemoteControl(allowing: methods)
    deadline = loop.schedule(at: loop.now) { [weak self] in self?.expire() }
  }

  func stop() { deadline?.cancel() }

  /// A message on the topic `do`. An empty one only takes a kept one back.
  func handle(_ payload: Span<UInt8>, _ message: IncomingMessage) {
    guard !payload.isEmpty else { return }
    let sender = RemoteControl.sender(message.user)
    do throws(ErrorRecord) {
      let request = try rules.request(payload, isRetained: message.isRetained, at: loop.now, wall: ClockWatch.calendar)
      guard waiting.count + underWay < Self.mostUnanswered else {
        throw ErrorRecord(id: request.id, .busy, "too many requests wait for their answers; send this one later")
      }
      log.info("control: \(request.method.rawValue) from \(sender)")
      waiting.append(request)
      send()
    } catch {
      log.warning("control: refused a request from \(sender) (\(error.code.rawValue): \(error.message))")
      publish(error.payload)
    }
  }

  /// Passes on what waits. Without a daemon, it waits until its time has passed.
  func send() {
    expire()
    while daemon.isConnected, let request = waiting.first {
      waiting.removeFirst()
      do throws(ClientError) {
        try daemon.send(request.method.daemonMethod, request.params) { [weak self] in self?.answer(request, $0) }
        underWay += 1
      } catch {
        publish(request.refusal(error))
      }
    }
    follow()
  }

  private func answer(_ request: RemoteRequest, _ result: Result<JSONValue, ClientError>) {
    underWay -= 1
    switch result {
    case .success(let reply): publish(request.answer(reply))
    case .failure(let error):
      log.warning("control: \(request.method.rawValue) was not done (\(error))")
      publish(request.refusal(error))
    }
  }

  private func expire() {
    let late = waiting.filter { $0.deadline <= loop.now }
    waiting.removeAll { $0.deadline <= loop.now }
    for request in late {
      log.warning("control: \(request.method.rawValue) was not done (no daemon took it in time)")
      publish(request.expiry)
    }
    follow()
  }

  private func follow() {
    if let next = waiting.map(\.deadline).min() { deadline?.set(to: next) } else { deadline?.cancel() }
  }

  private func publish(_ payload: [UInt8]) {
    let topic = topic
    broker.publish(event: payload.span, on: topic.span)
  }
}

extension RemoteMethod {
  fileprivate var daemonMethod: Method {
    switch self {
    case .ride: .ride
    case .command: .command
    }
  }
}

extension RemoteRequest {
  /// The daemon's own words, or why it cannot be asked.
  fileprivate func refusal(_ error: ClientError) -> [UInt8] {
    guard case .refused(let code, let message) = error else {
      return refusal(ErrorCode.notConnected.rawValue, "\(error); it is unknown whether the request was done")
    }
    return refusal(code, message)
  }
}
