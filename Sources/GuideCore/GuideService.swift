// The guide: the daemon's positions, the route of the logbook that is followed, the segments that are
// recognized, and the socket that serves them. Everything runs on the loop's thread.

import CyclometerClient
public import EventLoop
import Guidance
import GuideWire
import Linux
public import ProgramKit
import Segments
import SensorKit
import Serving
import Time
import Vocabulary
import Wire

public final class GuideService {
  private let loop: EventLoop
  private let log: Log
  private let release: String
  private let places: GuidePlaces
  /// Keeps a second guide out of the runtime directory.
  private let lock: FileDescriptorBox
  private let store: GuideStore
  private let publisher: Publisher
  private let routes: RouteKeeper
  private let segments: SegmentKeeper
  private let streams: (route: SampleStream, segment: SampleStream, coach: SampleStream)
  private var coach: CadenceCoach
  private var out = Batch()
  private var feed: PositionFeed?
  private var requests: GuideRequests?
  private var socket: ServiceSocket?
  private var advice: Hook?
  private var statusHook: Hook?
  /// Called at the end of a turn in which `statusLine` may have changed.
  public var statusChanged: () -> Void = {}

  public init(
    loop: EventLoop, configuration: GuideConfiguration, places: GuidePlaces, log: Log, release: String
  ) throws(StartError) {
    (self.loop, self.log, self.release, self.places) = (loop, log, release, places)
    lock = try places.directories.prepare(for: "cyclometer-guide")
    store = GuideStore(folder: places.directories.state, log: log)
    coach = CadenceCoach(store.state.coach)
    publisher = Publisher(loop: loop)
    streams = (
      publisher.stream(SensorID.guide, SampleKind("route")), publisher.stream(SensorID.guide, SampleKind("segment")),
      publisher.stream(SensorID.guide, SampleKind("coach"))
    )
    let relay = ChangeRelay()
    routes = RouteKeeper(
      store, recorder: places.daemon.logbookSocket, in: loop, log: log, changed: { relay.routeChanged() })
    segments = SegmentKeeper(
      store, recorder: places.daemon.logbookSocket, in: loop, log: log,
      forget: { [publisher] in publisher.forget(SensorID.guide, SampleKind("segment")) },
      changed: { relay.statusChanged() }, routeChanged: { [routes] in routes.mayBeRenamed($0) })
    relay.service = self
  }

  public func start() throws(StartError) {
    let requests = GuideRequests(
      publisher, routes, status: { [weak self] in self?.status ?? GuideStatusReply() },
      coach: { [weak self] request throws(Refusal) in try self?.change(request) ?? CoachSettings() })
    self.requests = requests
    let hello = HelloRecord(
      release: release, instance: ProcessEnvironment.randomName(), clientLimit: ServiceSocket.clientLimit)
    let socket = ServiceSocket(
      "guide", of: "guide", loop: loop, publisher: publisher, hello: hello, handler: requests, log: log)
    self.socket = socket
    try socket.listen(at: places.socket)
    advice = loop.makeHook { [weak self] in self?.publishAdvice() }
    statusHook = loop.makeHook { [weak self] in self?.publishStatus() }
    feed = PositionFeed(
      from: places.daemon, in: loop, log: log, onSample: { [weak self] sample, line in self?.handle(sample, line) },
      changed: { [weak self] in self?.daemonChanged() })
    routes.start()
    segments.start()
    log.info("cyclometer-guide \(release): started")
  }

  private func publishStatus() {
    publisher.publish(GuideStatusRecord(status))
    statusChanged()
  }

  private func daemonChanged() {
    coach.set(height: feed?.height)
    statusHook?.schedule()
  }

  private var status: GuideStatusReply {
    var reply = GuideStatusReply()
    reply.release = release
    reply.isConnected = feed?.isConnected ?? false
    (reply.following, reply.message, reply.segments) = (routes.record, routes.message, segments.count)
    reply.logbookMessage = RouteDownload.obstacle(at: places.daemon.logbookSocket)
    (reply.coach, reply.heightM) = (coach.settings, coach.heightM)
    return reply
  }

  private func change(_ request: CoachRequest) throws(Refusal) -> CoachSettings {
    var new = store.state
    if let sport = request.sport { new.coach.sport = WireWord(sport) }
    if let target = request.targetRpm { new.coach.targetRpm = target }
    if let preference = request.preferencePerMin { new.coach.preferencePerMin = preference }
    guard new.coach.sport.known != .cycling || new.coach.targetRpm != nil else {
      throw Refusal(.badRequest, "target_rpm is missing: the cadence that you want to ride at")
    }
    feed?.askForHeight()
    // The last sample stays current.
    guard new != store.state else { return new.coach }
    do throws(SystemError) {
      try store.change(to: new)
    } catch {
      throw Refusal(.storage, "the guide cannot save this: \(error)")
    }
    coach.change(to: new.coach)
    publisher.forget(SensorID.guide, SampleKind("coach"))
    statusHook?.schedule()
    return new.coach
  }
}

/// Passes changes of the service's parts on to it. They are made before it.
private final class ChangeRelay {
  weak var service: GuideService?

  func routeChanged() { service?.routeChanged() }
  func statusChanged() { service?.scheduleStatus() }
}

// MARK: Samples

extension GuideService {
  private func handle(_ sample: LiveSample, _ line: Span<UInt8>) {
    switch sample {
    case .position(let fix):
      out.removeAll()
      routes.add(fix, into: &out)
      publish(on: streams.route, at: fix.time)
      publish(segments.add(fix), at: fix.time)
    case .ride(let id):
      routes.began(ride: line.extracting(id))
      publish(segments.began(ride: line.extracting(id)), at: loop.now)
    case .speed, .cadence, .steps: if coach.add(sample) { advice?.schedule() }
    }
  }

  /// Each in a batch of its own, which has room for the longest name.
  private func publish(_ reports: [SegmentReport], at time: MonotonicTime) {
    for report in reports {
      out.removeAll()
      segments.write(report, into: &out)
      publish(on: streams.segment, at: time)
    }
  }

  /// Once for all samples that arrived together.
  private func publishAdvice() {
    out.removeAll()
    coach.write(at: loop.now, into: &out)
    publish(on: streams.coach, at: loop.now)
  }

  private func publish(on stream: SampleStream, at time: MonotonicTime) {
    guard !out.overflowed else { return log.warning("a sample has more than fits: it is not published") }
    for index in out.entryIndices { publisher.publish(out.entry(index), of: out, on: stream, at: time) }
  }

  /// Values of another route, or of none, are not current.
  fileprivate func routeChanged() {
    publisher.forget(SensorID.guide, SampleKind("route"))
    scheduleStatus()
  }

  fileprivate func scheduleStatus() { statusHook?.schedule() }
}

// MARK: The service

extension GuideService: Service {
  public var statusLine: String {
    let daemon = feed?.isConnected == true ? "connected" : "not connected"
    guard let route = routes.record else { return "no route is followed; daemon: \(daemon)" }
    return "route \(route.route)\(route.name == nil ? " is not read yet" : ""); daemon: \(daemon)"
  }

  public func apply(_ settings: GuideConfiguration) { log.set(level: settings.logLevel) }

  public func stop() {
    feed?.stop()
    routes.stop()
    segments.stop()
    socket?.close()
    log.info("shutting down")
  }
}
