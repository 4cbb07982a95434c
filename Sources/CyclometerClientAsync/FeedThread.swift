// The thread of an `AsyncFeed`. It runs the blocking feed and ends when the channel is stopped.

internal import CyclometerClient
internal import Linux
import Time

struct FeedThread {
  private let feed: Feed
  private let channel: Channel
  /// Not sent yet, because there was no connection.
  private var unsent: [Question] = []
  private var pending: [Int: Question] = [:]

  static func start(
    _ channel: Channel, _ makeFeed: @escaping @Sendable () throws(ClientError) -> Feed
  ) throws(SystemError) {
    try OwnThread.start {
      do throws(ClientError) {
        let feed = try makeFeed()
        var thread = FeedThread(feed: feed, channel: channel)
        thread.run()
      } catch {
        channel.finish(error)
      }
    }
  }

  private init(feed: Feed, channel: Channel) {
    self.feed = feed
    self.channel = channel
  }

  private mutating func run() {
    var end: ClientError?
    do throws(ClientError) {
      while try turn() {}
    } catch {
      end = error
    }
    for question in unsent + pending.values { question.finish(.failure(end ?? .closed)) }
    channel.finish(end)
  }

  /// Returns false if the channel was stopped.
  private mutating func turn() throws(ClientError) -> Bool {
    let orders = channel.orders()
    guard !orders.isStopped else { return false }
    unsent += orders.questions
    sendWhatWaits()
    giveUpWhatIsOver()
    if orders.isFull, pending.isEmpty, unsent.isEmpty {
      // The thread is woken by a consumer, a new request or `stop`.
      _ = try? Waiting.untilReadable(channel.waker.number, deadline: nil)
      _ = channel.waker.clear()
      return true
    }
    let deadline = (unsent + pending.values).map(\.deadline).min()
    guard let update = try feed.next(until: deadline) else { return true }
    if case .answer(let answer) = update { finish(answer) } else { channel.put(update) }
    return true
  }

  private mutating func sendWhatWaits() {
    while let question = unsent.first, feed.greeting != nil {
      unsent.removeFirst()
      guard !question.isFinished else { continue }
      do throws(ClientError) {
        let number =
          if let subscription = question.subscription {
            try feed.send(changeTo: subscription)
          } else {
            try feed.send(question.method, question.parameters)
          }
        if let number { pending[number] = question }
      } catch {
        question.finish(.failure(error))
      }
    }
  }

  private mutating func giveUpWhatIsOver() {
    let now = MonotonicTime.now
    for question in unsent + pending.values where question.deadline <= now {
      question.finish(.failure(feed.absence ?? .timeout))
    }
    unsent.removeAll(where: \.isFinished)
    for (number, question) in pending where question.isFinished {
      pending[number] = nil
      feed.abandon(number, of: question.method)
    }
  }

  private mutating func finish(_ answer: FeedAnswer) {
    guard let question = pending.removeValue(forKey: answer.request) else { return }
    question.finish(answer.result.mapError { $0 })
  }
}
