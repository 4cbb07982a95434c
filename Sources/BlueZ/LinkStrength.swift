// Reads the signal strength of a link. bluetoothd only reports it for advertisements, but the
// controller also returns it for a link, through a raw HCI socket that needs no privilege. The
// socket is closed after each reading, so that nothing wakes the daemon in between.

internal import CBluetooth
public import EventLoop
internal import Linux

public final class LinkStrength {
  private let loop: EventLoop
  private var readings: [Reading] = []

  public init(loop: EventLoop) {
    self.loop = loop
  }

  /// In dBm; nil if there is no such link or no reply. `done` is never called from within this
  /// call. `adapter` is the number in hci0; the address is written as in BlueZ.
  public func read(_ address: String, on adapter: Int32, _ done: @escaping (Int?) -> Void) {
    let reading = Reading(of: address, on: adapter, loop: loop)
    readings.append(reading)
    reading.ended = { [weak self, unowned reading] strength in
      self?.readings.removeAll { $0 === reading }
      done(strength)
    }
  }
}

private final class Reading {
  var ended: (Int?) -> Void = { _ in }
  private let controller: ControllerEvents?
  private var handle: UInt16?
  private var watch: Watch?
  private var deadline: Deadline?

  /// Controllers reply within milliseconds.
  private static let timeout = Duration.milliseconds(300)

  init(of address: String, on adapter: Int32, loop: EventLoop) {
    controller = ControllerEvents([RSSIAnswer.event], of: RSSIAnswer.readRSSI, from: adapter)
    // The pointer is only used within the call.
    if let controller { handle = unsafe UInt16(exactly: cyclometer_link_handle(controller.number, address)) }
    guard let controller, let handle, cyclometer_rssi_ask(controller.number, handle) == 0 else {
      deadline = loop.schedule(after: .zero) { [weak self] in self?.end(nil) }
      return
    }
    watch = try? loop.watch(controller.number, for: .readable) { [weak self] _ in self?.readEvents() }
    deadline = loop.schedule(after: Self.timeout) { [weak self] in self?.end(nil) }
  }

  private func readEvents() {
    var answer: RSSIAnswer?
    let isOpen = controller?.drain { packet in
      if let reply = RSSIAnswer(packet), reply.handle == handle { answer = reply }
    }
    if let answer { end(answer.dBm) } else if isOpen != true { end(nil) }
  }

  private func end(_ strength: Int?) {
    deadline?.cancel()
    watch?.cancel()
    ended(strength)
  }
}

/// The controller's reply to Read RSSI: Core 5.4, volume 4, part E, 7.5.4. Other programs use the
/// command too, so a reply may be about a different link.
struct RSSIAnswer: Equatable {
  let handle: UInt16
  /// Nil if the controller does not know it.
  let dBm: Int?

  fileprivate static let event: UInt8 = 0x0e
  fileprivate static let readRSSI: UInt16 = 0x1405
  private static let unknown: Int8 = 127

  /// Nil for any other packet.
  init?(_ packet: Span<UInt8>) {
    guard packet.count >= 10, packet[0] == ControllerEvents.packet, packet[1] == Self.event,
      UInt16(packet[4]) | UInt16(packet[5]) << 8 == Self.readRSSI
    else { return nil }
    handle = UInt16(packet[7]) | UInt16(packet[8] & 0x0f) << 8
    let strength = Int8(bitPattern: packet[9])
    dBm = packet[6] == 0 && strength != Self.unknown ? Int(strength) : nil
  }
}
