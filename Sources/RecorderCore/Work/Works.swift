// Work that is made of other work.

import Logbook
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

/// One piece of work after the other. Each is made when it is its turn.
final class WorkChain: SlicedWork {
  typealias Link = () throws(Refusal) -> (any SlicedWork)?

  private var links: ArraySlice<Link>
  private var current: (any SlicedWork)?

  init(_ links: [Link] = []) { self.links = links[...] }

  /// Adds work after all that is left.
  func append(_ link: @escaping Link) { links.append(link) }

  func step() throws(Refusal) -> Bool {
    if let work = current {
      if try !work.step() { current = nil }
    } else if let link = links.popFirst() {
      current = try link()
    }
    return current != nil || !links.isEmpty
  }
}
