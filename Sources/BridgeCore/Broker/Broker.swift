// The broker as the rest of the bridge sees it: it takes messages while it is connected, and says what
// it is doing.
//
// - Live values are sent once and may be lost.
// - Of retained messages and requests, only the newest of each topic waits for room.
// - Events wait for room, the newest of them.
// - Batches are sent when nothing of these waits, so that what is live comes first.

import EventLoop
import Fleet
import FleetWire
import Linux
import MQTT
import ProgramKit
import Time
import Wire

protocol BrokerListener: AnyObject {
  /// The broker may have forgotten everything.
  func brokerConnected()
  func brokerDisconnected()
  func broker(sent payload: Span<UInt8>, on topic: Span<UInt8>, _ message: IncomingMessage)
  /// A batch has arrived, or was refused.
  func broker(answered batch: MessageID, _ refusal: BrokerRefusal?)
  /// A batch may be sent.
  func brokerHasRoom()
  /// Live values that were dropped can be sent again.
  func brokerIsWritable()
  /// What `reply` returns has changed.
  func brokerChanged()
}

final class Broker {
  /// While so many events wait, the oldest is dropped. It is in a batch, too.
  private static let mostEvents = 64
  /// So many takeovers within this time mean that another receiver has the name and comes back.
  private static let takeovers = (most: 3, within: Duration.seconds(300))
  /// Debian's Mosquitto 2.0.11 closes a connection that is taken over without a reason, as one that
  /// crashes does.
  private static let closingHint = "; another receiver may have the same name: check Receiver="

  private let loop: EventLoop
  private let log: Log
  private let filters: [String]
  private unowned let listener: any BrokerListener
  private var connection: BrokerConnection?
  private var waiting = WaitingMessages()
  /// The topics of messages that wait for the broker's answer.
  private var unanswered: [MessageID: [UInt8]] = [:]
  private var unacknowledgedLimit = 0
  private var subscription: MessageID?
  private var lastTakeovers: [MonotonicTime] = []
  private var lastClosings: [MonotonicTime] = []
  private(set) var reply = BrokerReply()
  private(set) var isConnected = false

  /// `filters` are the topics to subscribe to.
  init(filters: [String], in loop: EventLoop, log: Log, listener: any BrokerListener) {
    (self.filters, self.loop, self.log, self.listener) = (filters, loop, log, listener)
  }

  func connect(_ settings: BrokerSettings) {
    reply.address = "\(settings.address)"
    change(to: .connecting)
    connection = BrokerConnection(
      settings, in: loop,
      onMessage: { [unowned self] topic, payload, message in
        self.listener.broker(sent: payload, on: topic, message)
      }, onEvent: { [weak self] in self?.handle($0) })
  }

  /// The bridge runs on without a broker.
  func refuse(_ problem: AccountProblem, address: BrokerAddress) {
    reply.address = "\(address)"
    change(to: .stopped, .files, "\(problem)")
    log.error("broker: not connected (\(problem))")
  }

  /// Whether nothing waits for its acknowledgement.
  var isIdle: Bool { !isConnected || waiting.isEmpty && connection?.unacknowledgedCount == 0 }

  func stop() {
    connection?.stop()
    isConnected = false
  }

  /// Two bridges of one name would take the connection from each other for ever.
  func giveUpName() {
    guard isConnected else { return }
    stop()
    forgetMessages()
    stopForName("\(BrokerFailure.takenOver)")
    listener.brokerDisconnected()
  }

  private func stopForName(_ message: String) {
    change(to: .stopped, .nameTaken, message)
    log.error("broker: gave up, because another client has the same name (set Receiver= and restart)")
  }

  private func forgetMessages() {
    waiting.removeAll()
    unanswered = [:]
    subscription = nil
  }

  private func change(to state: BrokerState, _ reason: BrokerReason? = nil, _ message: String? = nil) {
    let wasConnected = reply.state.known == .connected
    if reply.since == nil || wasConnected != (state == .connected) {
      reply.since = Clock.wallTime
    }
    reply.state = WireWord(state)
    reply.reason = reason.map { WireWord($0) }
    reply.message = message
    listener.brokerChanged()
  }
}

// MARK: Messages

extension Broker {
  /// Returns whether it was taken. Called without an allocation.
  func publish(live payload: Span<UInt8>, on topic: Span<UInt8>) -> Bool {
    guard isConnected, let connection else { return false }
    do throws(BrokerRequestError) {
      _ = try connection.publish(payload, to: topic, .atMostOnce, isRetained: true)
      return true
    } catch .full {
      return false
    } catch .notConnected {
      return false
    } catch {
      // It would not be taken later either.
      return true
    }
  }

  /// For those who listen now. It may be lost.
  func publish(passing payload: [UInt8], on topic: String) {
    guard isConnected, let connection else { return }
    _ = try? connection.publish(payload.span, to: Array(topic.utf8).span, .atMostOnce, isRetained: false)
  }

  /// Without a connection it is dropped: everything is published again when there is one.
  func publish(retained payload: [UInt8], on topic: String) {
    guard isConnected else { return }
    waiting.put(payload, topic, isRetained: true)
    sendWaiting()
  }

  /// What another receiver is told. Of each topic, only the newest waits for room.
  func publish(request payload: [UInt8], on topic: String) {
    guard isConnected else { return }
    waiting.put(payload, topic, isRetained: false)
    sendWaiting()
  }

  func publish(event payload: Span<UInt8>, on topic: Span<UInt8>) {
    guard isConnected else { return }
    waiting.append(payload, topic, most: Self.mostEvents)
    sendWaiting()
  }

  /// Whether a batch can be sent.
  var hasRoom: Bool {
    guard isConnected, waiting.isEmpty, let connection else { return false }
    return connection.unacknowledgedCount < unacknowledgedLimit
  }

  /// This client may not write to the topic.
  func wasRefused(topic: [UInt8], _ refusal: BrokerRefusal) {
    let topic = String(decoding: topic, as: UTF8.self)
    guard !reply.refused.contains(topic) else { return }
    log.warning("broker: a message on \(topic) was refused (\(refusal)): give this client the right to write it")
    reply.refused.append(topic)
    listener.brokerChanged()
  }

  func wasAccepted(topic: [UInt8]) {
    guard let index = reply.refused.firstIndex(where: { $0.utf8.elementsEqual(topic) }) else { return }
    reply.refused.remove(at: index)
    listener.brokerChanged()
  }

  /// Nil if the connection takes no more now.
  func publish(batch payload: Span<UInt8>, on topic: Span<UInt8>) throws(BrokerRequestError) -> MessageID? {
    guard isConnected, waiting.isEmpty, let connection else { return nil }
    do throws(BrokerRequestError) {
      return try connection.publish(payload, to: topic, .atLeastOnce, isRetained: false)
    } catch .full {
      return nil
    } catch .notConnected {
      return nil
    } catch {
      throw error
    }
  }

  private func sendWaiting() {
    guard let connection else { return }
    while let next = waiting.first {
      do throws(BrokerRequestError) {
        let id = try connection.publish(
          next.payload.span, to: next.topic.span, .atLeastOnce, isRetained: next.isRetained)
        unanswered[id] = next.topic
      } catch .full {
        return
      } catch .notConnected {
        return
      } catch {
        log.warning("broker: \(String(decoding: next.topic, as: UTF8.self)): not published (\(error))")
      }
      waiting.removeFirst()
    }
  }
}

// MARK: What the broker does

extension Broker {
  private func handle(_ event: BrokerEvent) {
    switch event {
    case .connected(let session): connected(session)
    case .failed(let failure, let delay), .disconnected(let failure, let delay): disconnected(failure, delay)
    case .slow(let failure): change(to: .connecting, .unreachable, "\(failure)")
    case .acknowledged(let id, let refusal): acknowledged(id, refusal)
    case .subscribed(let id, let refusals) where id == subscription: subscribed(refusals)
    case .subscribed: break
    case .writable: listener.brokerIsWritable()
    }
  }

  private func connected(_ session: BrokerSession) {
    isConnected = true
    unacknowledgedLimit = session.unacknowledgedLimit
    reply.refused = []
    change(to: .connected)
    log.info("broker: connected to \(reply.address ?? "") (MQTT \(session.version))")
    if !filters.isEmpty { subscription = try? connection?.subscribe(to: filters) }
    listener.brokerConnected()
  }

  private func disconnected(_ failure: BrokerFailure, _ delay: Duration) {
    let wasConnected = isConnected
    isConnected = false
    forgetMessages()
    let isClosedAgain = wasConnected && failure == .closed && happensAgain(&lastClosings)
    let message = "\(failure)" + (isClosedAgain ? Self.closingHint : "")
    let isNew = reply.message != message
    if failure == .takenOver, happensAgain(&lastTakeovers) {
      connection?.stop()
      stopForName(message)
    } else {
      change(to: .waiting, failure.reason, message)
      let seconds = (delay / .milliseconds(100)).rounded() / 10
      let level: LogLevel = !isNew ? .debug : failure.needsUser ? .error : .warning
      log.log(level, "broker: not connected, retrying in \(seconds) s (\(message))", [])
    }
    if wasConnected { listener.brokerDisconnected() }
  }

  private func happensAgain(_ times: inout [MonotonicTime]) -> Bool {
    times = times.filter { loop.now - $0 < Self.takeovers.within } + [loop.now]
    return times.count >= Self.takeovers.most
  }

  private func acknowledged(_ id: MessageID, _ refusal: BrokerRefusal?) {
    if let topic = unanswered.removeValue(forKey: id) {
      if let refusal { wasRefused(topic: topic, refusal) } else { wasAccepted(topic: topic) }
    } else {
      listener.broker(answered: id, refusal)
    }
    sendWaiting()
    if isConnected, waiting.isEmpty { listener.brokerHasRoom() }
  }

  private func subscribed(_ refusals: [BrokerRefusal?]) {
    reply.refused = zip(filters, refusals).filter { $1 != nil }.map { $0.0 }
    guard !reply.refused.isEmpty else { return }
    log.warning("broker: may not read \(reply.refused.joined(separator: ", ")) (give this client the right)")
    listener.brokerChanged()
  }
}

extension BrokerFailure {
  fileprivate var reason: BrokerReason {
    switch self {
    case .unknownHost, .unreachable, .noAnswer, .closedBeforeAnswer, .silent: .unreachable
    case .untrustedCertificate, .wrongHostName, .notEncrypted, .encryption: .untrusted
    case .refusedCertificate: .denied
    case .unreadableFile: .files
    case .refused(let refusal): refusal.isTemporary ? .other : .denied
    case .takenOver: .nameTaken
    default: .other
    }
  }
}
