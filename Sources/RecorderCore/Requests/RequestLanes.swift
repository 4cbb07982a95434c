// Answers requests from slices of the work queue, so that no number of them delays a commit. The
// requests of a client are answered in their order.

import Logbook
import LogbookWire
import Serving
import Wire

final class RequestLanes {
  /// A client with more unanswered requests is refused.
  private static let limit = 256
  let queue: WorkQueue

  init(_ queue: WorkQueue) { self.queue = queue }

  /// The answer follows from `body`, which is called in a slice.
  func answer(
    _ asker: Asker, _ body: @escaping () throws(Refusal) -> Answer
  ) throws(Refusal) -> Answer {
    var answer = Answer.done
    let step = SingleStep { () throws(Refusal) in answer = try body() }
    return try self.answer(asker, after: step) { answer }
  }

  /// The answer follows when the work is done.
  func answer(
    _ asker: Asker, after work: any SlicedWork, _ result: @escaping () throws(Refusal) -> Answer
  ) throws(Refusal) -> Answer {
    guard let client = asker.client else { return .later }
    let lane = WorkLane.of(client)
    guard queue.count(in: lane) < Self.limit else {
      throw Refusal(.busy, "\(Self.limit) requests of this connection wait for an answer")
    }
    client.expectReply()
    queue.add(work, in: lane) { refusal in
      Self.finish(asker, refusal, result)
      asker.client?.didReply()
    }
    return .later
  }

  /// The same for work that is made in a slice of its own.
  func answer<Work: SlicedWork>(
    _ asker: Asker, making make: @escaping () throws(Refusal) -> Work, _ result: @escaping (Work) -> Answer
  ) throws(Refusal) -> Answer {
    let work = LateWork(make)
    return try answer(asker, after: work) { work.made.map(result) ?? .done }
  }

  /// The same for work that changes nothing. It is abandoned when its client is gone.
  func read<Work: SlicedWork>(
    _ asker: Asker, making make: @escaping () throws(Refusal) -> Work, _ result: @escaping (Work) -> Answer
  ) throws(Refusal) -> Answer {
    let work = LateWork(make)
    let whileWanted = AbandonableWork(work) { asker.client != nil }
    return try answer(asker, after: whileWanted) {
      if whileWanted.isAbandoned { .later } else { work.made.map(result) ?? .done }
    }
  }

  private static func finish(_ asker: Asker, _ refusal: Refusal?, _ result: () throws(Refusal) -> Answer) {
    if let refusal { return asker.refuse(refusal) }
    do throws(Refusal) {
      asker.answer(try result())
    } catch {
      asker.refuse(error)
    }
  }
}

private final class LateWork<Work: SlicedWork>: SlicedWork {
  private let make: () throws(Refusal) -> Work
  private(set) var made: Work?

  init(_ make: @escaping () throws(Refusal) -> Work) { self.make = make }

  func step() throws(Refusal) -> Bool {
    if let made { return try made.step() }
    made = try make()
    return true
  }
}
