// Messages that wait for room in the connection: events, and of all others the newest of each topic.
// They leave in the order in which they came.

import JSON

struct WaitingMessages {
  struct Message: Equatable {
    let topic: [UInt8]
    var payload: [UInt8]
    let isRetained: Bool
    /// Nothing replaces it.
    let isEvent: Bool
  }

  private var messages: [Message] = []
  /// The messages before it have left.
  private var start = 0

  var isEmpty: Bool { start == messages.count }
  var first: Message? { isEmpty ? nil : messages[start] }
  var count: Int { messages.count - start }

  /// Replaces an older message of the topic that still waits.
  mutating func put(_ payload: [UInt8], _ topic: String, isRetained: Bool) {
    let topic = Array(topic.utf8)
    if let place = messages[start...].firstIndex(where: { !$0.isEvent && $0.topic == topic }) {
      messages[place].payload = payload
    } else {
      messages.append(Message(topic: topic, payload: payload, isRetained: isRetained, isEvent: false))
    }
  }

  /// Drops the oldest event if more than `most` wait.
  mutating func append(_ payload: Span<UInt8>, _ topic: Span<UInt8>, most: Int) {
    messages.append(
      Message(topic: Array(copying: topic), payload: Array(copying: payload), isRetained: false, isEvent: true))
    let events = messages[start...].indices.filter { messages[$0].isEvent }
    if events.count > most, let oldest = events.first { messages.remove(at: oldest) }
  }

  mutating func removeFirst() {
    guard !isEmpty else { return }
    start += 1
    if isEmpty { return removeAll() }
    // Half of them have left, so that moving the others costs little for each.
    guard start > 64, start * 2 > messages.count else { return }
    messages.removeFirst(start)
    start = 0
  }

  mutating func removeAll() {
    messages.removeAll(keepingCapacity: true)
    start = 0
  }
}

extension [UInt8] {
  init(copying bytes: Span<UInt8>) {
    self = []
    reserveCapacity(bytes.count)
    append(bytes)
  }
}
