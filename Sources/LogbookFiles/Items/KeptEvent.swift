// An event of a file as a row of the table `event`.

import ActivityFiles
import JSON
import Wire

/// With the place in the sequence of items: after the point of that second.
struct KeptEvent: WireObject {
  private enum Kind: String {
    case start = "file_start"
    case stop = "file_stop"
    case other = "file_event"
  }

  private(set) var after = -1
  private var isAutomatic = false
  private var event: Int?
  private var type: Int?
  private var data: Int?
  private(set) var kind = ""

  init() {}

  init(_ event: ActivityEvent, after: Int) {
    self.after = after
    switch event.kind {
    case .start(let automatic): (kind, isAutomatic) = (Kind.start.rawValue, automatic)
    case .stop(let automatic): (kind, isAutomatic) = (Kind.stop.rawValue, automatic)
    case .other(let event, let type, let data):
      kind = Kind.other.rawValue
      (self.event, self.type, self.data) = (Int(event), Int(type), data.map(Int.init))
    }
  }

  /// Nil for an event of another kind.
  init?(kind: String, data: String?) {
    guard Kind(rawValue: kind) != nil, let json = data.flatMap({ try? JSONValue.parse($0) }),
      var found = KeptEvent(json)
    else { return nil }
    found.kind = kind
    self = found
  }

  mutating func visit(_ members: inout Members) {
    members.needed("after", &after)
    members.member("automatic", &isAutomatic, unless: false)
    members.member("event", &event)
    members.member("type", &type)
    members.member("data", &data)
  }

  func event(at t: Int) -> ActivityEvent? {
    switch Kind(rawValue: kind) {
    case .start: ActivityEvent(t: t, kind: .start(automatic: isAutomatic))
    case .stop: ActivityEvent(t: t, kind: .stop(automatic: isAutomatic))
    case .other:
      ActivityEvent(
        t: t,
        kind: .other(
          event: UInt8(clamping: event ?? 0), type: UInt8(clamping: type ?? 0),
          data: data.flatMap(UInt32.init(exactly:))))
    case nil: nil
    }
  }
}

extension WireObject {
  /// As JSON text for a column.
  var encoded: String {
    var writer = JSONWriter()
    write(into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
