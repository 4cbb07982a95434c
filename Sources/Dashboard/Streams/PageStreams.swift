// All streams of events that are open, and the board that they read from.

import EventLoop
import HTTP
import HTTPServing
import JSON
import Linux
import Time
import WebAccess
import WebFrames
import WebLogbook

final class PageStreams {
  let board = LiveBoard()
  private let loop: EventLoop
  private let release: String
  /// Those of pages that show other bikes.
  private let walls: WallStreams
  /// Tells pages that they have to forget what they know: this server or the daemon was restarted.
  private var instance = ProcessEnvironment.randomName()
  /// The records that are not the daemon's, by their names.
  private var own: [String: [UInt8]] = [:]
  private var streams: [PageStream] = []
  private var lastNumber = 0
  /// The board's last urgent change that the streams know.
  private var lastUrgentChange: UInt64 = 0
  private var hook: Hook?
  /// Whether changes that are not urgent can wait until `deadline`.
  private var allAwaitFrame = true
  /// When the next stream is due.
  private var deadline: Deadline?
  /// Called with each stream that has begun.
  var began: (PageStream) -> Void = { _ in }
  /// Whether something still waits for a stream of this name and phone, which has ended.
  var canContinue: (String, Int) -> Bool = { _, _ in false }
  /// Called with each stream that has ended, unless another has taken its place.
  var ended: (PageStream) -> Void = { _ in }
  /// Called when a stream begins or ends.
  var countChanged: () -> Void = {}

  init(loop: EventLoop, release: String, walls: WallStreams) {
    (self.loop, self.release, self.walls) = (loop, release, walls)
    hook = loop.makeHook { [unowned self] in self.update() }
  }

  deinit { deadline?.cancel() }

  var count: Int { streams.count }

  /// Something on the board has changed. All streams are updated together at the end of this
  /// iteration of the loop.
  func boardChanged() {
    guard !streams.isEmpty else { return }
    if !allAwaitFrame || board.lastUrgentChange > lastUrgentChange { hook?.schedule() }
  }

  private func update() {
    lastUrgentChange = board.lastUrgentChange
    var next: MonotonicTime?
    allAwaitFrame = true
    for stream in streams {
      stream.update()
      if !stream.awaitsFrame { allAwaitFrame = false }
      guard let due = stream.due else { continue }
      next = next.map { min($0, due) } ?? due
    }
    guard let next else {
      deadline?.cancel()
      return
    }
    if let deadline {
      if !deadline.isPending || deadline.time != next { deadline.set(to: next) }
    } else {
      deadline = loop.schedule(at: next) { [weak self] in self?.update() }
    }
  }

  /// A record that is not the daemon's. The newest with this name is kept.
  func publish(_ line: [UInt8], as name: String) {
    own[name] = line
    board.publish(line, as: name, at: loop.now)
    boardChanged()
  }

  /// Pages that open from now on do not get the record with this name.
  func forget(_ name: String) {
    own[name] = nil
    board.forget(name)
  }

  /// Tells pages that there is a new version of a document.
  func publishChange(of document: String, tag: String) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("class", "document")
    writer.member("document", document)
    writer.member("tag", tag)
    writer.endObject()
    publish(writer.bytes, as: "document \(document)")
  }

  /// Another daemon reports everything again, and nothing of the one before holds. Pages connect
  /// again.
  func daemonWasReplaced() {
    instance = ProcessEnvironment.randomName()
    board.forgetAll()
    for (name, line) in own { board.publish(line, as: name, at: loop.now) }
    for stream in streams { stream.close() }
  }

  /// An event, which is sent at once, or a change of an activity, of which the newest is kept.
  func receive(fromRecorder line: [UInt8]) {
    if board.receive(line.span, at: loop.now) { boardChanged() } else { publish(line, as: "activity") }
  }

  func open(_ exchange: HTTPExchange, _ grant: Grant) {
    guard let phone = grant.phone, let right = grant.right else {
      return exchange.refuse(.unauthorized, "this screen is not paired")
    }
    if let group = exchange.request.target.parameter("wall") {
      return walls.open(exchange, group, phone: phone, right: right, grant.permit)
    }
    let subscription: FrameSubscription
    do throws(HTTPRefusal) {
      subscription = try FrameSubscription(exchange.request.target)
    } catch {
      return exchange.refuse(error)
    }
    let name = makeName(exchange.request.target.parameter("continues"), phone.id)
    let reader = FrameReader(subscription, name: name, board: board, now: loop.now, beginsWithSnapshot: true)
    let stream = PageStream(
      reader, name: name, phone: phone.id, permit: grant.permit, board: board, loop: loop,
      scheduleUpdate: { [weak self] in self?.hook?.schedule() })
    let greeting = StreamGreeting(instance: instance, release: release, rights: right.included.map(\.rawValue))
    let isOpen = stream.open(
      exchange, greeting, ended: { [weak self, weak stream] in if let stream { self?.remove(stream) } })
    guard isOpen else { return }
    streams.append(stream)
    began(stream)
    countChanged()
  }

  /// A page that opens another stream in place of one keeps its name, and with it what the daemon
  /// does for the page.
  private func makeName(_ wanted: String?, _ phone: Int) -> String {
    if let wanted {
      if let index = streams.firstIndex(where: { $0.name == wanted && $0.phone == phone }) {
        let stream = streams.remove(at: index)
        // With what waits for the end of this iteration.
        stream.update()
        stream.close()
        stream.stop()
        return wanted
      }
      if canContinue(wanted, phone) { return wanted }
    }
    lastNumber += 1
    return "s\(lastNumber)"
  }

  static let historyPoints = RideSeries.mostPoints
  private static let historyFields = RideSeries.values.map(\.field.description)

  /// Adds what was measured before this server started.
  func add(history points: [RideHistory.Point], of ride: RecordedRide) {
    guard !points.isEmpty else { return }
    board.fillSeries { series in
      series.extend(backTo: ride.start)
      for point in points {
        guard let value = Self.historyFields.firstIndex(of: point.field) else { continue }
        series.add(point.value, of: value, at: ride.start + .nanoseconds(Int64(point.seconds * 1e9)))
      }
    }
  }

  /// The newest records, and the course of the ride.
  func writeSnapshot(into writer: inout JSONWriter) { board.writeSnapshot(into: &writer, now: loop.now) }

  /// The stream that a page names; nil if it is not one of this phone.
  func stream(named name: String, ofPhone phone: Int) -> PageStream? {
    streams.first { $0.name == name && $0.phone == phone }
  }

  /// Closes the streams of phones that are not paired any more.
  func closeStreams(exceptOf phones: [Phone]) {
    for stream in streams where !phones.contains(where: { $0.id == stream.phone }) { stream.revoke() }
    walls.closeStreams(exceptOf: phones)
  }

  private func remove(_ stream: PageStream) {
    guard let index = streams.firstIndex(where: { $0 === stream }) else { return }
    streams.remove(at: index)
    stream.stop()
    ended(stream)
    countChanged()
  }
}
