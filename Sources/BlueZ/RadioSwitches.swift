// rfkill: which adapters are blocked, by a key of the laptop or by `rfkill block`. The kernel
// reports every change to readers of /dev/rfkill, which needs no privilege. bluetoothd shows a
// blocked adapter as powered off; its PowerState property is experimental in some releases.

public import EventLoop
internal import Linux

public final class RadioSwitches {
  /// A switch changed, appeared or vanished.
  public var onChange: () -> Void = {}
  private var switches: [UInt32: Switch] = [:]
  private let names: String
  private var descriptor: FileDescriptorBox?
  private var watch: Watch?

  private struct Switch {
    let adapter: String
    let isBlocked: Bool
  }

  /// `device` is /dev/rfkill, `names` the directory /sys/class/rfkill. Without the device, as in a
  /// container, nothing is known about any adapter.
  public init(loop: EventLoop, device: String, names: String) {
    self.names = names
    guard let opened = try? Files.openForReading(device) else { return }
    let box = FileDescriptorBox(opened)
    descriptor = box
    watch = try? loop.watch(box.number, for: .readable) { [weak self] _ in self?.readEvents() }
    // The kernel first sends the current state of each switch.
    readEvents()
  }

  public func stop() {
    watch?.cancel()
    watch = nil
    descriptor = nil
  }

  /// `adapter` is its name, such as hci0. Nil if unknown.
  public func isBlocked(_ adapter: String) -> Bool? {
    switches.values.first { $0.adapter == adapter }?.isBlocked
  }

  private func readEvents() {
    guard let descriptor else { return }
    var hasChanged = false
    // Each read returns one event, cut to the size of the buffer. Newer kernels have longer events.
    var bytes = [UInt8](repeating: 0, count: SwitchEvent.size)
    do throws(SystemError) {
      while case .done(let count) = try readDescriptor(descriptor.number, into: &bytes) {
        // The device has no end of file, but a pipe that replaces it has.
        guard count == SwitchEvent.size else { return stop() }
        if let event = SwitchEvent(bytes) { hasChanged = note(event) || hasChanged }
      }
    } catch {
      stop()
    }
    if hasChanged { onChange() }
  }

  private func note(_ event: SwitchEvent) -> Bool {
    if event.isGone { return switches.removeValue(forKey: event.index) != nil }
    let known = switches[event.index]
    guard let adapter = known?.adapter ?? name(of: event.index) else { return false }
    switches[event.index] = Switch(adapter: adapter, isBlocked: event.isBlocked)
    return known?.isBlocked != event.isBlocked
  }

  private func name(of index: UInt32) -> String? {
    guard let text = try? Files.read("\(names)/rfkill\(index)/name") else { return nil }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").first.map(String.init)
  }
}

/// struct rfkill_event of linux/rfkill.h: index, type, operation, soft, hard.
private struct SwitchEvent {
  static let size = 8
  private static let bluetooth: UInt8 = 2
  private static let added: UInt8 = 0
  private static let removed: UInt8 = 1
  private static let changed: UInt8 = 2

  let index: UInt32
  let isGone: Bool
  let isBlocked: Bool

  /// Nil for other radios, and for operations on all switches of a type, which are also reported
  /// one by one.
  init?(_ bytes: [UInt8]) {
    guard bytes[4] == Self.bluetooth, Self.added...Self.changed ~= bytes[5] else { return nil }
    index = bytes[..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    isGone = bytes[5] == Self.removed
    isBlocked = bytes[6] != 0 || bytes[7] != 0
  }
}
