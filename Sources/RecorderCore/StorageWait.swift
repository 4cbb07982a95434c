// Waits for a storage that cannot be used when the recorder starts, such as a card that the kernel
// made read-only. The recorder stays up and says so, instead of being restarted in vain.

import EventLoop
import LogbookWire
import ProgramKit
import Time

final class StorageWait {
  private static let shortest = Duration.seconds(1)
  private static let longest = Duration.seconds(60)
  private static let reminder = Duration.seconds(60)

  private let loop: EventLoop
  private let log: Log
  private let announcer: Announcer
  /// Returns what is still wrong, or nil.
  private let attempt: () -> String?
  private var pause = shortest
  private var next: Deadline?
  private var lastAttempt: MonotonicTime
  private var nextReminder: MonotonicTime
  /// What is wrong; nil when the wait is over.
  private(set) var message: String?

  init(_ message: String, loop: EventLoop, log: Log, announcer: Announcer, attempt: @escaping () -> String?) {
    (self.message, self.loop, self.log, self.announcer, self.attempt) = (message, loop, log, announcer, attempt)
    (lastAttempt, nextReminder) = (loop.now, loop.now)
    remind()
    schedule()
  }

  func stop() { next?.cancel() }

  /// Somebody wants the logbook now.
  func hurry() {
    if loop.now >= lastAttempt + Self.shortest { tryAgain() }
  }

  private func schedule() {
    next = loop.schedule(after: pause) { [weak self] in self?.tryAgain() }
    pause = min(pause * 2, Self.longest)
  }

  private func tryAgain() {
    guard message != nil else { return }
    next?.cancel()
    lastAttempt = loop.now
    message = attempt()
    guard message == nil else {
      if loop.now >= nextReminder { remind() }
      return schedule()
    }
    log.info("storage: works again")
    announcer.announce(.storageOK)
  }

  private func remind() {
    log.error("storage: nothing is recorded, trying again (\(message ?? ""))")
    announcer.announce(.storageFailed, message: message)
    nextReminder = loop.now + Self.reminder
  }
}
