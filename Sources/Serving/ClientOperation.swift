// What a connection has under way: at most one scan, pairing or capture at a time.

/// A lengthy operation that belongs to one client: a scan, a pairing or a capture.
package protocol ClientOperation: AnyObject {
  /// Ends the operation at the client's request and reports the outcome.
  func cancel()
  /// Ends the operation without a report.
  func end()
}
