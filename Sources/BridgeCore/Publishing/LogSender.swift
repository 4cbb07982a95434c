// Records for storing: from the daemon into batches, from there into the spool, and from the spool to
// the broker. A batch leaves the spool when the broker has confirmed it.

import EventLoop
import Fleet
import FleetWire
import Linux
import MQTT
import ProgramKit
import Spool
import Time

final class LogSender {
  /// After a broker has refused a batch. Rights at a broker change rarely.
  private static let pause = Duration.seconds(60)

  private let loop: EventLoop
  private let log: Log
  private let topic: [UInt8]
  private let limit: Int
  private unowned let broker: Broker
  private let spool: BatchSpool
  private let losses: SpoolLosses
  private var batcher: LogBatcher
  private var pace = SendPace()
  private var payload: [UInt8] = []
  /// The numbers of the batches that wait for the broker's answer.
  private var unanswered: [MessageID: UInt64] = [:]
  /// The broker has refused a batch, and gets no other one for a while.
  private var isRefused = false
  private var instance: String?
  private var batchEnd: Deadline?
  private var spoolWork: Deadline?
  private var nextBatch: Deadline?

  init(
    _ configuration: BridgeConfiguration, filter: RecordFilter, topics: FleetTopics, folder: String, broker: Broker,
    in loop: EventLoop, log: Log
  ) throws(StartError) {
    (self.loop, self.log, self.broker) = (loop, log, broker)
    topic = Array(topics.log.utf8)
    limit = configuration.spoolMiB << 20
    let losses = SpoolLosses(log: log)
    self.losses = losses
    let spool = BatchSpool(folder: folder, limit: Int64(limit), bootID: BootID.current, at: loop.now) { losses.add($0) }
    self.spool = spool
    do throws(FleetProblem) {
      batcher = try LogBatcher(
        firstNumber: spool.nextNumber, limits: BatchLimits(duration: .seconds(configuration.batchSeconds)),
        filter: filter, compresses: configuration.compresses)
    } catch {
      throw StartError("\(error)")
    }
    batchEnd = loop.schedule(at: loop.now) { [weak self] in self?.timePassed() }
    spoolWork = loop.schedule(at: loop.now) { [weak self] in self?.maintain() }
    nextBatch = loop.schedule(at: loop.now) { [weak self] in self?.resume() }
  }

  var reply: SpoolReply {
    var reply = SpoolReply()
    let counts = spool.counts
    (reply.records, reply.batches, reply.bytes) = (counts.records, counts.batches, Int(counts.bytes))
    (reply.limitBytes, reply.lost, reply.message) = (limit, losses.records, losses.obstacle)
    return reply
  }

  /// What is collected becomes a batch, and is sent if the broker takes it.
  func finish() {
    batcher.end { spool.append($0, $1, at: loop.now) }
    send()
  }

  func close() {
    for deadline in [batchEnd, spoolWork, nextBatch] { deadline?.cancel() }
    spool.close(at: loop.now)
  }
}

// MARK: Records

extension LogSender {
  func daemonConnected(instance: String, boot: String) {
    self.instance = instance
    batcher.connected(instance: instance, boot: boot) { spool.append($0, $1, at: loop.now) }
    follow()
  }

  /// Adds the record that was read last. Called without an allocation.
  func add(_ line: Span<UInt8>, _ record: RecordReader) {
    let number = batcher.number
    batcher.add(line, record, at: loop.now) { spool.append($0, $1, at: loop.now) }
    follow()
    if batcher.number != number { send() }
  }

  private func timePassed() {
    batcher.timePassed(at: loop.now) { spool.append($0, $1, at: loop.now) }
    follow()
    send()
  }

  private func maintain() {
    spool.timePassed(at: loop.now)
    follow()
  }

  private func follow() {
    move(batchEnd, to: batcher.deadline)
    move(spoolWork, to: spool.deadline)
  }

  private func move(_ deadline: Deadline?, to time: MonotonicTime?) {
    guard let deadline else { return }
    guard let time else { return deadline.cancel() }
    if !deadline.isPending || deadline.time != time { deadline.set(to: time) }
  }
}

// MARK: The broker

extension LogSender {
  func brokerConnected() {
    isRefused = false
    send()
  }

  /// What was not confirmed is sent again.
  func brokerDisconnected() {
    recall()
    nextBatch?.cancel()
  }

  /// Sends the oldest batch, and the next one when its time has come.
  func send() {
    while broker.hasRoom, !isRefused {
      guard let due = pace.next(unacknowledged: spool.unacknowledged, at: loop.now), spool.hasNext else { break }
      guard due <= loop.now else {
        nextBatch?.set(to: due)
        break
      }
      guard let item = spool.next(into: &payload, at: loop.now) else { break }
      pace.sent(at: loop.now)
      guard publish(item) else { break }
    }
    follow()
  }

  /// Returns whether more can be sent.
  private func publish(_ item: SpoolItem) -> Bool {
    if case .loss(_, let loss) = item { payload = loss.batch(instance: instance) }
    let (topic, payload) = (topic, payload)
    do throws(BrokerRequestError) {
      guard let id = try broker.publish(batch: payload.span, on: topic.span) else {
        recall()
        return false
      }
      unanswered[id] = item.number
    } catch {
      // It would not be taken later either.
      log.error("spool: batch \(item.number) cannot be sent, and is dropped (\(error))")
      spool.lose(item.number, at: loop.now)
    }
    return true
  }

  func answered(_ id: MessageID, _ refusal: BrokerRefusal?) {
    guard let number = unanswered.removeValue(forKey: id) else { return }
    guard let refusal else {
      broker.wasAccepted(topic: topic)
      spool.acknowledge(number, at: loop.now)
      return follow()
    }
    guard !isRefused else { return }
    isRefused = true
    broker.wasRefused(topic: topic, refusal)
    nextBatch?.set(to: loop.now + Self.pause)
  }

  /// After the pace, or after a pause: the rights may have changed.
  private func resume() {
    if isRefused {
      isRefused = false
      recall()
    }
    send()
  }

  private func recall() {
    unanswered.removeAll(keepingCapacity: true)
    spool.recallUnacknowledged(at: loop.now)
    follow()
  }
}

/// What the spool has reported.
private final class SpoolLosses {
  private let log: Log
  /// Why nothing can be stored. Nil if it can.
  private(set) var obstacle: String?
  /// By the first batch of each loss, because a loss grows.
  private var dropped: [Int: Int] = [:]

  init(log: Log) { self.log = log }

  var records: Int { dropped.values.reduce(0, +) }

  func add(_ problem: SpoolProblem) {
    log.warning("spool: \(problem)")
    switch problem {
    case .notWritable(let error): obstacle = "\(error)"
    case .writableAgain: obstacle = nil
    case .full(let loss), .lost(let loss): if let first = loss.batches.first { dropped[first] = loss.records ?? 0 }
    case .notReadable, .torn, .damaged, .newerFormat: break
    }
  }
}
