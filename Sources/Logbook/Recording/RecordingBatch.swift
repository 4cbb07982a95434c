// What one commit adds to an activity: everything that happened in a second or so.

package struct RecordingBatch: Sendable {
  package struct Row: Equatable, Sendable {
    /// Since the activity's zero.
    package var second: Int64
    package var bytes: [UInt8]

    package init(second: Int64, bytes: [UInt8]) { (self.second, self.bytes) = (second, bytes) }
  }

  /// A stream that is new, or has new fields.
  package struct Stream: Equatable, Sendable {
    package var number: Int
    /// As JSON texts, with their quotes.
    package var sensor: [UInt8]
    package var kind: [UInt8]
    package var fieldNames: [[UInt8]]

    package init(_ number: Int, _ stream: RecordedStream) {
      self.number = number
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

  package var streams: [Stream] = []
  package var rows: [Row] = []
  package var laps: [Lap] = []
  package var events: [Event] = []

  package init() {}

  package var isEmpty: Bool { streams.isEmpty && rows.isEmpty && laps.isEmpty && events.isEmpty }
}
