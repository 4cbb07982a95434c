// Distance, energy and passed vehicles of points count from the start of a recording. Of an edited
// activity they count from its start, and go on from one part to the next. Pure.

import ActivityFiles

struct ShownCounters {
  private struct Counter {
    var offset: Double?
    var last = 0.0
  }

  private static let fields = [PointField.distance, .energy, .vehicleCount]
  /// A counter that begins with a recording has at most so much after its first second.
  private static let firstMetres = 50.0

  private var parts: ArraySlice<ActivitySpan>
  private var counters: [Counter]
  /// Whether the part begins with its recording.
  private var isWhole = false

  /// Nil if the counters of the recording are those of the activity.
  init?(_ spans: [ActivitySpan]) {
    guard spans.count > 1 || spans.contains(where: { !$0.beginsRecording }) else { return nil }
    parts = spans[...]
    counters = Array(repeating: Counter(), count: Self.fields.count)
  }

  mutating func apply(to point: inout ActivityPoint) {
    while let part = parts.first, part.atMS.isReached(by: point) {
      parts.removeFirst()
      for index in counters.indices { counters[index].offset = nil }
      isWhole = part.beginsRecording
    }
    let begins = isWhole && point[.distance] ?? 0 < Self.firstMetres
    for (index, field) in Self.fields.enumerated() {
      guard let value = point[field] else { continue }
      let offset = counters[index].offset ?? counters[index].last - (begins ? 0 : value)
      counters[index] = Counter(offset: offset, last: value + offset)
      point[field] = value + offset
    }
  }
}

extension ActivitySpan {
  fileprivate var beginsRecording: Bool { fromMS < 1000 }
}
