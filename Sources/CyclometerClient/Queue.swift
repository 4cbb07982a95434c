// A FIFO queue. Removing an element moves no others; space is reclaimed when the queue becomes
// empty or mostly consumed.

public struct Queue<Element> {
  private var elements: [Element?] = []
  private var taken = 0

  public init() {}

  public var count: Int { elements.count - taken }
  public var isEmpty: Bool { count == 0 }
  public var first: Element? { isEmpty ? nil : elements[taken] }

  public mutating func append(_ element: Element) {
    elements.append(element)
  }

  public mutating func popFirst() -> Element? {
    guard taken < elements.count else { return nil }
    let element = elements[taken]
    elements[taken] = nil
    taken += 1
    if taken == elements.count {
      elements.removeAll(keepingCapacity: taken <= 256)
      taken = 0
    } else if taken >= 1024, taken * 2 >= elements.count {
      elements.removeFirst(taken)
      taken = 0
    }
    return element
  }
}

extension Queue: Sendable where Element: Sendable {}
