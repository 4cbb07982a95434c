// A row of the table `activity`.

import JSON
package import LogbookWire

package struct StoredActivity: Equatable, Sendable {
  /// Hidden states of the table come in addition to those of the protocol.
  package enum State: String, Sendable {
    case recording, complete, interrupted
    /// A file is being read. After a crash, such rows are removed.
    case importing
  }

  package var id: Int64 = 0
  /// 16 random bytes, the same in every copy of the logbook.
  package var uuid: [UInt8] = []
  /// The daemon's id of the ride.
  package var rideID: String?
  package var state = State.complete
  package var source = ActivitySource.recorded
  package var sport = "cycling"
  package var name: String?
  package var note: String?
  package var bike: String?
  /// The rider's settings, as `rider` and `bike` answered them at the start and the end.
  package var rider: String?
  /// Sorts the list: the start, or the time of a neighbour if the date is unknown.
  package var sortMS: Int64 = 0
  /// UTC of the activity's zero; nil while the date is unknown.
  package var startUTCMS: Int64?
  package var utcSource: String?
  package var utcOffsetS: Int?
  /// Of the first moment, 0 to 999.
  package var startMS: Int64 = 0
  package var endMS: Int64 = 0
  package var totals = StoredTotals()
  /// What only `show` and exports need: see `ActivityDetails`.
  package var detail: String?
  /// Nil if it shows what was recorded for it, and all of that.
  package var spans: [ActivitySpan]?
  /// What it shows when its edits are reverted; nil for all that was recorded for it.
  package var baseSpans: [ActivitySpan]?
  /// The activity that it was a part of, if a split made it.
  package var origin: Int64?
  /// The activity that shows this one, after a join. It is in no list meanwhile.
  package var joinedInto: Int64?
  package var isExported = false
  package var version = 1
  package var deletedUTCMS: Int64?
  package var sourceHash: [UInt8]?

  package init() {}

  /// What it shows.
  package var shownSpans: [ActivitySpan] {
    spans ?? [ActivitySpan(activity: id, fromMS: 0, toMS: nil, atMS: 0)]
  }

  /// Where its zero is in the time of the recording that it begins with. `startUTCMS` is that of the
  /// recording plus this.
  package var zeroShiftMS: Int64 { Self.zeroShiftMS(of: spans) }

  static func zeroShiftMS(of spans: [ActivitySpan]?) -> Int64 {
    spans?.first.map { $0.fromMS - $0.atMS } ?? 0
  }
}

/// A part of a recording within an activity. Only edited activities have several.
package struct ActivitySpan: Equatable, Sendable {
  /// Whose seconds it shows.
  package var activity: Int64
  /// In the time of that activity.
  package var fromMS: Int64
  /// Nil until its end.
  package var toMS: Int64?
  /// Where it begins in the time of the activity that shows it.
  package var atMS: Int64

  package init(activity: Int64, fromMS: Int64, toMS: Int64?, atMS: Int64) {
    (self.activity, self.fromMS, self.toMS, self.atMS) = (activity, fromMS, toMS, atMS)
  }
}

extension ActivitySpan {
  /// The text in the table: `[[activity,from,to,at],…]`, with null for an open end.
  package static func text(_ spans: [ActivitySpan]) -> String {
    "["
      + spans.map { "[\($0.activity),\($0.fromMS),\($0.toMS.map(String.init) ?? "null"),\($0.atMS)]" }
      .joined(separator: ",") + "]"
  }

  /// Nil if the text is damaged.
  package static func spans(_ text: String) -> [ActivitySpan]? {
    guard let items = (try? JSONValue.parse(text))?.items else { return nil }
    let spans = items.compactMap { item -> ActivitySpan? in
      guard let numbers = item.items, numbers.count == 4, let activity = numbers[0].integer,
        let from = numbers[1].integer, let at = numbers[3].integer
      else { return nil }
      return ActivitySpan(
        activity: Int64(activity), fromMS: Int64(from), toMS: numbers[2].integer.map(Int64.init), atMS: Int64(at))
    }
    return spans.count == items.count ? spans : nil
  }
}
