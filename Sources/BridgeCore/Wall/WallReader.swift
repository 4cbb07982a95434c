// A client that reads a wall. It gets the next lines when its socket has taken the last ones, and then
// the newest of everything: nothing is queued for a slow client.

import Fleet
import FleetWire
import JSON
import Serving
import Wire

final class WallReader: ClientOperation {
  /// So much is written at once.
  private static let pieceSize = 32 << 10

  private let filter: WallFilter
  let wish: WallWish
  private weak var client: Client?
  private unowned let wall: Wall
  private var position = WallPosition()
  /// Whether the socket has not taken everything yet.
  private var isWriting = false

  init(_ request: WallRequest, _ client: Client, of wall: Wall) {
    (self.client, self.wall) = (client, wall)
    filter = WallFilter(groups: request.groups, kinds: request.kinds)
    wish = WallWish(kinds: request.kinds, hz: request.hz ?? 1)
  }

  func begin(at position: WallPosition, _ broker: BrokerReply) {
    self.position = position
    send(broker)
    sendChanges()
  }

  func send(_ broker: BrokerReply) {
    var writer = JSONWriter()
    writer.line(BrokerRecord(broker))
    client?.sendUncharged(line: writer.bytes)
  }

  func sendChanges() {
    guard !isWriting, let client else { return }
    var lines: [UInt8] = []
    let lacksSnapshot = !position.hasSnapshot
    _ = wall.write(filter, after: &position, into: &lines, atMost: Self.pieceSize)
    if lacksSnapshot, position.hasSnapshot {
      var writer = JSONWriter()
      writer.line(SnapshotEndedRecord())
      lines += writer.bytes
    }
    guard !lines.isEmpty else { return }
    isWriting = true
    client.sendUncharged(line: lines)
  }

  func didDrain() {
    isWriting = false
    sendChanges()
  }

  func cancel() { end() }

  func end() { wall.remove(self) }
}
