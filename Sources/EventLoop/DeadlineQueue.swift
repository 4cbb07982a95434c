// Deadlines ordered by time, then by the order of scheduling. It is a binary heap in which each
// deadline knows its position, so a cancelled one is removed at once and never wakes the loop.

internal import Linux
public import Time

struct DeadlineQueue {
  private var heap: [Deadline] = []
  /// The order of the next deadline; earlier ones have a lower one.
  private(set) var nextOrder: UInt64 = 0

  var count: Int { heap.count }
  var first: MonotonicTime? { heap.first?.time }

  mutating func insert(_ deadline: Deadline) {
    deadline.order = nextOrder
    nextOrder += 1
    heap.append(deadline)
    deadline.place = heap.count - 1
    rise(from: heap.count - 1)
  }

  mutating func remove(_ deadline: Deadline) {
    guard let place = deadline.place else { return }
    deadline.place = nil
    let last = heap.removeLast()
    guard place < heap.count else { return }
    heap[place] = last
    last.place = place
    rise(from: place)
    sink(from: last.place ?? place)
  }

  mutating func popFirst(dueAt now: MonotonicTime, setBefore order: UInt64) -> Deadline? {
    guard let top = heap.first, top.time <= now, top.order < order else { return nil }
    remove(top)
    return top
  }

  mutating func removeAll() {
    for deadline in heap { deadline.place = nil }
    heap = []
  }

  private mutating func rise(from place: Int) {
    var child = place
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(heap[child], heap[parent]) else { return }
      exchange(child, parent)
      child = parent
    }
  }

  private mutating func sink(from place: Int) {
    var parent = place
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count && isBefore(heap[child], heap[least]) {
        least = child
      }
      guard least != parent else { return }
      exchange(parent, least)
      parent = least
    }
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    heap.swapAt(one, other)
    heap[one].place = one
    heap[other].place = other
  }

  private func isBefore(_ left: Deadline, _ right: Deadline) -> Bool {
    (left.time, left.order) < (right.time, right.order)
  }
}

public final class Deadline {
  public internal(set) var time: MonotonicTime
  /// If two deadlines have the same time, the one set first runs first.
  fileprivate(set) var order: UInt64 = 0
  /// Its position in the queue; nil once it has fired or was cancelled.
  fileprivate var place: Int?
  private let handler: () -> Void
  private weak var loop: EventLoop?

  init(loop: EventLoop, time: MonotonicTime, handler: @escaping () -> Void) {
    self.loop = loop
    self.time = time
    self.handler = handler
  }

  public func cancel() {
    loop?.remove(self)
  }

  /// Moves the deadline, whether it is pending, has fired or was cancelled: the handler is called
  /// only at the new time. Unlike a new deadline, this allocates nothing.
  public func set(to time: MonotonicTime) {
    loop?.reset(self, to: time)
  }

  public var isPending: Bool { place != nil }

  func fire() {
    handler()
  }
}
