// Work that is made of other work.

import Logbook
import LogbookWire
import SQLite
import Wire

/// A request that is answered in one slice.
final class SingleStep: SlicedWork {
  private let body: () throws(Refusal) -> Void

  init(_ body: @escaping () throws(Refusal) -> Void) { self.body = body }

  func step() throws(Refusal) -> Bool {
    try body()
    return false
  }
}

/// Work that ends early when its client is gone.
final class AbandonableWork: SlicedWork {
  private let work: any SlicedWork
  private let isWanted: () -> Bool
  private(set) var isAbandoned = false

  init(_ work: any SlicedWork, while isWanted: @escaping () -> Bool) {
    (self.work, self.isWanted) = (work, isWanted)
  }

  func step() throws(Refusal) -> Bool {
    isAbandoned = !isWanted()
    if isAbandoned { return false }
    return try work.step()
  }
}

/// One piece of work after the other. Each is made when it is its turn.
final class WorkChain: SlicedWork {
  typealias Link = () throws(Refusal) -> (any SlicedWork)?

  private var links: ArraySlice<Link>
  private var current: (any SlicedWork)?

  init(_ links: [Link] = []) { self.links = links[...] }

  /// Adds work after all that is left.
  func append(_ link: @escaping Link) { links.append(link) }

  /// Computes the totals of one activity after the other.
  static func totals(of ids: [Int64], in database: Database) -> WorkChain {
    let chain = WorkChain()
    for id in ids {
      chain.append { () throws(Refusal) -> (any SlicedWork)? in
        let totals = try TotalsWork(id, in: database)
        return totals
      }
    }
    return chain
  }

  /// Computes the totals that an edit or a merge left to be computed, when it is its turn, and
  /// announces each activity that has new ones.
  static func staleTotals(in database: Database, _ announcer: Announcer) -> WorkChain {
    let chain = WorkChain()
    chain.append { () throws(Refusal) -> (any SlicedWork)? in
      let ids: [Int64]
      do throws(SQLiteError) {
        ids = try ActivityTable.staleTotals(in: database)
      } catch {
        throw Refusal(storage: error)
      }
      let totals = WorkChain()
      for id in ids {
        totals.append { () throws(Refusal) in try totalsUnlessRemoved(id, in: database) }
        totals.append { () throws(Refusal) in
          announcer.announce(.changed, id)
          return nil
        }
      }
      return totals
    }
    return chain
  }

  /// A removed activity does not keep the others from their turn.
  private static func totalsUnlessRemoved(_ id: Int64, in database: Database) throws(Refusal) -> (any SlicedWork)? {
    do throws(Refusal) {
      return try TotalsWork(id, in: database)
    } catch {
      guard error.code == .noSuchActivity else { throw error }
      return nil
    }
  }

  func step() throws(Refusal) -> Bool {
    if let work = current {
      if try !work.step() { current = nil }
    } else if let link = links.popFirst() {
      current = try link()
    }
    return current != nil || !links.isEmpty
  }
}
