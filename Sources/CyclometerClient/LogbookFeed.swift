// Follows the events of the recorder.

package import LogbookWire
package import Time
import Wire

package struct LogbookEvents: FeedPartner {
  /// An event as it was received.
  package struct Item: Equatable, Sendable {
    package let event: LogbookEventRecord
    package let line: [UInt8]
  }

  package func socket(of endpoint: Endpoint) -> String { endpoint.logbookSocket }

  package func subscription(to record: ReceivedRecord, from path: String) throws(ClientError) -> [UInt8]? {
    guard record.recordClass == LogbookHelloRecord.className else { return nil }
    guard let greeting = LogbookHelloRecord(record.content), greeting.logbookVersion.hasPrefix("1.") else {
      throw .notUnderstood("\(path): what listens there is not a recorder of this version")
    }
    return try requestLine(limit: greeting.lineLimit) { $0.request(RequestID(1), LogbookSubscribeRequest()) }
  }

  package func item(of record: ReceivedRecord) -> Item? {
    guard record.recordClass == LogbookEventRecord.className else { return nil }
    return LogbookEventRecord(record.content).map { Item(event: $0, line: record.line) }
  }
}

package typealias LogbookFeed = PartnerFeed<LogbookEvents>

extension PartnerFeed<LogbookEvents> {
  package convenience init(of endpoint: Endpoint, at now: MonotonicTime) {
    self.init(LogbookEvents(), of: endpoint, at: now)
  }
}
