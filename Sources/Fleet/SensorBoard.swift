// What is published on `sensor/SENSOR`: the SENSOR of the protocol with its state. It joins the
// answer to `sensors`, and the records `sensor` and `state`.

import JSON
public import Time
public import Wire

public struct SensorBoard {
  /// Publishes a payload for a sensor, retained, with QoS 1. An empty one means that it was
  /// forgotten.
  public typealias Sink = (_ sensor: String, _ payload: [UInt8]) -> Void

  /// Why all sensors are stale while no daemon runs. The daemon never sends this reason.
  static let daemonGone = "daemon_gone"

  private struct Entry {
    var sensor: SensorRecord
    var since: WallTime?
    /// What was published last.
    var payload: [UInt8] = []
  }

  private var entries: [String: Entry] = [:]
  /// The last state of each sensor that the daemon does not list yet, or does not list any more.
  private var states: [String: StateRecord] = [:]
  /// What the broker may still have from an earlier run of the bridge.
  private var leftovers: Set<String>

  /// `published` are the sensors of an earlier run. Those that the daemon does not list are
  /// forgotten.
  public init(published: [String] = []) { leftovers = Set(published) }

  /// The sensors that the broker may know, to be saved for the next run.
  public var published: [String] { (Set(entries.keys).union(leftovers)).sorted() }

  /// The answer of a daemon to `sensors`.
  public mutating func replaceAll(with sensors: [SensorRecord], _ sink: Sink) {
    let ids = Set(sensors.map(\.id))
    for gone in Set(published).subtracting(ids).sorted() { remove(gone, sink) }
    leftovers = []
    for sensor in sensors { put(sensor, sink) }
  }

  public mutating func add(_ change: SensorChangeRecord, _ sink: Sink) {
    if change.change.known == .removed { remove(change.sensor.id, sink) } else { put(change.sensor, sink) }
  }

  public mutating func add(_ state: StateRecord, _ sink: Sink) {
    states[state.sensor] = state
    guard var entry = entries[state.sensor] else { return }
    (entry.sensor.state, entry.sensor.reason, entry.since) = (state.state, state.reason, state.since)
    publish(&entry, sink)
    entries[state.sensor] = entry
  }

  /// The daemon is gone, so no value is current. What the user disabled stays disabled.
  public mutating func daemonGone(at time: WallTime?, _ sink: Sink) {
    states = [:]
    for id in entries.keys.sorted() {
      guard var entry = entries[id], entry.sensor.state?.known != .disabled else { continue }
      entry.sensor.state = WireWord(.stale)
      entry.sensor.reason = WireWord(wire: .string(Self.daemonGone))
      entry.since = time
      publish(&entry, sink)
      entries[id] = entry
    }
  }

  /// The broker may have forgotten all.
  public func publishAll(_ sink: Sink) {
    for (id, entry) in entries.sorted(by: { $0.key < $1.key }) { sink(id, entry.payload) }
  }

  /// How many sensors the daemon has, and how many of them send values.
  public var counts: StatusReply.Counts {
    var counts = StatusReply.Counts()
    counts.sensors = entries.count
    counts.streaming = entries.values.count { $0.sensor.state?.known == .streaming }
    return counts
  }
}

extension SensorBoard {
  private mutating func put(_ sensor: SensorRecord, _ sink: Sink) {
    // It is part of a topic.
    guard Array(sensor.id.utf8).span.isTopicLevel else { return }
    let known = entries[sensor.id]
    let state = states[sensor.id]
    var entry = Entry(sensor: sensor, since: known?.since ?? state?.since, payload: known?.payload ?? [])
    if sensor.state == nil { (entry.sensor.state, entry.sensor.reason) = (state?.state, state?.reason) }
    // The record `state` that follows says since when.
    if entry.sensor.state != known?.sensor.state ?? state?.state { entry.since = nil }
    publish(&entry, sink)
    entries[sensor.id] = entry
  }

  private mutating func remove(_ id: String, _ sink: Sink) {
    guard entries.removeValue(forKey: id) != nil || leftovers.remove(id) != nil else { return }
    states[id] = nil
    sink(id, [])
  }

  private func publish(_ entry: inout Entry, _ sink: Sink) {
    var writer = JSONWriter()
    writer.beginObject()
    entry.sensor.writeMembers(into: &writer)
    writer.member("since", entry.since)
    writer.endObject()
    guard entry.payload != writer.bytes else { return }
    entry.payload = writer.bytes
    sink(entry.sensor.id, entry.payload)
  }
}
