// The queue keeps its order, whatever its length.

import CyclometerClient
import Testing

@Suite struct QueueTests {
  @Test("elements come out in the order in which they were added")
  func order() {
    var queue = Queue<Int>()
    var (appended, taken) = (0, 0)
    for (coming, going) in [(3000, 1500), (10, 1000), (0, 510), (2, 1), (0, 1)] {
      for _ in 0..<coming {
        queue.append(appended)
        appended += 1
      }
      for _ in 0..<going {
        let first = queue.first
        let element = queue.popFirst()
        #expect(element == taken && first == taken)
        taken += 1
      }
      #expect(queue.count == appended - taken && queue.isEmpty == (appended == taken))
    }
    #expect(queue.isEmpty)
    let none = queue.popFirst()
    #expect(none == nil && queue.first == nil)
  }
}
