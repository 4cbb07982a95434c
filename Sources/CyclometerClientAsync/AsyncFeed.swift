// A feed for programs that live in Swift concurrency: the same updates as an asynchronous sequence.
//
// A thread of its own runs the blocking `Feed`, so that no thread of the cooperative pool ever waits in the kernel, and so that
// there is one implementation of connecting, following and coming back. (Sources of Dispatch would save the thread, and need
// that logic a second time.) Updates wait in a bounded buffer. When it is full the thread stops reading, the daemon's queue for
// this client fills, and the daemon says what it had to leave out: nothing is dropped here, and nothing silently.

public import CyclometerClient
public import Wire

public final class AsyncFeed: AsyncSequence, Sendable {
  public typealias Element = Update

  private let channel: Channel

  /// Connects at once, and follows until it is stopped, or until nobody holds it any more.
  public init(
    _ subscription: Subscription = Subscription(), from endpoint: Endpoint = .usual, for access: Access = .read,
    patience: Duration = .seconds(10), buffering capacity: Int = 256
  ) throws {
    let channel = try Channel(capacity: Swift.max(1, capacity))
    self.channel = channel
    try FeedThread.start(channel) { () throws(ClientError) in
      try Feed(subscription, from: endpoint, for: access, patience: patience, waker: channel.waker)
    }
  }

  deinit {
    channel.stop()
  }

  /// Ends the connection; iterations end after what has arrived, requests under way with `ClientError.closed`.
  public func stop() {
    channel.stop()
  }

  /// Asks and waits for the result, first for the connection if there is none. Throws a `ClientError`, or `CancellationError`.
  /// Without `patience` it has as long as with `Feed.request`; a pairing, a scan or a capture that is given up is cancelled.
  /// While requests are under way, the buffer may take more than its capacity: who asks between two updates takes none.
  public func request(
    _ method: String, _ parameters: JSON? = nil, within patience: Duration? = nil
  ) async throws -> JSON {
    let patience = patience ?? Feed.deadline(of: method)
    return try await channel.ask(Question(method: method, parameters: parameters, patience: patience))
  }

  /// Replaces the subscription, now and for all connections to come; a refused one leaves the old one.
  public func change(to subscription: Subscription, within patience: Duration = .seconds(10)) async throws {
    _ = try await channel.ask(Question(changing: subscription, patience: patience))
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: self)
  }

  /// Several share the updates: each goes to one of them.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let feed: AsyncFeed

    /// Nil when the feed was stopped, or the task cancelled; throws what ends a `Feed`. A cancelled wait takes no update with it.
    public func next() async throws -> Update? {
      try await feed.channel.next()
    }
  }
}
