// Follows the events of the recorder for a program that waits for other things too. It never waits:
// the program waits for data on `number` and for `deadline`.
//
// A missing recorder is not an error. It is looked for when the program says so, and, once it was
// there, whenever it may have returned.

package import LogbookWire
package import Time
import Wire

package final class LogbookFeed {
  /// An event as it was received.
  package struct Item: Equatable, Sendable {
    package let event: LogbookEventRecord
    package let line: [UInt8]
  }

  /// When to connect again; nil for not by itself.
  package private(set) var deadline: MonotonicTime?

  private let path: String
  private var stream: RecordStream?
  private var opened: MonotonicTime
  private var backOff = BackOff()
  private var hasFollowed = false

  /// Does nothing before `connect`.
  package init(of endpoint: Endpoint, at now: MonotonicTime) {
    path = endpoint.logbookSocket
    opened = now
  }

  /// The open socket's descriptor; negative without one.
  package var number: Int32 { stream?.number ?? -1 }

  /// Looks for the recorder, unless it is there.
  package func connect(at now: MonotonicTime) {
    guard stream == nil else { return }
    (deadline, opened) = (nil, now)
    do throws(ClientError) {
      stream = RecordStream(try ClientSocket(path: path))
    } catch {
      lose(at: now)
    }
  }

  /// The next event that has arrived; nil if there is none at present.
  package func next(at now: MonotonicTime) -> Item? {
    if let deadline, now >= deadline { connect(at: now) }
    do throws(ClientError) {
      while let record = try stream?.next(until: now) {
        if let item = try item(of: record, at: now) { return item }
      }
    } catch {
      lose(at: now)
    }
    return nil
  }

  private func item(of record: ReceivedRecord, at now: MonotonicTime) throws(ClientError) -> Item? {
    switch record.recordClass {
    case LogbookHelloRecord.className: try subscribe(to: record, at: now)
    case LogbookEventRecord.className:
      return LogbookEventRecord(record.content).map { Item(event: $0, line: record.line) }
    case "error": throw record.refusal
    default: break
    }
    return nil
  }

  private func subscribe(to record: ReceivedRecord, at now: MonotonicTime) throws(ClientError) {
    guard let greeting = LogbookHelloRecord(record.content), greeting.logbookVersion.hasPrefix("1.") else {
      throw .notUnderstood("\(path): what listens there is not a recorder of this version")
    }
    let line = try requestLine(limit: greeting.lineLimit) { $0.request(RequestID(1), LogbookSubscribeRequest()) }
    // An empty socket has room for a line.
    try stream?.send(line.span, until: now)
    hasFollowed = true
  }

  private func lose(at now: MonotonicTime) {
    if stream != nil { backOff.connectionLasted(now - opened) }
    stream = nil
    if hasFollowed { deadline = now + backOff.next() }
  }
}
