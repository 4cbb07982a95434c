// The recorder: the daemon's samples, the database that keeps them, and the socket that serves them.
// Everything runs on the loop's thread. While the storage cannot be used, only the socket is there,
// and says so.

import CyclometerClient
public import EventLoop
import Linux
import LogbookWire
public import ProgramKit
import Serving
import Wire

public final class RecorderService {
  private let loop: EventLoop
  private let log: Log
  private let release: String
  private let places: RecorderPlaces
  private var configuration: RecorderConfiguration
  /// Keeps a second recorder out of the runtime directory.
  private let lock: FileDescriptorBox
  private let queue: WorkQueue
  private let announcer: Announcer
  private let context: RecorderContext
  private let publisher: Publisher
  private var requests: LogbookRequests?
  private var server: ServiceSocket?
  private var logbook: OpenLogbook?
  /// While the storage cannot be used.
  private var wait: StorageWait?
  /// Called at the end of a turn in which `statusLine` may have changed.
  public var statusChanged: () -> Void = {}

  public init(
    loop: EventLoop, configuration: RecorderConfiguration, places: RecorderPlaces, log: Log, release: String
  ) throws(StartError) {
    (self.loop, self.log, self.release) = (loop, log, release)
    (self.places, self.configuration) = (places, configuration)
    lock = try places.directories.prepareRuntime(for: "cyclometer-recorder")
    publisher = Publisher(loop: loop)
    queue = WorkQueue(loop: loop)
    announcer = Announcer(publisher)
    let relay = StatusRelay()
    let hook = loop.makeHook { relay.changed() }
    context = RecorderContext(
      loop: loop, log: log, places: places, queue: queue, announcer: announcer, changed: { hook.schedule() })
    relay.service = self
  }

  public func start() throws(StartError) {
    let obstacle = try open()
    let requests = LogbookRequests(
      announcer, status: { [weak self] in self?.status ?? LogbookStatusReply() },
      methods: { [weak self] () throws(Refusal) in
        guard let self else { throw Refusal(.storage, "the recorder ends") }
        return try self.methods()
      })
    self.requests = requests
    let hello = LogbookHelloRecord(
      release: release, instance: ProcessEnvironment.randomName(), clientLimit: ServiceSocket.clientLimit)
    let server = ServiceSocket(
      "logbook", of: "recorder", loop: loop, publisher: publisher, hello: hello, handler: requests, log: log)
    self.server = server
    try server.listen(at: places.socket)
    logbook?.start()
    log.info("cyclometer-recorder \(release): started (logbook \(places.logbook))")
    guard let obstacle else { return }
    wait = StorageWait(obstacle, loop: loop, log: log, announcer: announcer) { [weak self] in self?.openLate() }
  }

  /// Returns what is wrong with the storage, or nil.
  private func open() throws(StartError) -> String? {
    do throws(OpenLogbook.Obstacle) {
      logbook = try OpenLogbook(context, configuration)
      return nil
    } catch {
      switch error {
      case .storage(let message): return message
      case .refused(let error): throw error
      }
    }
  }

  private func openLate() -> String? {
    do throws(StartError) {
      if let message = try open() { return message }
    } catch {
      return error.description
    }
    logbook?.start()
    context.changed()
    return nil
  }

  private func methods() throws(Refusal) -> LogbookMethods {
    wait?.hurry()
    guard let logbook else { throw Refusal(.storage, wait?.message ?? "") }
    return logbook.methods
  }

  private var status: LogbookStatusReply {
    wait?.hurry()
    var reply = LogbookStatusReply()
    reply.release = release
    reply.exportFolder = places.exportFolder(configuration.exportFolder)
    if let logbook {
      logbook.complete(&reply)
    } else {
      (reply.storage, reply.message) = (WireWord(.failed), wait?.message)
    }
    return reply
  }
}

/// Passes on that the status may have changed.
private final class StatusRelay {
  weak var service: RecorderService?

  func changed() { service?.statusChanged() }
}

// MARK: The service

extension RecorderService: Service {
  public var statusLine: String { logbook?.statusLine ?? "cannot record: \(wait?.message ?? "")" }

  public func prove(_ done: @escaping (_ isAlive: Bool) -> Void) { done(logbook?.isAlive() ?? true) }

  public func apply(_ settings: RecorderConfiguration) {
    configuration = settings
    log.set(level: settings.logLevel)
    wait?.hurry()
    logbook?.apply(settings)
  }

  public func stop() {
    wait?.stop()
    logbook?.stop()
    queue.stop()
    server?.close()
    log.info("shutting down")
  }
}
