// A request that arrived before the state of the radio was known. It waits, and can be cancelled
// like the operation that it will start.

import Wire

final class DeferredRequest: ClientOperation {
  private let id: RequestID
  private weak var client: Client?
  private var action: ((Client) throws(ErrorRecord) -> Void)?

  init(_ id: RequestID, of client: Client, _ action: @escaping (Client) throws(ErrorRecord) -> Void) {
    self.id = id
    self.client = client
    self.action = action
  }

  func run() {
    guard let action, let client else { return }
    self.action = nil
    client.operation = nil
    do throws(ErrorRecord) { try action(client) } catch { client.send(error) }
  }

  func cancel() {
    guard action != nil else { return }
    end()
    client?.operation = nil
    client?.send(ErrorRecord(id: id, .cancelled, "cancelled by this connection"))
  }

  func end() {
    action = nil
  }
}
