// What a wall knows of other receivers: the newest record of each topic, and the last events. A reader
// says up to which version it has everything, and gets the newest of all that changed since. So a slow
// reader costs no memory and gets nothing that is out of date.
//
// - Memory has a bound, whatever others publish. A record without room is forgotten, so that it
//   cannot stand there as if it were the newest.
// - Every record says whose it is by its topic, for which the publisher needs the right.
// - After warm-up, a sample costs no allocation.

import JSON
public import Time
import Wire

/// Which records a reader of a wall wants. Nil for all.
public struct WallFilter: Equatable, Sendable {
  fileprivate let groups: [[UInt8]]?
  fileprivate let kinds: [[UInt8]]?

  /// `kinds` are those of samples. Everything else passes.
  public init(groups: [String]? = nil, kinds: [String]? = nil) {
    self.groups = groups?.map { Array($0.utf8) }
    self.kinds = kinds?.map { Array($0.utf8) }
  }
}

/// How far a reader has come.
public struct WallPosition: Equatable, Sendable {
  fileprivate var version: UInt64 = 0
  /// The version of the board when it began; nil after it has all of that.
  fileprivate var snapshot: UInt64?

  /// Before everything that comes.
  public init() {}

  fileprivate init(snapshot: UInt64) { self.snapshot = snapshot }

  /// Whether it has everything that was there when it began.
  public var hasSnapshot: Bool { snapshot == nil }
}

/// A receiver that is online.
public struct WallReceiver: Equatable, Sendable {
  public let group: FleetName
  public let receiver: FleetName
  /// What its own clock shows now; nil if that is not set.
  public let calendar: WallTime?

  public var want: String { FleetTopics(group: group, receiver: receiver).want }
}

public struct WallBoard {
  public static let defaultLimit = 64 << 20
  static let mostEvents = 256
  /// A reader that begins gets the events of this time.
  static let eventTime = Duration.seconds(10)
  /// A longer record would not fit into a line with what is added to it.
  static let longestPayload = 48 << 10
  /// What a topic costs beside its bytes.
  private static let overhead = 512

  private static let sampleBeginning = Array(#"{"class":"sample","group":""#.utf8)
  private static let eventBeginning = Array(#"{"class":"event","group":""#.utf8)

  private struct Entry {
    /// Empty for an event, of which there may be many with one topic.
    var topic: [UInt8] = []
    var subject = WallTopic.Subject.status
    var receiver = 0
    var kind: [UInt8] = []
    /// Without its last bracket.
    var record: [UInt8] = []
    var instance: [UInt8] = []
    var t: MonotonicTime?
    var time: WallTime?
    var arrival = MonotonicTime(nanoseconds: 0)
    var version: UInt64 = 0
    /// It says that something was removed, which new readers need not know.
    var isRemoval = false
    var previous = -1
    var next = -1
  }

  private struct Receiver {
    let group: [UInt8]
    let name: [UInt8]
    /// Whether the broker has its status.
    var isKnown = false
    var state = ReceiverState.offline
    /// When its bridge connected to the broker.
    var since: WallTime?
    var instance: [UInt8] = []
    var clock = ReceiverClock()
    var reading: (clock: ClockReading, arrival: MonotonicTime)?
  }

  private let limit: Int
  private var reader = RecordReader()
  private var entries: [Entry] = []
  private var free: [Int] = []
  /// In the order of their versions: of the oldest and of the newest record.
  private var ends = (first: -1, last: -1)
  private var places: [[UInt8]: Int] = [:]
  private var events: [Int] = []
  private var receivers: [Receiver] = []
  private var receiverPlaces: [[UInt8]: Int] = [:]
  private var key: [UInt8] = []

  public private(set) var version: UInt64 = 0
  public private(set) var bytes = 0
  /// Messages that had no room, or that no receiver of this version sends.
  public private(set) var refused = 0

  public init(limit: Int = defaultLimit) { self.limit = limit }

  /// The broker says everything again, or is gone.
  public mutating func removeAll() {
    let version = version
    let refused = refused
    self = WallBoard(limit: limit)
    (self.version, self.refused) = (version, refused)
  }

  public var counts: (receivers: Int, online: Int) {
    (receivers.count { $0.isKnown }, receivers.count { $0.state != .offline })
  }
}

// MARK: Messages

extension WallBoard {
  /// Adds a message of the broker. Returns the receiver if it has just come online, or its clock was
  /// set, so that it has to be told what is wanted live.
  @discardableResult
  public mutating func add(
    _ payload: Span<UInt8>, on topic: Span<UInt8>, isRetained: Bool, at now: MonotonicTime, calendar: WallTime?
  ) -> WallReceiver? {
    guard let parts = WallTopic(topic) else { return nil }
    guard payload.count <= Self.longestPayload else {
      refused += 1
      return nil
    }
    switch parts.subject {
    case .status: return addStatus(payload, topic, parts, isRetained, now, calendar)
    case .sensor: addSensor(payload, topic, parts, now)
    case .now: addSample(payload, topic, parts, isRetained, now)
    case .event: if !isRetained { addEvent(payload, topic, parts, now) }
    }
    return nil
  }

  private mutating func addStatus(
    _ payload: Span<UInt8>, _ topic: Span<UInt8>, _ parts: WallTopic, _ isRetained: Bool, _ now: MonotonicTime,
    _ calendar: WallTime?
  ) -> WallReceiver? {
    let json = payload.isEmpty ? JSONValue.object([]) : (try? JSONValue.parse(payload)) ?? .null
    let status = ReceiverStatus(json)
    guard payload.isEmpty || status != nil, let place = place(topic, parts, at: now) else {
      refused += 1
      return nil
    }
    let number = entries[place].receiver
    receivers[number].isKnown = !payload.isEmpty
    var writer = begin("receiver", number)
    if payload.isEmpty { writer.member("state", "removed") }
    for member in json.members ?? [] where !["class", "group", "receiver"].contains(member.name) {
      writer.member(member.name, member.value)
    }
    put(writer.bytes, place, isRemoval: payload.isEmpty)
    return update(number, status ?? ReceiverStatus(.offline), isRetained, now, calendar)
  }

  private mutating func update(
    _ number: Int, _ status: ReceiverStatus, _ isRetained: Bool, _ now: MonotonicTime, _ calendar: WallTime?
  ) -> WallReceiver? {
    let known = receivers[number]
    let instance = Array((status.instance ?? "").utf8)
    if instance != known.instance || status.state.known != .online { receivers[number].clock.reset() }
    receivers[number].instance = instance
    receivers[number].state = status.state.known ?? .offline
    receivers[number].since = status.since
    receivers[number].reading = status.clock.map { ($0, now) }
    if let clock = status.clock {
      if !isRetained {
        receivers[number].clock.observe(clock.t, at: now, replacesGuess: true)
      } else if let calendar {
        receivers[number].clock.guess(from: clock, at: now, calendar: calendar)
      }
    }
    guard status.state.known == .online else { return nil }
    let isNew = known.state != .online || known.since != status.since || known.instance != instance
    return isNew || known.reading == nil && status.clock != nil ? online(number, at: now) : nil
  }

  private mutating func addSensor(
    _ payload: Span<UInt8>, _ topic: Span<UInt8>, _ parts: WallTopic, _ now: MonotonicTime
  ) {
    let id = String(decoding: topic.extracting(parts.name).copied, as: UTF8.self)
    let json = payload.isEmpty ? JSONValue.object([.init("id", .string(id))]) : (try? JSONValue.parse(payload)) ?? .null
    guard json["id"]?.text == id, let place = place(topic, parts, at: now) else {
      refused += 1
      return
    }
    var writer = begin("sensor", entries[place].receiver)
    writer.member("change", payload.isEmpty ? "removed" : "changed")
    writer.member("sensor", json)
    put(writer.bytes, place, isRemoval: payload.isEmpty)
  }

  private mutating func addSample(
    _ payload: Span<UInt8>, _ topic: Span<UInt8>, _ parts: WallTopic, _ isRetained: Bool, _ now: MonotonicTime
  ) {
    guard !payload.isEmpty else {
      key.replace(with: topic)
      if let place = places[key] { remove(place) }
      return
    }
    guard reader.read(payload), payload.isOneLine, reader.t != nil,
      payload.extracting(reader.sensor).isEqual(to: topic.extracting(parts.name)),
      payload.extracting(reader.kind).isEqual(to: topic.extracting(parts.kind)),
      let place = place(topic, parts, at: now)
    else {
      refused += 1
      return
    }
    fill(place, Self.sampleBeginning, payload, isRetained, now)
  }

  private mutating func addEvent(
    _ payload: Span<UInt8>, _ topic: Span<UInt8>, _ parts: WallTopic, _ now: MonotonicTime
  ) {
    guard reader.read(payload), payload.isOneLine,
      payload.extracting(reader.event).isEqual(to: topic.extracting(parts.name)),
      let place = makeEntry([], parts, topic, at: now)
    else {
      refused += 1
      return
    }
    events.append(place)
    fill(place, Self.eventBeginning, payload, false, now)
    if events.count > Self.mostEvents, let oldest = events.first { remove(oldest) }
  }

  /// The record that was read last becomes that of the entry.
  private mutating func fill(
    _ place: Int, _ beginning: [UInt8], _ payload: Span<UInt8>, _ isRetained: Bool, _ now: MonotonicTime
  ) {
    let number = entries[place].receiver
    let before = entries[place].record.count
    entries[place].record.removeAll(keepingCapacity: true)
    entries[place].record.append(contentsOf: beginning)
    entries[place].record.append(contentsOf: receivers[number].group)
    entries[place].record.append(contentsOf: #"","receiver":""#.utf8)
    entries[place].record.append(contentsOf: receivers[number].name)
    entries[place].record.append(UInt8(ascii: "\""))
    reader.appendMembers(payload, without: [.recordClass, .age, .origin], to: &entries[place].record)
    entries[place].instance.replace(with: payload.extracting(reader.instance))
    (entries[place].t, entries[place].time, entries[place].arrival) = (reader.t, reader.time, now)
    if !isRetained, let t = reader.t, entries[place].instance == receivers[number].instance {
      receivers[number].clock.observe(t, at: now)
    }
    finish(place, recordBytesBefore: before)
  }

  private mutating func put(_ record: [UInt8], _ place: Int, isRemoval: Bool) {
    let before = entries[place].record.count
    entries[place].record = record
    entries[place].isRemoval = isRemoval
    finish(place, recordBytesBefore: before)
  }

  /// Makes an entry with a new record the newest one, or removes it if the board is full.
  private mutating func finish(_ place: Int, recordBytesBefore before: Int) {
    bytes += entries[place].record.count - before
    guard bytes <= limit else {
      refused += 1
      return remove(place)
    }
    version += 1
    entries[place].version = version
    unlink(place)
    link(place)
  }

  private func begin(_ className: String, _ number: Int) -> JSONWriter {
    var writer = JSONWriter()
    writer.beginRecord(className)
    writer.member("group", String(decoding: receivers[number].group, as: UTF8.self))
    writer.member("receiver", String(decoding: receivers[number].name, as: UTF8.self))
    return writer
  }
}

// MARK: Entries

extension WallBoard {
  /// Nil if the board is full.
  private mutating func place(_ topic: Span<UInt8>, _ parts: WallTopic, at now: MonotonicTime) -> Int? {
    key.replace(with: topic)
    if let known = places[key] { return known }
    guard let place = makeEntry(topic.copied, parts, topic, at: now) else { return nil }
    places[entries[place].topic] = place
    return place
  }

  private mutating func makeEntry(
    _ name: [UInt8], _ parts: WallTopic, _ topic: Span<UInt8>, at now: MonotonicTime
  ) -> Int? {
    // The receiver may be new, too.
    guard bytes + 2 * (Self.overhead + topic.count) <= limit else { return nil }
    var entry = Entry()
    entry.topic = name
    entry.subject = parts.subject
    entry.receiver = receiver(topic.extracting(parts.group), topic.extracting(parts.receiver))
    entry.kind = topic.extracting(parts.kind).copied
    entry.arrival = now
    bytes += cost(entry)
    guard let place = free.popLast() else {
      entries.append(entry)
      return entries.count - 1
    }
    entries[place] = entry
    return place
  }

  private func cost(_ entry: Entry) -> Int { Self.overhead + 2 * entry.topic.count + entry.record.count }

  private mutating func receiver(_ group: Span<UInt8>, _ name: Span<UInt8>) -> Int {
    key.replace(with: group)
    key.append(UInt8(ascii: "/"))
    key.append(name)
    if let known = receiverPlaces[key] { return known }
    receivers.append(Receiver(group: group.copied, name: name.copied))
    receiverPlaces[key] = receivers.count - 1
    bytes += Self.overhead
    return receivers.count - 1
  }

  private mutating func remove(_ place: Int) {
    unlink(place)
    bytes -= cost(entries[place])
    if entries[place].subject == .event {
      events.removeAll { $0 == place }
    } else {
      places[entries[place].topic] = nil
    }
    entries[place] = Entry()
    free.append(place)
  }

  private mutating func link(_ place: Int) {
    entries[place].previous = ends.last
    if ends.last >= 0 { entries[ends.last].next = place } else { ends.first = place }
    ends.last = place
  }

  /// Does nothing with an entry that is not linked.
  private mutating func unlink(_ place: Int) {
    let (previous, next) = (entries[place].previous, entries[place].next)
    guard previous >= 0 || next >= 0 || ends.first == place else { return }
    if previous >= 0 { entries[previous].next = next } else { ends.first = next }
    if next >= 0 { entries[next].previous = previous } else { ends.last = previous }
    (entries[place].previous, entries[place].next) = (-1, -1)
  }
}

// MARK: Readers

extension WallBoard {
  /// Where a reader begins, who gets all that is there.
  public var start: WallPosition { WallPosition(snapshot: version) }

  /// Appends lines with the newest of what changed after the position, which moves, until there are
  /// about so many bytes. Returns whether the reader has everything then.
  public func write(
    _ filter: WallFilter, after position: inout WallPosition, at now: MonotonicTime, calendar: WallTime?,
    into lines: inout [UInt8], atMost size: Int
  ) -> Bool {
    var place = ends.last
    while place >= 0, entries[place].version > position.version, entries[place].previous >= 0,
      entries[entries[place].previous].version > position.version
    {
      place = entries[place].previous
    }
    if place >= 0, entries[place].version <= position.version { place = -1 }
    let end = lines.count + size
    while place >= 0 {
      guard lines.count < end else { return false }
      if passes(entries[place], filter, isSnapshot: isInSnapshot(place, position), now) {
        append(entries[place], at: now, calendar, to: &lines)
      }
      position.version = entries[place].version
      place = entries[place].next
    }
    position.version = version
    position.snapshot = nil
    return true
  }

  private func isInSnapshot(_ place: Int, _ position: WallPosition) -> Bool {
    position.snapshot.map { entries[place].version <= $0 } ?? false
  }

  private func passes(_ entry: Entry, _ filter: WallFilter, isSnapshot: Bool, _ now: MonotonicTime) -> Bool {
    if isSnapshot, entry.isRemoval || entry.subject == .event && now - entry.arrival > Self.eventTime { return false }
    if let groups = filter.groups, !groups.contains(receivers[entry.receiver].group) { return false }
    guard entry.subject == .now, let kinds = filter.kinds else { return true }
    return kinds.contains(entry.kind)
  }

  private func append(_ entry: Entry, at now: MonotonicTime, _ calendar: WallTime?, to lines: inout [UInt8]) {
    lines.append(contentsOf: entry.record)
    if entry.subject == .now || entry.subject == .event {
      if let age = age(of: entry, at: now, calendar) {
        lines.append(contentsOf: #","age_ms":"#.utf8)
        lines.appendPadded(UInt64(age.wholeNanoseconds / 1_000_000), width: 1)
      }
    }
    lines.append(contentsOf: "}\n".utf8)
  }

  /// A value of another run of the daemon has a clock of its own: only the calendar knows its age.
  private func age(of entry: Entry, at now: MonotonicTime, _ calendar: WallTime?) -> Duration? {
    let receiver = receivers[entry.receiver]
    if let t = entry.t, entry.instance == receiver.instance, let age = receiver.clock.age(of: t, at: now) { return age }
    guard let calendar, let time = entry.time else { return nil }
    let seconds = calendar.secondsSince1970 - time.secondsSince1970
    return 0...1e9 ~= seconds ? .seconds(seconds) : nil
  }

  /// The receivers that can be told what is wanted.
  public func online(at now: MonotonicTime) -> [WallReceiver] {
    receivers.indices.filter { receivers[$0].state == .online }.compactMap { online($0, at: now) }
  }

  private func online(_ number: Int, at now: MonotonicTime) -> WallReceiver? {
    let receiver = receivers[number]
    guard let group = FleetName(String(decoding: receiver.group, as: UTF8.self)),
      let name = FleetName(String(decoding: receiver.name, as: UTF8.self))
    else { return nil }
    let calendar = receiver.reading.map { $0.clock.time - ($0.arrival - now) }
    return WallReceiver(group: group, receiver: name, calendar: calendar)
  }
}

extension [UInt8] {
  /// Keeps its storage.
  fileprivate mutating func replace(with bytes: Span<UInt8>) {
    removeAll(keepingCapacity: true)
    append(bytes)
  }
}

extension Span<UInt8> {
  fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  /// Whether it can be part of a line.
  fileprivate var isOneLine: Bool {
    for index in indices where self[index] < 0x20 { return false }
    return true
  }
}
