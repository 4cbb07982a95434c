// Follows what the bridge reads of other receivers.

import CyclometerClient
import FleetWire
import Wire

struct WallRecords: FeedPartner {
  let request: WallRequest

  func socket(of endpoint: Endpoint) -> String { endpoint.bridgeSocket }

  func subscription(to record: ReceivedRecord, from path: String) throws(ClientError) -> [UInt8]? {
    guard record.recordClass == HelloRecord.className else { return nil }
    let greeting = try record.greeting(of: "bridge", from: path)
    return try requestLine(limit: greeting.lineLimit) { $0.request(RequestID(1), request) }
  }

  func item(of record: ReceivedRecord) -> ReceivedRecord? { record.recordClass == "reply" ? nil : record }
}

typealias WallFeed = PartnerFeed<WallRecords>
