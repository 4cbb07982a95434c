// Follows a service that listens next to the daemon, for a program that waits for other things too.
// It never waits: the program waits for data on `number` and for `deadline`.
//
// A missing service is not an error. It is looked for when the program says so, and, once it was
// there, whenever it may have returned.

package import Time
import Wire

/// How the socket of a service is followed.
package protocol FeedPartner {
  /// What the program receives.
  associatedtype Item

  func socket(of endpoint: Endpoint) -> String
  /// The request that subscribes, with its line feed. Nil if the record is not a greeting; throws if it is the
  /// greeting of another service.
  func subscription(to record: ReceivedRecord, from path: String) throws(ClientError) -> [UInt8]?
  /// Nil for a record that the program does not need.
  func item(of record: ReceivedRecord) -> Item?
}

package final class PartnerFeed<Partner: FeedPartner> {
  /// In this time after connecting, the service has to accept the subscription. A service manager can hold
  /// the socket of a service that does not run.
  package static var answerTime: Duration { .seconds(10) }

  /// When to call `next` even if nothing has arrived.
  package var deadline: MonotonicTime? { retry ?? answerLimit }
  /// Whether it connects again by itself.
  package var isRetrying: Bool { retry != nil }
  private var retry: MonotonicTime?
  /// Nil unless the subscription is to be accepted.
  private var answerLimit: MonotonicTime?
  /// Whether the service has accepted the subscription.
  package private(set) var isFollowing = false
  /// Whether it has ever accepted it.
  package private(set) var hasFollowed = false
  /// Why the last attempt to connect failed; nil while connected, and before the first attempt.
  package private(set) var absence: ClientError?

  private let partner: Partner
  private let path: String
  /// Whether it is looked for all the time, even if it was never there.
  private let isAwaited: Bool
  private var stream: RecordStream?
  private var opened: MonotonicTime
  private var backOff = BackOff()
  private var hasGreeted = false

  /// Does nothing before `connect`.
  package init(_ partner: Partner, of endpoint: Endpoint, isAwaited: Bool = false, at now: MonotonicTime) {
    self.partner = partner
    self.isAwaited = isAwaited
    path = partner.socket(of: endpoint)
    opened = now
  }

  /// The open socket's descriptor; negative without one.
  package var number: Int32 { stream?.number ?? -1 }

  /// Looks for the service, unless it is there.
  package func connect(at now: MonotonicTime) {
    guard stream == nil else { return }
    (retry, opened) = (nil, now)
    do throws(ClientError) {
      stream = RecordStream(try ClientSocket(path: path))
      answerLimit = now + Self.answerTime
      absence = nil
    } catch {
      lose(error, at: now)
    }
  }

  /// The next item that has arrived; nil if there is none at present.
  package func next(at now: MonotonicTime) -> Partner.Item? {
    if let retry, now >= retry { connect(at: now) }
    do throws(ClientError) {
      while let record = try stream?.nextArrived() {
        if let item = try item(of: record, at: now) { return item }
      }
      if let answerLimit, now >= answerLimit { throw .timeout }
    } catch {
      lose(error, at: now)
    }
    return nil
  }

  private func item(of record: ReceivedRecord, at now: MonotonicTime) throws(ClientError) -> Partner.Item? {
    if record.recordClass == "error" { throw record.refusal }
    if let request = try partner.subscription(to: record, from: path) {
      // An empty socket has room for a line.
      try stream?.send(request.span, until: now)
      hasGreeted = true
      return nil
    }
    if record.recordClass == "reply" { (isFollowing, hasFollowed, answerLimit) = (true, true, nil) }
    return partner.item(of: record)
  }

  private func lose(_ error: ClientError, at now: MonotonicTime) {
    if stream != nil { backOff.connectionLasted(now - opened) }
    (stream, isFollowing, absence, answerLimit) = (nil, false, error, nil)
    if hasGreeted || isAwaited { retry = now + backOff.next() }
  }
}
