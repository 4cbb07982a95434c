// What a connection has under way: at most one at a time.

/// A lengthy operation that belongs to one client: a scan, a pairing, a capture, the transfer of a
/// file.
package protocol ClientOperation: AnyObject {
  /// Ends the operation at the client's request and reports the outcome.
  func cancel()
  /// Ends the operation without a report.
  func end()
  /// The socket took everything that was queued for the client, so there is room for more.
  func didDrain()
}

extension ClientOperation {
  package func didDrain() {}
}
