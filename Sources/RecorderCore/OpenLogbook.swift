// The logbook while its storage can be used: what records into its database, and what answers from
// it.

import EventLoop
import Linux
import Logbook
import LogbookWire
import ProgramKit
import Recording
import SQLite
import Serving

/// What the parts of the service share.
struct RecorderContext {
  let loop: EventLoop
  let log: Log
  let places: RecorderPlaces
  let queue: WorkQueue
  let announcer: Announcer
  /// Called when the status may have changed.
  let changed: () -> Void
}

final class OpenLogbook {
  /// Why it cannot be opened.
  enum Obstacle: Error {
    /// This may pass.
    case storage(String)
    case refused(StartError)
  }

  let methods: LogbookMethods
  private let context: RecorderContext
  /// Keeps a second recorder out of the database.
  private let lock: FileDescriptorBox
  private let file: LogbookFile
  private let catalogue: ActivityCatalogue
  private let efforts: EffortUpdates
  private let exports: AutomaticExports
  private let housekeeping: Housekeeping
  private let damage: DamageWatch
  private let spool: SpoolFolder
  private let recording: RecordingKeeper

  init(_ context: RecorderContext, _ configuration: RecorderConfiguration) throws(Obstacle) {
    self.context = context
    let (loop, log, places) = (context.loop, context.log, context.places)
    lock = try Self.lockState(places)
    do throws(StartError) { try places.directories.prepareState() } catch { throw .refused(error) }
    file = try Self.openFile(places.logbook, log)
    spool = SpoolFolder(places.spool, log: log)
    do throws(SQLiteError) {
      let database = file.database
      catalogue = try ActivityCatalogue(database)
      exports = try AutomaticExports(database, context.queue, places.exports(configuration), log: log)
      efforts = EffortUpdates(database, context.queue, context.announcer, log: log)
      let updates = ActivityUpdates(database, context.queue, context.announcer, efforts)
      methods = try LogbookMethods(file.database, catalogue, spool, updates, efforts, context)
      housekeeping = Housekeeping(loop: loop, database, context.queue, context.announcer, log: log)
      recording = try RecordingKeeper(
        file, loop: loop, log: log, settings: RecorderSettings(recordSignals: configuration.recordSignals),
        announcer: context.announcer, updates: updates, exports: exports, onDamage: { loop.stop() },
        changed: context.changed)
    } catch {
      throw .storage("the logbook \(places.logbook) cannot be read: \(error)")
    }
    damage = DamageWatch(
      loop: loop, file, context.queue, context.announcer, log: log,
      isRecording: { [recording] in recording.isRecording },
      // The service manager starts it again, with a new file.
      restart: { loop.stop() })
  }

  func start() {
    context.announcer.opened(catalogue)
    recording.start(from: context.places.daemon)
    housekeeping.start()
    // After the rest of an interrupted salvage was removed.
    damage.start(in: spool)
    exports.run()
    efforts.run()
  }

  func apply(_ configuration: RecorderConfiguration) { exports.apply(context.places.exports(configuration)) }

  func stop() {
    recording.stop()
    housekeeping.stop()
    damage.stop()
  }

  // MARK: State

  /// Adds what the logbook knows.
  func complete(_ status: inout LogbookStatusReply) {
    recording.complete(&status)
    if status.interrupted == nil { status.interrupted = try? catalogue.interruptedID().map { Int($0) } }
    status.activities = (try? catalogue.count()) ?? 0
    status.exportMessage = exports.message
    status.damage = damage.message
    status.newer = MovedLogbooks.newer(than: file.path)
  }

  var statusLine: String {
    if let line = recording.statusLine { return line }
    let activities = (try? catalogue.count()) ?? 0
    return "idle, \(activities) \(activities == 1 ? "activity" : "activities")"
      + (recording.isConnected ? "" : ", not connected to the daemon")
  }

  func isAlive() -> Bool { recording.isAlive() }
}

// MARK: Opening

extension OpenLogbook {
  private static func lockState(_ places: RecorderPlaces) throws(Obstacle) -> FileDescriptorBox {
    let state = places.directories.state
    do throws(SystemError) {
      try Files.createDirectory(state, mode: 0o700)
      if let lock = try Files.lock(places.stateLock) { return FileDescriptorBox(lock) }
    } catch {
      if error.isReadOnly { throw .storage("the file system of \(state) is read-only") }
      if error.isNotAllowed {
        throw .storage("\(error): the directory and its files must belong to the user of the recorder")
      }
      throw .storage("\(error)")
    }
    throw .refused(StartError("another cyclometer-recorder uses \(state): stop it, or give --state-dir"))
  }

  private static func openFile(_ path: String, _ log: Log) throws(Obstacle) -> LogbookFile {
    let file: LogbookFile
    do throws(LogbookFile.Failure) {
      file = try open(path)
    } catch {
      throw .storage("the logbook \(path) cannot be opened: \(error)")
    }
    switch file.event {
    case .movedNewer(let place): log.error("logbook: written by a newer release, began a new one (kept as \(place))")
    case .movedDamaged(let place): log.error("logbook: damaged, began a new one (kept as \(place))")
    case nil: break
    }
    return file
  }

  /// The database needs some space to be opened. If there is none, it gets that of the reserve.
  private static func open(_ path: String) throws(LogbookFile.Failure) -> LogbookFile {
    do throws(LogbookFile.Failure) {
      return try LogbookFile(path)
    } catch {
      let space = (try? Files.space(at: Files.parent(of: path))) ?? .max
      guard space < Reserve.size, Reserve(path + ".reserve").free() else { throw error }
      return try LogbookFile(path)
    }
  }
}
