// Requests that change nothing: subscriptions, snapshots and status.

import EventLoop
import JSON
import Linux
import Metrics
import Radio
import Ride
import SensorKit
import Serving
import Time
import Wire

struct ListeningRequests {
  let sensors: SensorKeeper
  let publisher: Publisher
  let plugins: PluginRegistry
  let ride: RideKeeper
  let position: PositionKeeper
  let radio: any SensorRadio
  let loop: EventLoop
  let release: String
  let isSimulated: Bool
  let startTime: MonotonicTime

  private var roster: Roster { sensors.roster }

  /// Replies first, then sends the snapshot, then new records. The snapshot includes the state of
  /// every sensor: without it, the last sample of a lost radar would look like a clear road.
  func subscribe(_ client: Client, to filter: Filter) throws(Refusal) -> Answer {
    try check(filter)
    client.subscribe(filter)
    guard filter.snapshot else { return .done }
    return .done.then { self.sendSnapshot(filter, to: client) }
  }

  private func sendSnapshot(_ filter: Filter, to client: Client) {
    var writer = JSONWriter()
    for session in sensors.sessions { writer.line(session.stateRecord) }
    for stream in publisher.lastSamples(filter) {
      stream.writeLast(into: &writer, now: publisher.now)
      writer.endLine()
    }
    writer.line(SnapshotEndedRecord())
    client.send(line: writer.bytes)
  }

  func poll(_ filter: Filter) throws(Refusal) -> Answer {
    try check(filter)
    return .result { writer in
      writer.beginObject()
      writer.member("records")
      writer.beginArray()
      for stream in self.publisher.lastSamples(filter) { stream.writeLast(into: &writer, now: self.publisher.now) }
      writer.endArray()
      writer.endObject()
    }
  }

  /// Every kind of sample that this daemon can publish, in the order of the plugins.
  private var kinds: [String] {
    var seen: Set<String> = []
    return (plugins.plugins.flatMap(\.info.kinds) + RideMetrics.kinds).map(\.name.description)
      .filter { seen.insert($0).inserted }
  }

  private func check(_ filter: Filter) throws(Refusal) {
    if let unknown = filter.sensors?.first(where: { $0 != SensorID.ride && roster.sensor($0) == nil }) {
      throw Refusal(.noSuchSensor, "no sensor is called \(unknown.prefix(80))")
    }
    guard let wanted = filter.kinds else { return }
    let known = kinds
    if let unknown = wanted.first(where: { !known.contains($0) }) {
      let list = known.joined(separator: ", ")
      throw Refusal(.noSuchKind, "unknown kind \(unknown.prefix(80)); known kinds: \(list)")
    }
  }
}

// MARK: Status

extension ListeningRequests {
  func status(clients: Int?) -> Answer {
    .fitting(
      { writeStatus(into: &$0, clients: clients) },
      brief: { writeStatus(into: &$0, clients: clients, withFacts: false) })
  }

  func list() -> Answer { .fitting({ writeSensors(into: &$0) }, brief: { writeSensors(into: &$0, withFacts: false) }) }

  private func writeSensors(into writer: inout JSONWriter, withFacts: Bool = true) {
    writer.beginObject()
    writeSensorList(into: &writer, withFacts: withFacts)
    // `ride` is not a sensor, but its values go stale too.
    writer.member("ride")
    writer.beginObject()
    writer.member("stale_after_ms", Self.rideLimits)
    writer.endObject()
    writer.endObject()
  }

  private func writeSensorList(into writer: inout JSONWriter, withFacts: Bool) {
    writer.member("sensors")
    writer.beginArray()
    for sensor in roster.sensors {
      sensors.record(of: sensor).write(into: &writer, isBrief: !withFacts)
    }
    writer.endArray()
  }

  private static let rideLimits = RideMetrics.staleLimits.map { KindLimit($0.name.description, milliseconds: $1) }

  private func writeStatus(into writer: inout JSONWriter, clients: Int?, withFacts: Bool = true) {
    writer.beginObject()
    writer.member("daemon")
    writer.beginObject()
    writer.member("release", release)
    writer.member("pid", Int(ProcessEnvironment.processNumber))
    writer.member("uptime_s", Int((loop.now - startTime).components.seconds))
    if isSimulated { writer.member("simulated", true) }
    writer.endObject()
    writeBluetooth(into: &writer)
    position.client?.writeStatus(into: &writer)
    writeSensorList(into: &writer, withFacts: withFacts)
    writer.member("counts")
    writer.beginObject()
    writer.member("clients", clients)
    writer.member("sensors", roster.sensors.count)
    writer.member("streaming", sensors.sessions.count { $0.state == .streaming })
    writer.endObject()
    writer.member("versions")
    writer.beginObject()
    writer.member("cyclometer", release)
    writer.member("bluez", radio.bluezRelease)
    writer.member("kernel", ProcessEnvironment.kernelRelease)
    writer.endObject()
    writer.endObject()
  }

  private func writeBluetooth(into writer: inout JSONWriter) {
    writer.member("bluetooth")
    writer.beginObject()
    writer.member("reason", radio.condition.obstacle?.rawValue)
    writer.member("message", radio.condition.message)
    writer.endObject()
    writer.member("adapters")
    writer.beginArray()
    for adapter in radio.adapters { writer.record(adapter.record) }
    writer.endArray()
  }
}
