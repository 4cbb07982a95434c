// Answers the requests of guide.sock.

import EventLoop
import GuideWire
import JSON
import Serving
import Wire

final class GuideRequests: RequestHandler {
  private let publisher: Publisher
  private let routes: RouteKeeper
  private let status: () -> GuideStatusReply
  /// Changes the coach, and returns the new settings.
  private let coach: (CoachRequest) throws(Refusal) -> CoachSettings
  /// Clients that asked to follow a route, until it is read.
  private weak var follower: Client?

  init(
    _ publisher: Publisher, _ routes: RouteKeeper, status: @escaping () -> GuideStatusReply,
    coach: @escaping (CoachRequest) throws(Refusal) -> CoachSettings
  ) {
    (self.publisher, self.routes, self.status, self.coach) = (publisher, routes, status, coach)
  }

  func answer(_ request: Request, from asker: Asker) throws(Refusal) -> Answer {
    let call = try GuideCall(request)
    guard let client = asker.client else { return .later }
    switch call {
    case .status: return .reply(status())
    case .ping: return .done
    case .leave:
      try routes.leave()
      return .done
    case .coach(let request): return .reply(try coach(request))
    case .follow(let request): return follow(request, client, asker)
    case .subscribe(let filter): return try subscribe(client, filter)
    case .unsubscribe:
      client.unsubscribe()
      return .done
    case .poll(let filter): return try poll(filter)
    }
  }

  /// A client that is gone was told that nothing is followed, or will assume so.
  func ended(_ client: Client) { if follower === client { routes.cancelFollow() } }

  private func follow(_ request: FollowRequest, _ client: Client, _ asker: Asker) -> Answer {
    client.expectReply()
    routes.follow(request.route) { [weak self, weak client] result in
      self?.follower = nil
      switch result {
      case .success(let route): asker.answer(.reply(route))
      case .failure(let refusal): asker.refuse(refusal)
      }
      client?.didReply()
    }
    // After the one before, whose request ends with this one.
    follower = client
    return .later
  }

  private func subscribe(_ client: Client, _ filter: Filter) throws(Refusal) -> Answer {
    try check(filter)
    client.subscribe(filter)
    guard filter.snapshot else { return .done }
    return .done.then { [publisher] in
      var writer = JSONWriter()
      for stream in publisher.lastSamples(filter) {
        stream.writeLast(into: &writer, now: publisher.now)
        writer.endLine()
      }
      writer.line(SnapshotEndedRecord())
      client.send(line: writer.bytes)
    }
  }

  private func poll(_ filter: Filter) throws(Refusal) -> Answer {
    try check(filter)
    return .result { [publisher] writer in
      writer.beginObject()
      writer.member("records")
      writer.beginArray()
      for stream in publisher.lastSamples(filter) { stream.writeLast(into: &writer, now: publisher.now) }
      writer.endArray()
      writer.endObject()
    }
  }

  private func check(_ filter: Filter) throws(Refusal) {
    if let unknown = filter.sensors?.first(where: { $0 != SensorID.guide }) {
      throw Refusal(.noSuchSensor, "no sensor is called \(unknown.prefix(80)): here is only \(SensorID.guide)")
    }
    if let unknown = filter.kinds?.first(where: { !GuideKinds.all.contains($0) }) {
      let list = GuideKinds.all.joined(separator: ", ")
      throw Refusal(.noSuchKind, "unknown kind \(unknown.prefix(80)); known kinds: \(list)")
    }
  }
}
