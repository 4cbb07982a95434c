// Replies that may be longer than a line: what does not fit is left for the next page, or left out.

import JSON
import LogbookWire
import Serving
import Wire

extension Answer {
  /// Room for the largest id and the members around a result.
  private static let most = LineSplitter.protocolLimit - RequestID.maxLength - 128

  private static func length(_ reply: some WireObject) -> Int {
    var writer = JSONWriter()
    reply.write(into: &writer)
    return writer.bytes.count
  }

  /// `shorten` removes about a half of what can be left out, and returns whether there was any.
  static func reply<Reply: WireObject>(_ reply: Reply, orShorter shorten: (inout Reply) -> Bool) -> Answer {
    var reply = reply
    while length(reply) > most, shorten(&reply) {}
    return .reply(reply)
  }

  static func reply(_ laps: ActivityLapsReply) -> Answer {
    .reply(laps) { reply in
      guard reply.laps.count > 1 else { return false }
      reply.laps.removeLast(reply.laps.count / 2)
      reply.hasMore = true
      return true
    }
  }

  static func reply(_ detail: ActivityDetail) -> Answer {
    .reply(detail) { reply in
      guard !reply.events.isEmpty || !reply.gaps.isEmpty else { return false }
      if reply.events.isEmpty { reply.gaps.halve() } else { reply.events.halve() }
      reply.isShortened = true
      return true
    }
  }
}

extension Array {
  fileprivate mutating func halve() { removeLast((count + 1) / 2) }
}
