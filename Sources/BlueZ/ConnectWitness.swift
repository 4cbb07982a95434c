// Whether a controller refused a connect because it can hold no more. bluetoothd 5.66 says nothing of it: it drops an unbonded
// device at any failure, and its Connect is never answered. Nothing is woken for it: what the controller said waits in
// the socket until somebody wants to know.

internal import Linux

public final class ConnectWitness {
  private let events: ControllerEvents?

  /// From now on. `adapter` is the number in hci0.
  public init(on adapter: Int32) {
    events = ControllerEvents(RefusedConnect.event, from: adapter)
  }

  /// Since the last question. False also where nobody can know.
  public func sawNoRoom() -> Bool {
    var saw = false
    _ = events?.drain { packet in
      if let refused = RefusedConnect(packet), refused.isForWantOfRoom { saw = true }
    }
    return saw
  }
}

/// The status of a command, where it is that of a connect: Core 5.4, volume 4, part E, 7.7.15.
struct RefusedConnect: Equatable {
  let status: UInt8

  static let event: UInt8 = 0x0f
  private static let createConnection: UInt16 = 0x200d
  private static let createExtendedConnection: UInt16 = 0x2043
  private static let memoryExceeded: UInt8 = 0x07
  private static let limitExceeded: UInt8 = 0x09
  private static let limitedResources: UInt8 = 0x0d

  /// Nil for another packet, and for a connect that was accepted.
  init?(_ packet: Span<UInt8>) {
    guard packet.count >= 7, packet[0] == ControllerEvents.packet, packet[1] == Self.event, packet[3] != 0 else {
      return nil
    }
    let command = UInt16(packet[5]) | UInt16(packet[6]) << 8
    guard command == Self.createConnection || command == Self.createExtendedConnection else { return nil }
    status = packet[3]
  }

  var isForWantOfRoom: Bool {
    [Self.memoryExceeded, Self.limitExceeded, Self.limitedResources].contains(status)
  }
}
