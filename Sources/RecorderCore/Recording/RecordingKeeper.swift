// Keeps the recording going: what the daemon sends goes to the recorder, whose commits are due at
// times of their own. What it reports is logged, announced, and followed by totals and exports.

import CyclometerClient
import EventLoop
import JSON
import Linux
import Logbook
import LogbookWire
import ProgramKit
import Recording
import SQLite
import Time
import Wire

final class RecordingKeeper {
  private let loop: EventLoop
  private let log: Log
  private let recorder: Recorder
  private let announcer: Announcer
  private let updates: ActivityUpdates
  private let exports: AutomaticExports
  private let changed: () -> Void
  /// The file cannot be used any more.
  private let onDamage: () -> Void
  private var feed: DaemonFeed?
  private var deadline: Deadline?
  private var rider: JSONValue?
  /// The last commit by the last time that the watchdog asked.
  private var provedCommit: MonotonicTime?

  /// `changed` is called when the status may have changed.
  init(
    _ file: LogbookFile, loop: EventLoop, log: Log, settings: RecorderSettings, announcer: Announcer,
    updates: ActivityUpdates, exports: AutomaticExports, onDamage: @escaping () -> Void, changed: @escaping () -> Void
  ) throws(SQLiteError) {
    (self.loop, self.log, self.announcer) = (loop, log, announcer)
    (self.updates, self.exports, self.changed, self.onDamage) = (updates, exports, changed, onDamage)
    recorder = try Recorder(file: file, settings: settings, system: .running)
    recorder.onChange = { [weak self] in self?.handle($0) }
    deadline = loop.schedule(at: loop.now) { [weak self] in self?.timePassed() }
  }

  func start(from daemon: Endpoint) {
    feed = DaemonFeed(from: daemon, in: loop, log: log, listener: self)
    if let id = recorder.interruptedID { log.info("recording \(id): found, waiting for the daemon's ride") }
  }

  func stop() {
    feed?.stop()
    deadline?.cancel()
    recorder.finish()
  }

  var isConnected: Bool { feed?.isConnected ?? false }
  var recordingID: Int64? { recorder.recordingID }
  var isRecording: Bool { recorder.isRecording }

  /// Adds what the recorder knows.
  func complete(_ status: inout LogbookStatusReply) {
    status.isConnected = isConnected
    status.recording = recorder.recordingID.map { Int($0) }
    status.interrupted = recorder.interruptedID.map { Int($0) }
    status.storage = WireWord(recorder.storage)
    status.message = recorder.storageMessage
    status.hoursLeft = recorder.hoursLeft
    status.syncP99MS = recorder.syncP99MS
  }

  var statusLine: String? {
    guard recorder.isRecording else { return nil }
    let activity = recorder.recordingID.map { " activity \($0)" } ?? ""
    let left = recorder.hoursLeft.map { ", \(Int($0)) hours left" } ?? ""
    return recorder.storage == .failed
      ? "cannot record: \(recorder.storageMessage ?? "")" : "recording\(activity)\(left)"
  }

  /// While idle the loop is the proof. With samples that wait, a commit must have happened since the
  /// last time. A storage that fails is reported, and a restart would not repair it.
  func isAlive() -> Bool {
    defer { provedCommit = recorder.lastCommit }
    guard recorder.isRecording, recorder.storage != .failed, let due = recorder.deadline else { return true }
    return recorder.lastCommit != provedCommit || due > loop.now
  }

  private func timePassed() {
    recorder.timePassed(now: loop.now)
    armDeadline()
  }

  /// Moving a deadline allocates nothing.
  private func armDeadline() {
    guard let due = recorder.deadline else { return deadline?.cancel() ?? () }
    if deadline?.isPending != true || deadline?.time != due { deadline?.set(to: due) }
  }
}

// MARK: The daemon

extension RecordingKeeper: DaemonListener {
  func daemonConnected(_ greeting: HelloRecord) {
    recorder.connected(instance: greeting.instance, now: loop.now)
    changed()
  }

  func daemonDisconnected() {
    recorder.disconnected(now: loop.now)
    changed()
  }

  func daemon(sent sampleLine: Span<UInt8>) {
    recorder.handle(sampleLine: sampleLine, now: loop.now)
    armDeadline()
  }

  func daemon(sent record: ReceivedRecord) {
    recorder.handle(record: record.content, now: loop.now)
  }

  func daemonDropped(_ count: Int) { recorder.lagged(dropped: count, now: loop.now) }

  func daemon(answered question: DaemonQuestion, with reply: JSONValue) {
    switch question {
    case .sensors: recorder.record(sensors: reply)
    case .rider: rider = reply
    case .bike:
      // It was asked after `rider`.
      guard let rider else { return }
      recorder.record(rider: rider, bike: reply, now: loop.now)
    }
  }
}

// MARK: News

extension RecordingKeeper {
  private func handle(_ news: Recorder.News) {
    switch news {
    case .began(let id):
      log.info("recording \(id): begun")
      announcer.announce(.recording, id)
    case .ended(let id, let isComplete):
      log.info("recording \(id): \(isComplete ? "ended" : "interrupted")")
      updates.ended(id) { [exports] in exports.run() }
    case .changed(let id): announcer.announce(.changed, id)
    case .event(let event, let activity, let message): handle(event, activity, message)
    case .wantsRider: for question in DaemonQuestion.allCases { feed?.ask(question) }
    case .damaged:
      log.error("logbook: damaged, restarting with a new one")
      onDamage()
    }
    changed()
  }

  private func handle(_ event: LogbookEvent, _ activity: Int64?, _ message: String?) {
    let detail = message.map { " (\($0))" } ?? ""
    switch event {
    case .storageFailed: log.error("storage: failed\(detail)")
    case .storageLow, .slowStorage: log.warning("storage: \(event == .storageLow ? "low" : "slow")\(detail)")
    case .storageOK: log.info("storage: works again\(detail)")
    case .storageDamaged: log.warning("storage: damaged\(detail)")
    case .hole: log.warning("recording: a hole\(detail)")
    case .recordingInterrupted: log.warning("recording \(activity ?? 0): interrupted\(detail)")
    }
    announcer.announce(event, activity: activity, message: message)
  }
}

extension RecorderSystem {
  /// This computer.
  fileprivate static var running: RecorderSystem {
    RecorderSystem(
      // With a random one, every start counts as a boot.
      boot: BootID.current ?? .uniqueID(), clock: { .now },
      isSynchronized: { Files.exists("/run/systemd/timesync/synchronized") },
      utcOffset: { LocalTime(WallTime(seconds: $0 / 1000)).utcOffset },
      newUUID: { .uniqueID() })
  }
}
