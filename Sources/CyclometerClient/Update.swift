// What a `Feed` gives, one after the other: what the daemon says, and what it cannot say itself.

public import Wire

public enum Update: Equatable, Sendable {
  /// The subscription stands, for the first time or again. With a new instance the daemon was started in between and
  /// numbers its samples from 1.
  case connected(HelloRecord, isNewInstance: Bool)
  /// Nothing comes any more: what was shown is no longer true. Said once; the feed tries until it is back.
  case disconnected(ClientError)
  /// Samples that were lost, told before the one that showed it.
  case gap(Gap)
  /// This client was too slow and the daemon left samples out; each is in a `gap` too, unless `maxHz` was asked for.
  case lag(dropped: Int, ReceivedRecord)
  /// Everything else: samples, states, events, and what later daemons may say.
  case record(ReceivedRecord)
  /// To what `Feed.send` asked.
  case answer(Answer)

  /// The sample, where it is one.
  public var sample: SampleRecord? {
    guard case .record(let record) = self, record.recordClass == "sample" else { return nil }
    return SampleRecord(record.content)
  }
}

/// A hole in the numbers of one sensor's samples of one kind.
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

public struct Answer: Equatable, Sendable {
  /// What `Feed.send` returned.
  public let request: Int
  public let result: Result<JSON, ClientError>

  public init(request: Int, result: Result<JSON, ClientError>) {
    self.request = request
    self.result = result
  }
}

/// The last number of each sensor and kind.
struct SequenceNumbers {
  private struct Source: Hashable {
    let sensor: String
    let kind: String
  }

  private var last: [Source: Int] = [:]

  /// The hole before this sample, if there is one. A smaller number than the last is no loss: a snapshot may repeat a sample,
  /// and a daemon that was started anew begins at 1.
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
