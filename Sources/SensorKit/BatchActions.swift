// Actions that a plugin requests in a batch. The session performs them in order, and the results
// arrive as packets.

public import Vocabulary

extension Batch {
  /// An operation on the link.
  public struct Action: Sendable {
    public enum Verb: Sendable { case subscribe, read, write, writeWithoutResponse }
    public let verb: Verb
    public let service: BluetoothUUID
    public let characteristic: BluetoothUUID
    /// The range of the bytes to write; see `value(of:)`.
    public let value: Range<Int>
  }
}

extension Batch {
  public mutating func subscribe(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    request(.subscribe, service, characteristic, 0..<0)
  }

  public mutating func read(_ service: BluetoothUUID, _ characteristic: BluetoothUUID) {
    request(.read, service, characteristic, 0..<0)
  }

  public mutating func write(
    _ value: Span<UInt8>, to service: BluetoothUUID, _ characteristic: BluetoothUUID, withResponse: Bool = true
  ) {
    guard let range = store(value) else { return }
    request(withResponse ? .write : .writeWithoutResponse, service, characteristic, range)
  }

  private mutating func request(
    _ verb: Action.Verb, _ service: BluetoothUUID, _ characteristic: BluetoothUUID, _ value: Range<Int>
  ) {
    guard actions.count < Capacity.actions else { return overflow() }
    actions.append(Action(verb: verb, service: service, characteristic: characteristic, value: value))
    taken.actions = actions.count
  }
}
