// The recorder: the daemon's samples, the database that keeps them, and the socket that serves them.
// Everything runs on the loop's thread.

import CyclometerClient
public import EventLoop
import Linux
import Logbook
import LogbookWire
public import ProgramKit
import Recording
import SQLite
import Serving
import Wire

public final class RecorderService {
  private let loop: EventLoop
  private let log: Log
  private let release: String
  private let places: RecorderPlaces
  private var configuration: RecorderConfiguration
  /// Keep a second recorder out of the runtime directory and the database.
  private let locks: [FileDescriptorBox]
  private let file: LogbookFile
  private let publisher: Publisher
  private let queue: WorkQueue
  private let catalogue: ActivityCatalogue
  private let announcer: Announcer
  private let updates: ActivityUpdates
  private let exports: AutomaticExports
  private let housekeeping: Housekeeping
  private var requests: LogbookRequests?
  private var server: LogbookServer?
  private let recording: RecordingKeeper
  private let statusHook: Hook
  /// Called at the end of a turn in which `statusLine` may have changed.
  public var statusChanged: () -> Void = {}

  public init(
    loop: EventLoop, configuration: RecorderConfiguration, places: RecorderPlaces, log: Log, release: String
  ) throws(StartError) {
    (self.loop, self.log, self.release) = (loop, log, release)
    (self.places, self.configuration) = (places, configuration)
    let runtimeLock = try places.directories.prepare(for: "cyclometer-recorder")
    locks = [runtimeLock, try Self.lockState(places)]
    file = try Self.openLogbook(places.logbook, log)
    publisher = Publisher(loop: loop)
    queue = WorkQueue(loop: loop)
    let database = file.database
    do throws(SQLiteError) {
      catalogue = try ActivityCatalogue(database)
      exports = try AutomaticExports(database, queue, places.exports(configuration), log: log)
    } catch {
      throw StartError("cannot read the logbook \(places.logbook): \(error)")
    }
    announcer = Announcer(publisher, catalogue)
    updates = ActivityUpdates(database, queue, announcer)
    housekeeping = Housekeeping(loop: loop, database, queue, log: log)
    let relay = StatusRelay()
    statusHook = loop.makeHook { relay.changed() }
    do throws(SQLiteError) {
      recording = try RecordingKeeper(
        file, loop: loop, log: log, settings: RecorderSettings(recordSignals: configuration.recordSignals),
        announcer: announcer, updates: updates, exports: exports
      ) { [statusHook] in statusHook.schedule() }
    } catch {
      throw StartError("cannot read the logbook \(places.logbook): \(error)")
    }
    relay.service = self
  }

  private static func lockState(_ places: RecorderPlaces) throws(StartError) -> FileDescriptorBox {
    do throws(SystemError) {
      if let lock = try Files.lock(places.stateLock) { return FileDescriptorBox(lock) }
    } catch {
      throw StartError(error)
    }
    throw StartError("another cyclometer-recorder uses \(places.directories.state): stop it, or give --state-dir")
  }

  private static func openLogbook(_ path: String, _ log: Log) throws(StartError) -> LogbookFile {
    let file: LogbookFile
    do throws(LogbookFile.Failure) {
      file = try LogbookFile(path)
    } catch {
      throw StartError("cannot open the logbook \(path): \(error)")
    }
    switch file.event {
    case .movedNewer(let place): log.error("logbook: written by a newer release, began a new one (kept as \(place))")
    case .movedDamaged(let place): log.error("logbook: damaged, began a new one (kept as \(place))")
    case nil: break
    }
    return file
  }

  public func start() throws(StartError) {
    let requests = try makeRequests()
    self.requests = requests
    let server = LogbookServer(loop: loop, publisher: publisher, handler: requests, release: release, log: log)
    self.server = server
    try server.listen(at: places.socket)
    recording.start(from: places.daemon)
    housekeeping.start()
    exports.run()
    log.info("cyclometer-recorder \(release): started (logbook \(places.logbook))")
  }

  private func makeRequests() throws(StartError) -> LogbookRequests {
    let database = file.database
    let lanes = RequestLanes(queue)
    let routes = RouteRequests()
    do throws(SQLiteError) {
      return LogbookRequests(
        activities: try ActivityRequests(database, catalogue, lanes, announcer), edits: EditRequests(),
        transfers: TransferRequests(
          loop: loop, database, queue, SpoolFolder(places.spool, log: log), routes: routes,
          imported: { [updates] in updates.imported($0) }),
        routes: routes, announcer
      ) { [weak self] in self?.status ?? LogbookStatusReply() }
    } catch {
      throw StartError("cannot read the logbook \(places.logbook): \(error)")
    }
  }

  private var status: LogbookStatusReply {
    var reply = LogbookStatusReply()
    reply.release = release
    recording.complete(&reply)
    reply.interrupted = try? catalogue.interruptedID().map { Int($0) }
    reply.activities = (try? catalogue.count()) ?? 0
    reply.exportFolder = places.exportFolder(configuration.exportFolder)
    reply.exportMessage = exports.message
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
  public var statusLine: String {
    if let line = recording.statusLine { return line }
    let activities = (try? catalogue.count()) ?? 0
    return "idle, \(activities) \(activities == 1 ? "activity" : "activities")"
      + (recording.isConnected ? "" : ", not connected to the daemon")
  }

  public func prove(_ done: @escaping (_ isAlive: Bool) -> Void) { done(recording.isAlive()) }

  public func apply(_ settings: RecorderConfiguration) {
    configuration = settings
    log.set(level: settings.logLevel)
    exports.apply(places.exports(settings))
  }

  public func stop() {
    recording.stop()
    housekeeping.stop()
    queue.stop()
    server?.close()
    log.info("shutting down")
  }
}
