// Watches the progress of a connect through the controller's replies on a raw HCI socket.
// bluetoothd does not report it: Connect returns when the link is up or everything failed. Version
// 5.66 also drops an unbonded device after a failure without any reply.
//
// Linux needs two advertisements for a connect. It waits for one and sends LE Create Connection;
// then the controller waits for another, for at most 4 s. A cancel during the first wait never
// reaches the controller. A cancel after LE Create Connection can be too late. The controller then
// replies Command Disallowed, and the link may be up without the kernel's knowledge.
//
// The socket is only read on request. Events wait in it and wake nothing.

internal import CBluetooth
internal import Linux

public final class ConnectWitness {
  public enum Stage: Equatable, Sendable {
    /// The kernel waits for an advertisement, or its LE Create Connection has ended.
    case listening
    /// LE Create Connection was accepted and has not been cancelled.
    case creating
    /// A cancel got the reply Command Disallowed, because the link had just come up or failed.
    case tooLate
    /// The controller cannot be watched: there is no raw HCI socket or no such adapter.
    case unknown
  }

  private let read: (() -> [[UInt8]])?
  private var events: [ConnectEvent] = []
  /// How many events belong to attempts that had ended before the connect was cancelled.
  private var ended = 0

  /// Starts watching. `adapter` is the number in hci0.
  public init(on adapter: Int32) {
    let controller = ControllerEvents(
      [ConnectEvent.commandStatus, ConnectEvent.commandComplete], from: adapter)
    read = controller.map { controller in
      {
        var packets: [[UInt8]] = []
        _ = controller.drain { packet in packets.append(packet.indices.map { packet[$0] }) }
        return packets
      }
    }
  }

  /// `read` returns the packets since the last call; nil if the controller cannot be watched.
  public init(reading read: (() -> [[UInt8]])?) {
    self.read = read
  }

  public var stage: Stage {
    guard catchUp() else { return .unknown }
    switch events.last {
    case .created: return .creating
    case .cancelRefused: return .tooLate
    case .refused, .cancelled, nil: return .listening
    }
  }

  /// Also false if the controller cannot be watched.
  public func sawNoRoom() -> Bool {
    _ = catchUp()
    return events.contains { event in
      if case .refused(let status) = event { return ConnectEvent.isForWantOfRoom(status) }
      return false
    }
  }

  /// Call when the connect is cancelled. The kernel may have tried more than once: after 4 s it
  /// cancels by itself and waits again.
  public func cancelling() {
    guard catchUp() else { return }
    ended = max(ended, events.lastIndex(of: .cancelled).map { $0 + 1 } ?? 0)
  }

  /// Call when the link is up. If it ends soon, bluetoothd connects again by itself.
  public func linkIsUp() {
    guard catchUp() else { return }
    ended = events.count
  }

  /// Whether the cancel of the watched connect was too late. Events of later connects do not count.
  /// Linux can also send the cancel before the LE Create Connection that it has queued.
  public func sawLateCancel() -> Bool {
    guard catchUp() else { return false }
    let own = events[ended...]
    return own.contains(.created) && own.first { $0 == .cancelled || $0 == .cancelRefused } == .cancelRefused
  }

  private func catchUp() -> Bool {
    guard let read else { return false }
    events += read().compactMap { ConnectEvent($0.span) }
    return true
  }
}

/// The controller's reply to a connect command: Core 5.4, volume 4, part E, 7.7.14, 7.7.15, 7.8.12,
/// 7.8.13, 7.8.66.
enum ConnectEvent: Equatable {
  /// LE Create Connection or its extended form was accepted.
  case created
  case refused(UInt8)
  case cancelled
  /// LE Create Connection Cancel: Command Disallowed.
  case cancelRefused

  static let commandComplete: UInt8 = 0x0e
  static let commandStatus: UInt8 = 0x0f
  private static let create: UInt16 = 0x200d
  private static let createExtended: UInt16 = 0x2043
  private static let cancel: UInt16 = 0x200e
  private static let commandDisallowed: UInt8 = 0x0c

  /// Nil for any other packet.
  init?(_ packet: Span<UInt8>) {
    guard packet.count >= 7, packet[0] == ControllerEvents.packet else { return nil }
    func command(at index: Int) -> UInt16 { UInt16(packet[index]) | UInt16(packet[index + 1]) << 8 }
    switch packet[1] {
    case Self.commandStatus where command(at: 5) == Self.create || command(at: 5) == Self.createExtended:
      self = packet[3] == 0 ? .created : .refused(packet[3])
    case Self.commandComplete where command(at: 4) == Self.cancel:
      self = packet[6] == Self.commandDisallowed ? .cancelRefused : .cancelled
    default:
      return nil
    }
  }

  /// Memory exceeded, connection limit exceeded, limited resources.
  static func isForWantOfRoom(_ status: UInt8) -> Bool { [0x07, 0x09, 0x0d].contains(status) }
}

/// Whether the kernel has a link to a sensor; nil if unknown.
public enum KernelLinks {
  public static func has(_ address: String, on adapter: Int32) -> Bool? {
    guard let socket = ControllerEvents([ConnectEvent.commandStatus], from: adapter) else { return nil }
    // The pointer is only used within the call.
    return unsafe cyclometer_link_handle(socket.number, address) >= 0
  }
}
