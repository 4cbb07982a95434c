// The last sample of each sensor and kind, and when it is published on `now/SENSOR/KIND`: while
// somebody wants it, and at most as often. Of the samples in between, the newest is published when
// its time has come. Radar is published at once.
//
// A sensor that is lost leaves its last value: nothing here ever publishes a zero or nothing for
// "lost". After warm-up, a sample costs no allocation.

import JSON
public import Time

/// When samples are published live (`Live=`).
public enum LiveMode: String, CaseIterable, Sendable {
  case always, wanted, never
}

public struct LiveBoard {
  /// Publishes a payload on a topic, retained, with QoS 0. Returns whether it was taken: if not, nothing
  /// more is published until `brokerIsWritable`.
  public typealias Sink = (_ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Bool

  private struct Stream {
    /// Empty if no topic can have these names.
    var topic: [UInt8] = []
    var payload: [UInt8] = []
    /// Whether it is published without being wanted.
    var isAnnounced = false
    var signalStrength: Int?
    /// Whether the payload is of the daemon that runs now.
    var isCurrent = false
    /// Whether the payload is not published yet.
    var isPending = false
    var wasPublished = false
    /// Whether the broker has to forget it.
    var isForgotten = false
    var lastSent: MonotonicTime?
  }

  private static let radar = Array("radar".utf8)

  private let topics: FleetTopics
  private let filter: RecordFilter
  private let mode: LiveMode
  private let announces: (_ kind: String) -> Bool
  private var strengths: [String: Int] = [:]
  private var wants = LiveWants()
  private var table = StreamTable()
  private var streams: [Stream] = []
  private var instance: [UInt8] = []
  private var isConnected = false
  private var isFull = false

  /// `announces` says which kinds are published whatever the mode is.
  public init(
    topics: FleetTopics, mode: LiveMode, filter: RecordFilter = RecordFilter(),
    announces: @escaping (_ kind: String) -> Bool = { _ in false }
  ) {
    (self.topics, self.mode, self.filter, self.announces) = (topics, mode, filter, announces)
  }

  /// A daemon greeted: values of the one before are not published any more.
  public mutating func connected(instance: String) {
    guard !self.instance.elementsEqual(instance.utf8) else { return }
    self.instance = Array(instance.utf8)
    for index in streams.indices { (streams[index].isPending, streams[index].isCurrent) = (false, false) }
  }

  /// How strong the signal of a sensor is; nil if that is unknown.
  public mutating func setSignalStrength(_ dBm: Int?, of sensor: String) {
    strengths[sensor] = dBm
    for index in streams.indices where table.sensor(index).elementsEqual(sensor.utf8) {
      streams[index].signalStrength = dBm
    }
  }

  /// Adds the sample that was read last.
  public mutating func add(_ line: Span<UInt8>, _ record: RecordReader, at now: MonotonicTime, _ sink: Sink) {
    guard record.recordClass == .sample, filter.passes(record, line), let index = stream(record, line) else { return }
    streams[index].payload.removeAll(keepingCapacity: true)
    record.append(
      line, without: [.recordClass, .age], instance: instance, signalStrength: streams[index].signalStrength,
      to: &streams[index].payload)
    (streams[index].isPending, streams[index].isCurrent) = (true, true)
    publishIfDue(index, at: now, sink)
  }

  /// Adds what a reader wants to see, and publishes the last values of it at once.
  public mutating func add(_ want: LiveWant, at now: MonotonicTime, _ sink: Sink) {
    wants.add(want, at: now)
    publishDue(at: now, sink)
  }

  /// The broker may have forgotten all, so the last value of everything that is wanted is published
  /// again.
  public mutating func brokerConnected(at now: MonotonicTime, _ sink: Sink) {
    isConnected = true
    for index in streams.indices where streams[index].wasPublished && streams[index].isCurrent {
      streams[index].isPending = true
      streams[index].lastSent = nil
    }
    brokerIsWritable(at: now, sink)
  }

  /// The broker takes messages again: what it did not take is published.
  public mutating func brokerIsWritable(at now: MonotonicTime, _ sink: Sink) {
    isFull = false
    for index in streams.indices where streams[index].isForgotten { clear(index, sink) }
    publishDue(at: now, sink)
  }

  /// Nothing is published until `brokerConnected`.
  public mutating func brokerDisconnected() { isConnected = false }

  /// When `timePassed` publishes something; nil for never.
  public func deadline(at now: MonotonicTime) -> MonotonicTime? {
    guard isConnected, !isFull else { return nil }
    var first: MonotonicTime?
    for index in streams.indices where streams[index].isPending {
      guard let due = due(index, at: now) else { continue }
      first = min(first ?? due, due)
    }
    return first
  }

  public mutating func timePassed(at now: MonotonicTime, _ sink: Sink) { publishDue(at: now, sink) }

  /// A sensor is not paired any more: the broker forgets its values.
  public mutating func forget(sensor: String, _ sink: Sink) {
    strengths[sensor] = nil
    for index in streams.indices where table.sensor(index).elementsEqual(sensor.utf8) {
      streams[index].isForgotten = streams[index].wasPublished
      streams[index].isPending = false
      streams[index].wasPublished = false
      streams[index].lastSent = nil
      if isConnected, streams[index].isForgotten { clear(index, sink) }
    }
  }

  /// The kinds that somebody wants, of those that were measured.
  public func wantedKinds(at now: MonotonicTime) -> [String] {
    guard mode == .wanted else { return [] }
    let kinds = streams.indices.filter { wants.hz(of: table.kind($0), at: now) != nil }.map {
      String(decoding: table.kind($0), as: UTF8.self)
    }
    return Set(kinds).sorted()
  }

  /// When the last want ends; nil if nothing is wanted.
  public func end(after now: MonotonicTime) -> MonotonicTime? { mode == .wanted ? wants.end(after: now) : nil }
}

extension LiveBoard {
  private mutating func clear(_ index: Int, _ sink: Sink) {
    guard !isFull else { return }
    let topic = streams[index].topic
    streams[index].isForgotten = !sink(topic.span, [UInt8]().span)
    isFull = streams[index].isForgotten
  }

  private mutating func stream(_ record: RecordReader, _ line: Span<UInt8>) -> Int? {
    let (sensor, kind) = (line.extracting(record.sensor), line.extracting(record.kind))
    guard let index = table.number(sensor, kind) else { return nil }
    if index == streams.count {
      var stream = Stream()
      if !topics.writeNow(sensor, kind, into: &stream.topic) { stream.topic = [] }
      stream.isAnnounced = announces(String(decoding: table.kind(index), as: UTF8.self))
      stream.signalStrength = strengths[String(decoding: table.sensor(index), as: UTF8.self)]
      streams.append(stream)
    }
    return streams[index].topic.isEmpty ? nil : index
  }

  private mutating func publishDue(at now: MonotonicTime, _ sink: Sink) {
    for index in streams.indices { publishIfDue(index, at: now, sink) }
  }

  private mutating func publishIfDue(_ index: Int, at now: MonotonicTime, _ sink: Sink) {
    guard isConnected, !isFull, streams[index].isPending, let due = due(index, at: now), due <= now else { return }
    let (topic, payload) = (streams[index].topic, streams[index].payload)
    isFull = !sink(topic.span, payload.span)
    guard !isFull else { return }
    streams[index].isPending = false
    streams[index].wasPublished = true
    streams[index].isForgotten = false
    streams[index].lastSent = now
  }

  /// Nil if it is not wanted.
  private func due(_ index: Int, at now: MonotonicTime) -> MonotonicTime? {
    guard let hz = hz(index, at: now) else { return nil }
    guard let lastSent = streams[index].lastSent, table.kind(index) != Self.radar else { return now }
    return lastSent + .nanoseconds(Int64(1e9 / hz))
  }

  private func hz(_ index: Int, at now: MonotonicTime) -> Double? {
    let wanted = mode == .never ? nil : wants.hz(of: table.kind(index), at: now)
    return mode == .always || streams[index].isAnnounced ? max(1, wanted ?? 1) : wanted
  }
}

// MARK: Events

/// What is published on `event/NAME`, at once: the record as it came, with the daemon's instance.
public struct EventPublisher {
  private let topics: FleetTopics
  private let filter: RecordFilter
  private var topic: [UInt8] = []
  private var payload: [UInt8] = []

  public init(topics: FleetTopics, filter: RecordFilter = RecordFilter()) {
    (self.topics, self.filter) = (topics, filter)
  }

  /// Publishes the event that was read last.
  public mutating func add(
    _ line: Span<UInt8>, _ record: RecordReader, instance: String,
    _ sink: (_ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Void
  ) {
    guard record.recordClass == .event, filter.passes(record, line),
      topics.writeEvent(line.extracting(record.event), into: &topic)
    else { return }
    payload.removeAll(keepingCapacity: true)
    record.append(line, without: [], instance: Array(instance.utf8), signalStrength: nil, to: &payload)
    sink(topic.span, payload.span)
  }
}
