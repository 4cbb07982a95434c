// The transfers under way: how many there are in all, and their numbers.

import LogbookWire
import Serving
import Wire

final class TransferTable {
  static let limit = 8
  /// A transfer that does not move for this long is dropped.
  static let timeout = Duration.seconds(60)

  private var lastNumber = 0
  private var numbers: Set<Int> = []

  /// Refuses a second transfer of a connection, and the ninth of all.
  func open(for client: Client) throws(Refusal) -> Int {
    guard client.operation == nil else { throw Refusal(.busy, "this connection has a transfer already") }
    guard numbers.count < Self.limit else {
      throw Refusal(reached: .transfers, "\(Self.limit) transfers are under way; try again later")
    }
    lastNumber += 1
    numbers.insert(lastNumber)
    return lastNumber
  }

  func close(_ number: Int) { numbers.remove(number) }
}
