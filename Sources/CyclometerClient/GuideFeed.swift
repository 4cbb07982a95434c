// Follows the samples of the guide.

package import Time
package import Wire

package struct GuideSamples: FeedPartner {
  let subscription: Subscription

  package func socket(of endpoint: Endpoint) -> String { endpoint.guideSocket }

  package func subscription(to record: ReceivedRecord, from path: String) throws(ClientError) -> [UInt8]? {
    guard record.recordClass == HelloRecord.className else { return nil }
    let greeting = try record.guideGreeting(from: path)
    return try requestLine(limit: greeting.lineLimit) { $0.request(RequestID(1), .subscribe(subscription.filter)) }
  }

  /// Samples, and reports of lost ones.
  package func item(of record: ReceivedRecord) -> ReceivedRecord? {
    switch record.message {
    case .sample, .lag: record
    default: nil
    }
  }
}

package typealias GuideFeed = PartnerFeed<GuideSamples>

extension PartnerFeed<GuideSamples> {
  /// With `isAwaited`, a guide that was never there is looked for, too.
  package convenience init(
    _ subscription: Subscription, of endpoint: Endpoint, isAwaited: Bool, at now: MonotonicTime
  ) {
    self.init(GuideSamples(subscription: subscription), of: endpoint, isAwaited: isAwaited, at: now)
  }
}

extension Endpoint {
  package var guideSocket: String { socketBeside("guide.sock") }
}

extension ClientError {
  package var ofGuide: String { of("guide") }
}

extension ReceivedRecord {
  package func guideGreeting(from path: String) throws(ClientError) -> HelloRecord {
    try greeting(of: "guide", from: path)
  }
}
