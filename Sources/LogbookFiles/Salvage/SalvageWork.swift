// Brings what can be read of a damaged logbook into the one that took its place.

import Linux
import Logbook
package import SQLite
package import Wire

/// Call `step` until it returns false or throws. What is there already is not added again, so it can
/// be repeated after an interruption.
package final class SalvageWork: SlicedWork {
  package struct Outcome: Equatable, Sendable {
    package var seconds = 0
    package var lostSeconds = 0
    /// Of the damaged logbook.
    package var activities = 0
    /// Those that are new here.
    package var added: [Int64] = []

    package init() {}
  }

  private enum Phase {
    case scanning(SalvageScan)
    case counting(LossCount)
    case merging(BackupMerge)
    case totalling(ArraySlice<Int64>, TotalsWork?)
    case removing(RowRemoval, Refusal)
    case finished
  }

  /// What the copies need in addition.
  private static let spare: Int64 = 64 << 20

  private let database: Database
  private let copyPath: String
  private var copy: Database?
  private var phase: Phase
  private var incomplete: [Int64] = []
  package private(set) var outcome = Outcome()

  /// `copyPath` is that of a file that does not exist, in a folder of this file system.
  package init(_ path: String, copyingTo copyPath: String, into database: Database) throws(Refusal) {
    (self.database, self.copyPath) = (database, copyPath)
    let size = (Files.size(of: path) ?? 0) + (Files.size(of: path + "-wal") ?? 0)
    if let space = try? Files.space(at: Files.parent(of: copyPath)), space < 2 * size + Self.spare {
      let needed = (2 * size + Self.spare) >> 20
      throw Refusal(.storage, "salvaging needs \(needed) MiB, and \(space >> 20) MiB are free")
    }
    do throws(LogbookFile.Failure) {
      copy = try LogbookFile.makeCopy(copyPath)
    } catch {
      throw Refusal(.storage, "cannot salvage: \(error)")
    }
    phase = .finished
    if let copy { phase = .scanning(try SalvageScan(path, into: copy)) }
  }

  deinit {
    // Closes the copy before its file goes.
    (phase, copy) = (.finished, nil)
    try? Files.remove(copyPath)
  }

  package func step() throws(Refusal) -> Bool {
    if case .removing(let removal, let refusal) = phase {
      if try removal.step() { return true }
      phase = .finished
      throw refusal
    }
    do throws(Refusal) {
      try advance()
    } catch {
      guard case .merging(let merge) = phase, !merge.unfinished.isEmpty else {
        phase = .finished
        throw error
      }
      phase = .removing(RowRemoval(merge.unfinished, in: database), error)
    }
    if case .finished = phase { return false }
    return true
  }

  private func advance() throws(Refusal) {
    switch phase {
    case .scanning(let scan):
      guard try !scan.step(), let copy else { return }
      incomplete = scan.made
      phase = .counting(try LossCount(copy))
    case .counting(let count):
      if try count.step() { return }
      incomplete += count.incomplete.filter { !incomplete.contains($0) }
      (outcome.seconds, outcome.lostSeconds) = (count.salvaged, count.lost)
      // The copy is closed, so that it can be read as a backup.
      (phase, copy) = (.finished, nil)
      phase = .merging(try BackupMerge(copyPath, into: database, isSalvage: true))
    case .merging(let merge):
      if try merge.step() { return }
      (outcome.activities, outcome.added) = (merge.activityCount, merge.addedActivities)
      phase = .totalling(incomplete.compactMap(merge.id(of:))[...], nil)
    case .totalling(let ids, let work): phase = try total(ids, work)
    case .removing, .finished: break
    }
  }

  private func total(_ ids: ArraySlice<Int64>, _ work: TotalsWork?) throws(Refusal) -> Phase {
    if let work { return .totalling(ids, try work.step() ? work : nil) }
    guard let next = ids.first else { return .finished }
    return .totalling(ids.dropFirst(), try TotalsWork(next, in: database))
  }
}
