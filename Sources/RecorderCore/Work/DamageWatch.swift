// Damage of the logbook: damaged files that were moved aside are salvaged, and the file in use is
// checked after the start, some rows at a time and never during a ride.

import EventLoop
import Linux
import Logbook
import LogbookFiles
import LogbookWire
import ProgramKit
import SQLite
import Wire

final class DamageWatch {
  /// The check has to leave the processor and the storage to others.
  private static let interval = Duration.milliseconds(20)
  private static let pause = Duration.seconds(30)
  /// More activities than that are not announced one by one.
  private static let mostAnnounced = 200

  private let loop: EventLoop
  private let file: LogbookFile
  private let queue: WorkQueue
  private let announcer: Announcer
  private let log: Log
  private let isRecording: () -> Bool
  /// The file is damaged, and another one has to take its place.
  private let restart: () -> Void
  private var check: CheckWork?
  private var next: Deadline?

  init(
    loop: EventLoop, _ file: LogbookFile, _ queue: WorkQueue, _ announcer: Announcer, log: Log,
    isRecording: @escaping () -> Bool, restart: @escaping () -> Void
  ) {
    (self.loop, self.file, self.queue, self.announcer, self.log) = (loop, file, queue, announcer, log)
    (self.isRecording, self.restart) = (isRecording, restart)
  }

  /// What came of the last damaged file that is still there.
  var message: String? { MovedLogbooks.lastReport(of: file.path) }

  func start(in spool: SpoolFolder) {
    let places = MovedLogbooks.unread(of: file.path)
    if !places.isEmpty {
      announcer.announce(.storageDamaged, message: "the logbook is damaged: what can be read of it is being salvaged")
    }
    for place in places { salvage(place, copyingTo: spool.newPath()) }
    check = CheckWork(file.database)
    schedule(after: Self.pause)
  }

  func stop() { next?.cancel() }

  private func salvage(_ place: String, copyingTo copy: String) {
    var salvage: SalvageWork?
    let work = WorkChain()
    work.append { [file] () throws(Refusal) -> (any SlicedWork)? in
      let made = try SalvageWork(place, copyingTo: copy, into: file.database)
      salvage = made
      return made
    }
    queue.add(work) { [weak self] refusal in
      if let refusal {
        self?.log.error("logbook: cannot salvage \(place), trying again after the next start (\(refusal.message))")
      } else if let outcome = salvage?.outcome {
        self?.salvaged(place, outcome)
      }
    }
  }

  private func salvaged(_ place: String, _ outcome: SalvageWork.Outcome) {
    let text =
      "\(outcome.seconds) seconds of \(outcome.activities) activities were salvaged, and \(outcome.lostSeconds) seconds are lost"
    do throws(SystemError) {
      try MovedLogbooks.finish(place, report: text)
    } catch {
      log.error("logbook: cannot write down that \(place) was salvaged (\(error))")
    }
    log.warning("logbook: \(text) (kept as \(place))")
    queue.add(WorkChain.staleTotals(in: file.database, announcer)) { [log] refusal in
      if let refusal { log.warning("logbook: cannot compute the totals of what was salvaged (\(refusal.message))") }
    }
    for id in outcome.added.suffix(Self.mostAnnounced) { announcer.announce(.added, id) }
    announcer.announce(.storageDamaged, message: "the logbook was damaged: \(text)")
  }

  private func schedule(after time: Duration) {
    next = loop.schedule(after: time) { [weak self] in self?.checkSome() }
  }

  private func checkSome() {
    guard let check else { return }
    if isRecording() { return schedule(after: Self.pause) }
    do throws(Refusal) {
      if try check.step() { return schedule(after: Self.interval) }
    } catch {
      log.warning("logbook: cannot be checked (\(error.message))")
    }
    self.check = nil
    guard let damage = check.damage else { return log.debug("logbook: checked, without damage") }
    log.error("logbook: damaged, restarting with a new one (\(damage))")
    LogbookFile.condemn(file.path)
    restart()
  }
}
