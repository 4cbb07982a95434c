// Records the ride of the daemon: samples become seconds, and each second is committed when it is
// over. Starts, pauses, laps and ends follow the ride. Time is a parameter, and all I/O is that of
// the database and of the reserve next to it.

package import JSON
package import Logbook
package import LogbookWire
package import SQLite
package import Time

package struct RecorderSettings: Sendable {
  /// ECG and acceleration, which are most of all bytes.
  package var recordSignals = false

  package init(recordSignals: Bool = false) { self.recordSignals = recordSignals }
}

/// What the recorder asks the system.
package struct RecorderSystem {
  /// The 16 bytes of the kernel's boot_id.
  package var boot: [UInt8]
  package var clock: () -> MonotonicTime
  /// Whether a time server set the wall clock.
  package var isSynchronized: () -> Bool
  /// Local time minus UTC, in seconds, at a UTC in milliseconds.
  package var utcOffset: (Int64) -> Int?
  /// 16 random bytes.
  package var newUUID: () -> [UInt8]

  package init(
    boot: [UInt8], clock: @escaping () -> MonotonicTime, isSynchronized: @escaping () -> Bool,
    utcOffset: @escaping (Int64) -> Int?, newUUID: @escaping () -> [UInt8]
  ) {
    (self.boot, self.clock, self.isSynchronized) = (boot, clock, isSynchronized)
    (self.utcOffset, self.newUUID) = (utcOffset, newUUID)
  }
}

package final class Recorder {
  package enum News: Equatable, Sendable {
    case began(Int64)
    /// Its totals are stored. `isComplete` is false if it was interrupted.
    case ended(Int64, isComplete: Bool)
    case changed(Int64)
    case event(LogbookEvent, activity: Int64?, message: String?)
    /// Ask for `rider` and `bike`, and pass the answers to `record(rider:bike:)`.
    case wantsRider
    /// The database contradicts itself. After a restart a new one is begun, and this one is read.
    case damaged
  }

  package var onChange: (News) -> Void = { _ in }

  private let settings: RecorderSettings
  private let system: RecorderSystem
  private let path: String
  private let database: Database
  private let store: RecordingStore
  private let reserve: Reserve
  private let book: ClockBook
  private var sensors = SensorFacts()
  private var follower = RideFollower()
  private var sample = SampleLine()
  private var report = RideReport()

  private var recording: OpenRecording?
  /// Whether the daemon said that the recording goes on. One that was found at the start waits.
  private var isConfirmed = false
  /// Whether the daemon was followed without a break since the last sample of the ride.
  private var isUnbroken = false
  /// The ride has ended: its last samples are those up to this time, in milliseconds of the boot time.
  private var end: (at: Int64, deadline: MonotonicTime)?
  /// Closed, and not stored yet.
  private var closed: [(recording: OpenRecording, isComplete: Bool)] = []
  private var instance: String?
  private var clockSecond: Int64 = .min
  private var isSynchronized = false
  private var nextSummary: MonotonicTime?
  private var nextReserve: MonotonicTime?
  private var lastEnded: Int64?
  private var toldDamage = false

  private static let summaryInterval = Duration.seconds(60)
  private static let reserveInterval = Duration.milliseconds(50)
  private static let endWait = Duration.seconds(1)
  /// Samples that claim to be later than now would keep all others from their seconds.
  private static let mostAhead: Int64 = 5000

  package init(file: LogbookFile, settings: RecorderSettings, system: RecorderSystem) throws(SQLiteError) {
    (self.settings, self.system, path) = (settings, system, file.path)
    database = file.database
    reserve = Reserve(file.path + ".reserve")
    store = try RecordingStore(file, reserve: reserve, clock: system.clock)
    book = ClockBook(boot: system.boot, in: database, utcOffset: system.utcOffset)
    try recover()
    nextReserve = system.clock()
  }

  /// What a crash left.
  private func recover() throws(SQLiteError) {
    let open = try StoredRecording.open(in: database)
    for (index, id) in open.enumerated() {
      guard let stored = try StoredRecording(id, in: database) else { continue }
      let found = OpenRecording(stored)
      if index < open.count - 1 {
        close(found, isComplete: false)
      } else {
        recording = found
        follower = RideFollower(
          rideID: Array((found.rideID ?? "").utf8), lap: found.currentLap, pause: stored.pause)
      }
    }
  }
}

// MARK: State

extension Recorder {
  /// The activity that is being recorded, if it is stored.
  package var recordingID: Int64? { isConfirmed ? recording?.id : nil }
  /// A recording that was found at the start and that the daemon did not confirm yet.
  package var interruptedID: Int64? { isConfirmed ? nil : recording?.id }
  package var storage: StorageState { store.state }
  package var storageMessage: String? { store.message }
  package var hoursLeft: Double? { store.hoursLeft }
  package var syncP99MS: Double? { store.p99 }
  /// For the watchdog: during a ride, only a commit is a sign of life.
  package var lastCommit: MonotonicTime? { store.lastCommit }
  package var isRecording: Bool { recording != nil && isConfirmed }

  package var deadline: MonotonicTime? {
    var moments: [MonotonicTime] = []
    if let milliseconds = recording?.deadline, store.retry == nil {
      moments.append(MonotonicTime(nanoseconds: milliseconds * 1_000_000))
    }
    if let end { moments.append(end.deadline) }
    if let retry = store.retry { moments.append(retry) }
    if let nextReserve, !isRecording { moments.append(nextReserve) }
    return moments.min()
  }
}

// MARK: Input

extension Recorder {
  /// Every line of class `sample`, in the order of arrival. Other lines are ignored.
  package func handle(sampleLine line: Span<UInt8>, now: MonotonicTime) {
    guard sample.parse(line) else { return }
    let milliseconds = now.milliseconds
    guard sample.milliseconds <= milliseconds + Self.mostAhead else { return }
    noteClock(line, now)
    if report.read(sample, of: line) { follow(now) }
    guard let recording, isConfirmed, isWanted(line) else { return }
    if let end, sample.milliseconds > end.at { return finishRide(now) }
    recording.add(sample, of: line, now: milliseconds)
    if recording.hasCompleted { commit(now) }
  }

  private func isWanted(_ line: Span<UInt8>) -> Bool {
    settings.recordSignals || !sample.isSignal(line)
  }

  /// The daemon answers. Another instance numbers its samples from 1.
  package func connected(instance: String, now: MonotonicTime) {
    if instance != self.instance { recording?.forgetSequences() }
    if self.instance != nil, instance != self.instance { addEvent("restart", now, nil) }
    self.instance = instance
  }

  package func disconnected(now: MonotonicTime) { isUnbroken = false }

  /// Records of the classes `state` and `event` become events of the activity.
  package func handle(record: JSONValue, now: MonotonicTime) {
    guard let name = record["class"]?.text, let members = record.members else { return }
    switch name {
    case "state", "event":
      let kept = members.filter { !["class", "t", "time", "age_ms", "retry_ms"].contains($0.name) }
      addEvent(name, now, Array(JSONValue.object(kept).encoded.utf8))
    case "sensor":
      if let sensor = record["sensor"] {
        sensors.take(sensor: sensor)
        recording?.updateStreams(sensors)
      }
    default: break
    }
  }

  /// The daemon dropped samples because this program was too slow.
  package func lagged(dropped: Int, now: MonotonicTime) {
    addEvent("lag", now, Array("{\"dropped\":\(dropped)}".utf8))
  }

  /// The result of `sensors`.
  package func record(sensors reply: JSONValue) {
    sensors.take(reply)
    recording?.updateStreams(sensors)
  }

  /// The results of `rider` and `bike`, when a recording begins or has ended.
  package func record(rider: JSONValue, bike: JSONValue, now: MonotonicTime) {
    if let recording, isConfirmed { return recording.add(rider: rider, bike: bike) }
    guard let id = lastEnded else { return }
    lastEnded = nil
    // Failing to store this is not worth an event: the settings at the start are there.
    try? store.add(rider: rider, bike: bike, to: id)
  }

  private func addEvent(_ kind: String, _ now: MonotonicTime, _ data: [UInt8]?) {
    guard let recording, isConfirmed else { return }
    recording.addEvent(kind, at: recording.time(now.milliseconds), data)
  }

  private func noteClock(_ line: Span<UInt8>, _ now: MonotonicTime) {
    let second = sample.milliseconds / 1000
    guard second != clockSecond, let utcMS = sample.utcMilliseconds(line) else { return }
    clockSecond = second
    if !isSynchronized { isSynchronized = system.isSynchronized() }
    guard let moved = book.note(utcMS: utcMS, bootMS: sample.milliseconds, source: isSynchronized ? .ntp : .rtc) else {
      return
    }
    if moved != 0, let recording, isConfirmed {
      recording.addEvent("clock", at: recording.time(sample.milliseconds), Array("{\"moved_ms\":\(moved)}".utf8))
    }
    // Dates the rides before, which no commit of a ride does now.
    if !isRecording { commit(now) }
  }
}

// MARK: The ride

extension Recorder {
  private func follow(_ now: MonotonicTime) {
    let changes = follower.follow(report)
    if changes.contains(.left) { leaveRide(now) }
    if changes.contains(.began) {
      // The ride before has ended, and its last samples were waited for.
      if end != nil { finishRide(now) }
      beginRide(now)
    }
    guard let recording else { return }
    if !isConfirmed { resume(recording, now) }
    isUnbroken = true
    let time = recording.time(sample.milliseconds)
    recording.setSport(report)
    if changes.contains(.lap) {
      recording.beginLap(report.lap, at: recording.time(sample.milliseconds - max(0, report.lapTimeMS)))
      // With the next commit, when the totals have this sample as well.
      nextSummary = now
    }
    if changes.contains(.paused) {
      let reason = report.pause ?? .other
      let automatic = reason == .byHand ? "" : ",\"automatic\":true"
      recording.addEvent("pause", at: time, Array("{\"pause\":\"\(reason.rawValue)\"\(automatic)}".utf8))
    } else if changes.contains(.resumed) {
      recording.addEvent("resume", at: time)
    }
    if changes.contains(.ended) { end = (sample.milliseconds, now + Self.endWait) }
  }

  private func beginRide(_ now: MonotonicTime) {
    store.look()
    if let found = find() {
      recording = found
      isConfirmed = false
      return
    }
    recording = OpenRecording(
      report, uuid: system.newUUID(), boot: system.boot, start: sample.milliseconds - report.rideTimeMS)
    isConfirmed = true
    nextSummary = now + Self.summaryInterval
    onChange(.wantsRider)
  }

  /// A recording of the same ride, which was taken for ended.
  private func find() -> OpenRecording? {
    if closed.contains(where: { $0.recording.rideID.map { Array($0.utf8) } == report.rideID }) { return nil }
    do throws(SQLiteError) {
      let rideID = String(decoding: report.rideID, as: UTF8.self)
      guard let id = try StoredRecording.find(rideID: rideID, in: database),
        let stored = try StoredRecording(id, in: database)
      else { return nil }
      return OpenRecording(stored)
    } catch {
      // Recording comes first: a new activity begins.
      return nil
    }
  }

  /// The daemon said that the ride of a recording goes on.
  private func resume(_ recording: OpenRecording, _ now: MonotonicTime) {
    isConfirmed = true
    nextSummary = now + Self.summaryInterval
    let last = recording.lastMS
    if recording.part.boot != system.boot {
      let second = sample.milliseconds / 1000
      recording.begin(boot: system.boot, at: second, atS: place(recording, second))
    }
    // Until now, because the daemon repeats only the last sample of each kind.
    let data = Array("{\"from_ms\":\(last)}".utf8)
    recording.addEvent("restart", at: recording.time(now.milliseconds), data)
    recording.summarize()
    onChange(.wantsRider)
  }

  /// Where a second of this boot is in an activity of an earlier one: by UTC if both are known, else
  /// one second after the end.
  private func place(_ recording: OpenRecording, _ second: Int64) -> Int64 {
    let earliest = recording.nextSecond
    guard let zero = recording.storedZeroUTCMS, let utc = book.utc(second * 1000), utc > zero else {
      return earliest + 1
    }
    return max(earliest, (utc - zero) / 1000)
  }

  /// The daemon has another ride.
  private func leaveRide(_ now: MonotonicTime) {
    guard let recording else { return }
    let isComplete = isConfirmed && (isUnbroken || end != nil)
    self.recording = nil
    close(recording, isComplete: isComplete)
    commit(now)
  }

  /// All samples of the ride's end have come.
  private func finishRide(_ now: MonotonicTime) {
    end = nil
    guard let recording else { return }
    self.recording = nil
    close(recording, isComplete: true)
    commit(now)
  }

  private func close(_ recording: OpenRecording, isComplete: Bool) {
    recording.complete()
    recording.close(isComplete ? .complete : .interrupted)
    recording.collect(sensors)
    closed.append((recording, isComplete))
    isConfirmed = false
    nextSummary = nil
    nextReserve = system.clock()
  }

  private func summarize(_ recording: OpenRecording, _ now: MonotonicTime) {
    recording.summarize()
    nextSummary = now + Self.summaryInterval
  }
}

// MARK: Commits

extension Recorder {
  private func commit(_ now: MonotonicTime) {
    if let recording, isConfirmed {
      if let nextSummary, now >= nextSummary { summarize(recording, now) }
      recording.collect(sensors)
    }
    guard store.isReady(at: now) else { return }
    let ending = closed
    var all = ending.map(\.recording)
    if let recording, isConfirmed { all.append(recording) }
    guard book.hasNews || all.contains(where: { !$0.batch.isEmpty }) else { return }
    let begun = all.map { $0.id == nil }
    let lost = all.map(\.hasLost)
    let outcome = store.commit(all, book, at: now)
    if outcome.isStored {
      closed.removeAll()
      for (index, recording) in all.enumerated() { tell(recording, hasBegun: begun[index], hasLost: lost[index]) }
      for (recording, isComplete) in ending {
        guard let id = recording.id else { continue }
        lastEnded = id
        if !isComplete { onChange(.event(.recordingInterrupted, activity: id, message: nil)) }
        onChange(.ended(id, isComplete: isComplete))
        onChange(.wantsRider)
      }
      for id in outcome.dated { onChange(.changed(id)) }
    }
    report(store.takeReports())
  }

  private func tell(_ recording: OpenRecording, hasBegun: Bool, hasLost: Bool) {
    guard let id = recording.id else { return }
    if hasBegun { onChange(.began(id)) }
    if hasLost {
      onChange(.event(.hole, activity: id, message: "seconds are missing, because the storage failed"))
    }
  }

  private func report(_ reports: [RecordingStore.Report]) {
    for report in reports { onChange(.event(report.event, activity: recordingID, message: report.message)) }
    if store.isDamaged, !toldDamage {
      toldDamage = true
      LogbookFile.condemn(path)
      onChange(.damaged)
    }
  }

  package func timePassed(now: MonotonicTime) {
    if let end, now >= end.deadline { finishRide(now) }
    if let retry = store.retry, now >= retry {
      commit(now)
    } else if let milliseconds = recording?.deadline, now.milliseconds >= milliseconds {
      recording?.complete()
      commit(now)
    }
    if let nextReserve, now >= nextReserve, !isRecording { fillReserve(now) }
  }

  private func fillReserve(_ now: MonotonicTime) {
    nextReserve = store.canFillReserve && reserve.fill() ? now + Self.reserveInterval : nil
    if nextReserve == nil {
      store.look()
      report(store.takeReports())
    }
  }

  /// The program ends, and the ride goes on: everything so far is committed.
  package func finish() {
    let now = system.clock()
    if end != nil { finishRide(now) }
    if let recording, isConfirmed {
      recording.complete()
      recording.summarize()
    }
    commit(now)
    try? database.checkpoint()
  }
}

extension MonotonicTime {
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
