// A topic of a receiver as a wall reads it: of which receiver it is, and about what.

import JSON

struct WallTopic {
  enum Subject { case status, sensor, now, event }

  let subject: Subject
  let group: Range<Int>
  let receiver: Range<Int>
  /// The sensor, or the event; empty for the status.
  let name: Range<Int>
  /// Of a sample; empty for everything else.
  let kind: Range<Int>

  private static let root = Array((FleetTopics.root + "/").utf8)

  /// Nil for a topic that a wall does not read, and for one with names that no receiver uses.
  init?(_ topic: Span<UInt8>) {
    guard topic.count > Self.root.count, topic.extracting(..<Self.root.count).isEqual(to: Self.root) else { return nil }
    var end = Self.root.count - 1
    guard let group = topic.level(after: &end), let receiver = topic.level(after: &end),
      let word = topic.level(after: &end)
    else { return nil }
    (self.group, self.receiver) = (group, receiver)
    guard let subject = Subject(topic.extracting(word)) else { return nil }
    self.subject = subject
    var (name, kind) = (0..<0, 0..<0)
    if subject != .status {
      guard let level = topic.level(after: &end) else { return nil }
      name = level
    }
    if subject == .now {
      guard let level = topic.level(after: &end) else { return nil }
      kind = level
    }
    guard end == topic.count else { return nil }
    (self.name, self.kind) = (name, kind)
  }
}

extension WallTopic.Subject {
  private static let all: [(StaticString, WallTopic.Subject)] = [
    ("status", .status), ("sensor", .sensor), ("now", .now), ("event", .event),
  ]

  fileprivate init?(_ word: Span<UInt8>) {
    for (text, known) in Self.all where word.isText(text) {
      self = known
      return
    }
    return nil
  }
}

extension Span<UInt8> {
  /// The level after the separator at `end`, which moves to its end. Nil if there is none, or one that
  /// is not a name.
  fileprivate func level(after end: inout Int) -> Range<Int>? {
    guard end < count, self[end] == UInt8(ascii: "/") else { return nil }
    let start = end + 1
    var place = start
    while place < count, self[place] != UInt8(ascii: "/") { place += 1 }
    guard extracting(start..<place).isTopicLevel else { return nil }
    end = place
    return start..<place
  }
}
