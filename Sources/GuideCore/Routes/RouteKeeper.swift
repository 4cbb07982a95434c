// The route that is followed: read from the recorder, kept across restarts, and moved along by fixes.

import CyclometerClient
import EventLoop
import Guidance
import GuideWire
import Linux
import LogbookWire
import ProgramKit
import SensorKit
import Time
import Wire

final class RouteKeeper {
  /// Progress is saved this often at most, while there is any.
  private static let saveInterval = Duration.seconds(30)
  /// A recorder that salvages a damaged logbook has the route later.
  private static let slowRetryInterval = Duration.seconds(60)

  private let loop: EventLoop
  private let log: Log
  private let store: GuideStore
  /// The path of logbook.sock.
  private let recorder: String
  private var route: GuidedRoute?
  private var download: RouteDownload?
  /// While the recorder is asked for another name.
  private var naming: RouteDownload?
  /// Who waits for the download, if it is for a request.
  private var waiting: ((Result<FollowedRoute, Refusal>) -> Void)?
  private var retry: Deadline?
  private var backOff = BackOff()
  private var saving: Deadline?
  /// The ride in progress, as the daemon names it.
  private var ride: String?
  /// Why the route is not there yet.
  private(set) var message: String?
  private let changed: () -> Void

  init(_ store: GuideStore, recorder: String, in loop: EventLoop, log: Log, changed: @escaping () -> Void) {
    (self.store, self.recorder, self.loop, self.log, self.changed) = (store, recorder, loop, log, changed)
    ride = store.state.followed?.ride
  }

  /// Nil if no route is followed.
  var record: FollowedRoute? {
    if let route { return route.record }
    return store.state.followed.map { followed in
      var record = FollowedRoute()
      record.route = followed.route
      return record
    }
  }

  /// Continues with the route of the last run.
  func start() {
    guard let followed = store.state.followed, route == nil else { return }
    download = RouteDownload(of: followed.route, from: recorder, in: loop) { [weak self] in
      self?.restored($0, followed)
    }
  }

  private func restored(_ result: Result<GuidedRoute, Refusal>, _ followed: GuideState.Followed) {
    download = nil
    switch result {
    case .success(var found):
      // Unless another ride has begun since.
      if let progress = followed.progress, ride == followed.ride { found.resume(progress) }
      use(found)
      log.info("route \(found.id): followed again, as before the restart")
    case .failure(let refusal):
      if message != refusal.message {
        log.info("route \(followed.route): not read yet, retrying (\(refusal.message))")
      }
      message = refusal.message
      let isMissing = refusal.code == .noSuchActivity || refusal.code == .notSupported
      let wait = isMissing ? Self.slowRetryInterval : backOff.next()
      retry = loop.schedule(after: wait) { [weak self] in self?.start() }
    }
    changed()
  }

  private func use(_ new: GuidedRoute) {
    (route, message) = (new, nil)
    backOff = BackOff()
  }

  /// Stops what is under way.
  private func abandon() {
    download?.cancel()
    naming?.cancel()
    retry?.cancel()
    (download, naming, retry) = (nil, nil, nil)
    waiting?(.failure(Refusal(.cancelled, "another request followed")))
    waiting = nil
  }

  func stop() {
    save()
    saving?.cancel()
    abandon()
  }

  // MARK: Requests

  /// Reads the route first, so that the old one stays if that fails.
  func follow(_ id: Int, _ completion: @escaping (Result<FollowedRoute, Refusal>) -> Void) {
    abandon()
    waiting = completion
    download = RouteDownload(of: id, from: recorder, in: loop) { [weak self] in self?.followed($0) }
  }

  /// The client that asked for the route is gone. The old route stays.
  func cancelFollow() {
    guard waiting != nil else { return }
    abandon()
    if route == nil { start() }
  }

  private func followed(_ result: Result<GuidedRoute, Refusal>) {
    download = nil
    let completion = waiting
    waiting = nil
    switch result {
    case .success(let found):
      do throws(Refusal) {
        try change(to: GuideState.Followed(route: found.id, ride: ride))
        use(found)
        log.info("route \(found.id): followed")
        completion?(.success(found.record))
      } catch {
        completion?(.failure(error))
      }
    case .failure(let refusal): completion?(.failure(refusal))
    }
    // The route of the last run, if it is still to be read.
    if route == nil { start() }
    changed()
  }

  func leave() throws(Refusal) {
    try change(to: nil)
    abandon()
    saving?.cancel()
    if let route { log.info("route \(route.id): no longer followed") }
    (route, saving, message) = (nil, nil, nil)
    changed()
  }

  private func change(to followed: GuideState.Followed?) throws(Refusal) {
    var new = store.state
    new.followed = followed
    do throws(SystemError) {
      try store.change(to: new)
    } catch {
      throw Refusal(.storage, "the guide cannot save this: \(error)")
    }
  }

  // MARK: Another name

  /// The recorder reports a change of a route. Nil after it was away: then any can have changed.
  func mayBeRenamed(_ id: Int?) {
    guard let route, id == nil || id == route.id else { return }
    naming?.cancel()
    naming = RouteDownload.record(of: route.id, from: recorder, in: loop) { [weak self] in self?.rename($0) }
  }

  private func rename(_ record: RouteRecord) {
    naming = nil
    if record.id == route?.id, route?.rename(to: record.name) == true { changed() }
  }

  // MARK: Progress

  /// Progress belongs to one ride: with the next one, the route begins again.
  func began(ride id: Span<UInt8>) {
    if let ride, ride.utf8.span.isSame(as: id) { return }
    // Positions can come before the ride does.
    if ride != nil { route?.restart() }
    ride = id.text
    save()
  }

  /// Writes a sample if the fix says where on the route the rider is.
  func add(_ fix: PositionFix, into out: inout Batch) {
    guard route?.add(fix) == true else { return }
    route?.write(into: &out)
    guard saving == nil else { return }
    saving = loop.schedule(after: Self.saveInterval) { [weak self] in
      self?.saving = nil
      self?.save()
    }
  }

  private func save() {
    if let route { store.keep(route.saved, ride: ride) }
  }
}

extension Span<UInt8> {
  func isSame(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  var text: String {
    var bytes: [UInt8] = []
    for index in indices { bytes.append(self[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
