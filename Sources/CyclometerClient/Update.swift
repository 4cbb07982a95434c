// The updates of a `Feed`: the daemon's records, and events of the connection itself.

public import JSON
public import Wire

public enum Update: Equatable, Sendable {
  /// Subscribed, for the first time or again. With a new instance, the daemon was restarted and
  /// numbers its samples from 1.
  case connected(HelloRecord, isNewInstance: Bool)
  /// The connection is lost, so displayed values are out of date. Reported once; the feed keeps
  /// retrying.
  case disconnected(ClientError)
  /// Lost samples, reported before the sample that revealed them.
  case gap(Gap)
  /// This client was too slow and the daemon dropped samples. Each also appears in a `gap`, unless
  /// `maxHz` is set.
  case lag(dropped: Int, ReceivedRecord)
  /// Everything else: samples, states, events, and records of later daemons.
  case record(ReceivedRecord)
  /// The result of a request made with `Feed.send`.
  case answer(FeedAnswer)

  /// The sample, if this is one.
  public var sample: SampleRecord? {
    guard case .record(let record) = self, record.recordClass == "sample" else { return nil }
    return SampleRecord(record.content)
  }
}

/// A hole in the sequence numbers of one sensor and kind.
public struct Gap: Equatable, Sendable {
  public let sensor: String
  public let kind: String
  public let lost: Int

  public init(sensor: String, kind: String, lost: Int) {
    self.sensor = sensor
    self.kind = kind
    self.lost = lost
  }
}

public struct FeedAnswer: Equatable, Sendable {
  /// The number returned by `Feed.send`.
  public let request: Int
  public let result: Result<JSONValue, ClientError>

  public init(request: Int, result: Result<JSONValue, ClientError>) {
    self.request = request
    self.result = result
  }
}

/// The last sequence number of each sensor and kind.
struct SequenceNumbers {
  private struct Source: Hashable {
    let sensor: String
    let kind: String
  }

  private var last: [Source: Int] = [:]

  /// The hole before this sample, if any. A smaller number is not a loss: a snapshot may repeat a
  /// sample, and a restarted daemon begins at 1.
  mutating func gap(before record: ReceivedRecord) -> Gap? {
    guard let sensor = record["sensor"]?.text, let kind = record["kind"]?.text, let number = record["seq"]?.integer,
      number > 0
    else { return nil }
    guard let last = last.updateValue(number, forKey: Source(sensor: sensor, kind: kind)), number - 1 > last else {
      return nil
    }
    return Gap(sensor: sensor, kind: kind, lost: number - 1 - last)
  }

  mutating func forget() {
    last = [:]
  }
}
