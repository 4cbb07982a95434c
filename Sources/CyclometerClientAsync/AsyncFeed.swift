// A feed for Swift concurrency: the same updates as an asynchronous sequence.
//
// The blocking `Feed` runs on a thread of its own, so that no thread of the cooperative pool waits in
// the kernel. (Without Dispatch, a task cannot wait for a descriptor.) Updates wait in a bounded
// buffer. When it is full, the thread stops reading, and the daemon drops samples for this client
// and reports how many. Nothing is dropped here.

public import CyclometerClient
public import JSON

public final class AsyncFeed: AsyncSequence, Sendable {
  public typealias Element = Update

  private let channel: Channel

  /// Connects at once, and continues until it is stopped or released.
  public init(
    _ subscription: Subscription = Subscription(), from endpoint: Endpoint = .standard, for access: Access = .read,
    timeout: Duration = .seconds(10), buffering capacity: Int = 256
  ) throws {
    let channel = try Channel(capacity: Swift.max(1, capacity))
    self.channel = channel
    try FeedThread.start(channel) { () throws(ClientError) in
      try Feed(subscription, from: endpoint, for: access, timeout: timeout, waker: channel.waker)
    }
  }

  deinit {
    channel.stop()
  }

  /// Closes the connection. Iterations end after the updates that have arrived; pending requests
  /// fail with `ClientError.closed`.
  public func stop() {
    channel.stop()
  }

  /// Sends a request and waits for the result, first for a connection if there is none. Throws a
  /// `ClientError` or `CancellationError`. It waits as long as `Feed.request` by default. An
  /// abandoned pairing, scan or capture is cancelled. While requests are pending, the buffer may
  /// exceed its capacity, because a task that waits for a reply does not consume updates.
  public func request(
    _ method: String, _ parameters: JSONValue? = nil, within timeout: Duration? = nil
  ) async throws -> JSONValue {
    let timeout = timeout ?? Feed.deadline(of: method)
    return try await channel.ask(Question(method: method, parameters: parameters, timeout: timeout))
  }

  /// Replaces the subscription, now and for all later connections. A refused one leaves the old one
  /// in effect.
  public func change(to subscription: Subscription, within timeout: Duration = .seconds(10)) async throws {
    _ = try await channel.ask(Question(changing: subscription, timeout: timeout))
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: self)
  }

  /// Several iterators share the updates: each update goes to one of them.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let feed: AsyncFeed

    /// Returns nil after the feed was stopped or the task cancelled. Throws the error that ends a
    /// `Feed`. A cancelled wait loses no update.
    public func next() async throws -> Update? {
      try await feed.channel.next()
    }
  }
}
