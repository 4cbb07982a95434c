// Some of the controller's events, read through a raw HCI socket. These kinds need no privilege.

internal import CBluetooth
internal import Linux

final class ControllerEvents {
  private let descriptor: FileDescriptorBox

  /// The packet type, which is the first byte of each event.
  static let packet: UInt8 = 0x04
  private static let longestPacket = 260

  /// Reads events of one or two kinds. `command` restricts them to one command; 0 means all. Nil if
  /// there is no such adapter or no Bluetooth.
  init?(_ events: [UInt8], of command: UInt16 = 0, from adapter: Int32) {
    guard let first = events.first, let last = events.last else { return nil }
    let number = cyclometer_hci_open(adapter, Int32(first), Int32(last), command)
    guard number >= 0 else { return nil }
    descriptor = FileDescriptorBox(FileDescriptor(owning: number))
  }

  var number: Int32 { descriptor.number }

  /// Reads everything that has arrived. Returns false if there will be no more.
  func drain(_ handle: (Span<UInt8>) -> Void) -> Bool {
    var packet = [UInt8](repeating: 0, count: Self.longestPacket)
    do throws(SystemError) {
      while case .done(let count) = try readDescriptor(descriptor.number, into: &packet) {
        guard count > 0 else { return false }
        let bytes = packet.span
        handle(bytes.extracting(..<count))
      }
      return true
    } catch {
      return false
    }
  }
}
