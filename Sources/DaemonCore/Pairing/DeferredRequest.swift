// A request that arrived before the state of the radio was known. It waits, and can be cancelled
// like the operation that it will start.

import Serving
import Wire

final class DeferredRequest: ClientOperation {
  private let asker: Asker
  private var action: Action?

  typealias Action = (Client) throws(Refusal) -> Answer

  init(of asker: Asker, _ action: @escaping Action) {
    self.asker = asker
    self.action = action
  }

  func run() {
    guard let action, let client = asker.client else { return }
    self.action = nil
    client.endOperation()
    do throws(Refusal) { asker.answer(try action(client)) } catch { asker.refuse(error) }
  }

  func cancel() {
    guard action != nil else { return }
    end()
    asker.client?.endOperation()
    asker.refuse(Refusal(.cancelled, "cancelled by this connection"))
  }

  func end() {
    action = nil
  }
}
