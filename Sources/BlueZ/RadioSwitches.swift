// rfkill: which adapters are blocked, by a key of the laptop or by `rfkill block`. The kernel tells every change to whoever reads
// /dev/rfkill, which needs no privilege. bluetoothd shows a blocked adapter as one that is off; releases that show more do it
// as an experiment.

public import EventLoop
internal import Linux

public final class RadioSwitches {
  /// Something was blocked or unblocked, came or went.
  public var onChange: () -> Void = {}
  private var switches: [UInt32: Switch] = [:]
  private let names: String
  private var descriptor: FileDescriptorBox?
  private var watch: Watch?

  private struct Switch {
    let adapter: String
    let isBlocked: Bool
  }

  /// `device` is /dev/rfkill, `names` the folder /sys/class/rfkill. Without the device, as in a container, nothing is known of
  /// any adapter.
  public init(loop: EventLoop, device: String, names: String) {
    self.names = names
    guard let opened = try? Files.openForReading(device) else { return }
    let box = FileDescriptorBox(opened)
    descriptor = box
    watch = try? loop.watch(box.number, for: .readable) { [weak self] _ in self?.hear() }
    // What there is is told first.
    hear()
  }

  public func stop() {
    watch?.cancel()
    watch = nil
    descriptor = nil
  }

  /// `adapter` is its name, hci0; nil where nobody says.
  public func isBlocked(_ adapter: String) -> Bool? {
    switches.values.first { $0.adapter == adapter }?.isBlocked
  }

  private func hear() {
    guard let descriptor else { return }
    var hasChanged = false
    // A read gives one event, and no more of it than there is room for: later kernels' are longer.
    var bytes = [UInt8](repeating: 0, count: SwitchEvent.size)
    do throws(SystemError) {
      while case .done(let count) = try readDescriptor(descriptor.number, into: &bytes) {
        // The device has no end; a pipe in its place has.
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

  /// Nil for what is about other radios, or about all of a sort at once, which is told of each too.
  init?(_ bytes: [UInt8]) {
    guard bytes[4] == Self.bluetooth, Self.added...Self.changed ~= bytes[5] else { return nil }
    index = bytes[..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    isGone = bytes[5] == Self.removed
    isBlocked = bytes[6] != 0 || bytes[7] != 0
  }
}
