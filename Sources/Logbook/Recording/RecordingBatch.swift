// What one commit adds to an activity: everything that happened in a second or so.
//
// Kinds of events and their data: `pause` (`pause`, `automatic`), `resume`, `hole` (`from_ms`, `to_ms`,
// `reason`, or `sensor`, `kind`, `lost`), `lag` (`dropped`), `clock` (`moved_ms`), `restart` (`from_ms`;
// of the recorder, the daemon or the computer), and the records `state` and `event` of the daemon.

package struct RecordingBatch: Sendable {
  package struct Row: Equatable, Sendable {
    /// Since the activity's zero.
    package var second: Int64
    package var bytes: [UInt8]

    package init(second: Int64, bytes: [UInt8]) { (self.second, self.bytes) = (second, bytes) }

    /// Whether it can be read without the row before it.
    package var isKey: Bool { bytes.first.map { $0 & SecondFormat.keyFlag != 0 } ?? false }
  }

  /// A stream that is new, or has new fields.
  package struct Stream: Equatable, Sendable {
    package var number: Int
    /// As JSON texts, with their quotes.
    package var sensor: [UInt8]
    package var kind: [UInt8]
    package var fieldNames: [[UInt8]]
    /// The name of the sensor, and its facts as JSON; nil keeps what is stored.
    package var name: String?
    package var facts: String?

    package init(_ number: Int, _ stream: RecordedStream, name: String? = nil, facts: String? = nil) {
      self.number = number
      (self.name, self.facts) = (name, facts)
      (sensor, kind, fieldNames) = (stream.sensor, stream.kind, stream.fieldNames)
    }
  }

  package struct Lap: Equatable, Sendable {
    /// Counted from 1.
    package var number: Int
    package var startMS: Int64
    package var endMS: Int64
    /// A `LapTrigger`.
    package var cause: String?
    /// An `EffortTotals` as JSON.
    package var totals: String?
    /// What only exports need.
    package var detail: String?

    package init(number: Int, startMS: Int64, endMS: Int64, cause: String?, totals: String?, detail: String? = nil) {
      (self.number, self.startMS, self.endMS, self.cause) = (number, startMS, endMS, cause)
      (self.totals, self.detail) = (totals, detail)
    }
  }

  package struct Event: Equatable, Sendable {
    package var atMS: Int64
    package var kind: String
    /// A JSON object.
    package var data: String?

    package init(atMS: Int64, kind: String, data: String? = nil) {
      (self.atMS, self.kind, self.data) = (atMS, kind, data)
    }
  }

  /// Where the seconds of a boot of the computer are in the activity.
  package struct Part: Equatable, Sendable {
    /// Counted from 1.
    package var number: Int
    package var boot: [UInt8]
    package var bootS: Int64
    package var atS: Int64

    package init(number: Int, boot: [UInt8], bootS: Int64, atS: Int64) {
      (self.number, self.boot, self.bootS, self.atS) = (number, boot, bootS, atS)
    }
  }

  /// What is known about the activity as a whole.
  package struct Summary: Sendable {
    package var state = StoredActivity.State.recording
    package var endMS: Int64 = 0
    /// Nil keeps what is stored, for the rider may have changed it.
    package var sport: String?
    package var totals = StoredTotals()
    package var detail: String?

    package init() {}
  }

  package var parts: [Part] = []
  package var streams: [Stream] = []
  package var rows: [Row] = []
  package var laps: [Lap] = []
  package var events: [Event] = []
  package var summary: Summary?
  /// The rider's settings, as `StoredRider` reads them; nil keeps what is stored.
  package var rider: String?
  /// The name of the bike; it does not replace one that is stored.
  package var bike: String?

  package init() {}

  package var isEmpty: Bool {
    parts.isEmpty && streams.isEmpty && rows.isEmpty && laps.isEmpty && events.isEmpty && summary == nil && rider == nil
      && bike == nil
  }

  package mutating func removeAll() {
    parts.removeAll(keepingCapacity: true)
    streams.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    laps.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    (summary, rider, bike) = (nil, nil, nil)
  }
}
