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
  let plugins: PluginShelf
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
    return (plugins.registry.plugins.flatMap(\.info.kinds) + RideKinds.all).map(\.name.description)
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
  func list() -> Answer {
    var reply = SensorsReply()
    reply.sensors = roster.sensors.map(sensors.record)
    reply.ride.staleAfterMS = Self.rideLimits
    return .fitting({ reply.write(into: &$0) }, brief: { reply.brief.write(into: &$0) })
  }

  private static let rideLimits = KindLimits(RideKinds.staleLimits.map { ($0.name.description, $1) })

  func status(clients: Int?) -> Answer {
    var reply = StatusReply()
    reply.daemon.release = release
    reply.daemon.pid = Int(ProcessEnvironment.processNumber)
    reply.daemon.uptimeS = Double((loop.now - startTime).components.seconds)
    reply.daemon.isSimulated = isSimulated
    reply.bluetooth.reason = radio.condition.obstacle.map(WireWord.init)
    reply.bluetooth.message = radio.condition.message
    reply.adapters = radio.adapters.map(\.record)
    reply.position = position.client?.status
    reply.sensors = roster.sensors.map(sensors.record)
    reply.counts.clients = clients
    reply.counts.sensors = roster.sensors.count
    reply.counts.streaming = sensors.sessions.count { $0.state == .streaming }
    reply.versions.cyclometer = release
    reply.versions.bluez = radio.bluezRelease
    reply.versions.kernel = ProcessEnvironment.kernelRelease
    return .fitting({ reply.write(into: &$0) }, brief: { reply.brief.write(into: &$0) })
  }
}
