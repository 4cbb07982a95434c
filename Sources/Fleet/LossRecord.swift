// What was lost on the receiver, because nothing could be sent for longer than its storage lasts.

import JSON
public import Time
public import Wire

/// A `loss` record: how many records are missing at this place of the log, and from when to when.
/// The clocks are those of the first record and of the last one that is missing.
public struct LossRecord: Record, WireObject {
  public static let className = "loss"
  /// Nil if a damaged disk hides the number.
  public private(set) var records: Int?
  /// The numbers of the first batch and of the last one that is missing.
  public private(set) var batches: [Int] = []
  /// Nil if the clock was not set then.
  public private(set) var from: WallTime?
  public private(set) var to: WallTime?
  /// Seconds of the boots that the records belong to.
  public private(set) var fromT: MonotonicTime?
  public private(set) var toT: MonotonicTime?

  public init() {}

  public init(records: Int?, batches: ClosedRange<UInt64>, from: RecordMoment?, to: RecordMoment?) {
    self.records = records
    self.batches = [Int(clamping: batches.lowerBound), Int(clamping: batches.upperBound)]
    (self.from, self.to, fromT, toT) = (from?.time, to?.time, from?.t, to?.t)
  }

  public mutating func visit(_ members: inout Members) {
    members.member("records", &records)
    members.needed("batches", &batches)
    members.member("from", &from)
    members.member("to", &to)
    members.member("from_t", &fromT)
    members.member("to_t", &toT)
  }

  /// The payload for the topic `log`. It has the number of the last batch that is missing, so that
  /// it stands in the place of all of them.
  public func batch(instance: String?) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("batch", batches.last)
    writer.member("instance", instance)
    writer.member("records")
    writer.beginArray()
    write(into: &writer)
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}
