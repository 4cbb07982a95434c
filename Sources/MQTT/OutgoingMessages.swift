// How much the library still has to write and the broker to acknowledge. The library counts neither.

struct OutgoingMessages {
  private(set) var unwrittenBytes = 0
  /// Few: the limit is some 20.
  private var unacknowledged: [MessageID] = []
  /// The sizes of messages that are not acknowledged, in the order of writing, from `first` on.
  private var unwritten: [Int] = []
  private var first = 0

  var unacknowledgedCount: Int { unacknowledged.count }

  func isUnacknowledged(_ id: MessageID) -> Bool { unacknowledged.contains(id) }

  mutating func queued(_ size: Int) {
    if first > 64, first * 2 > unwritten.count {
      unwritten.removeFirst(first)
      first = 0
    }
    unwritten.append(size)
    unwrittenBytes += size
  }

  mutating func written() {
    guard first < unwritten.count else { return }
    unwrittenBytes -= unwritten[first]
    first += 1
    guard first == unwritten.count else { return }
    unwritten.removeAll(keepingCapacity: true)
    first = 0
  }

  /// The last `queued` did not happen.
  mutating func withdrawn() {
    guard first < unwritten.count, let size = unwritten.popLast() else { return }
    unwrittenBytes -= size
  }

  mutating func sent(_ id: MessageID) { unacknowledged.append(id) }

  /// False if it does not wait for an acknowledgement.
  mutating func acknowledged(_ id: MessageID) -> Bool {
    guard let place = unacknowledged.firstIndex(of: id) else { return false }
    unacknowledged.remove(at: place)
    return true
  }
}
