// One characteristic's notifications, through a descriptor or as signals.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Linux

final class BlueZSubscription {
  let endpoint: Endpoint
  let characteristic: Characteristic
  /// The sensor waits for each value's confirmation, which BlueZ sends.
  let isIndicated: Bool
  /// A descriptor that hung up while the link stayed is asked for once more.
  var wasAcquiredAgain = false
  private(set) var descriptor: FileDescriptorBox?
  private var watch: Watch?
  var valueMatch: Match?
  /// Since when it is notified by signals, where a descriptor is wanted later.
  var signalsSince: BootTime?
  /// Until a descriptor was refused.
  var mayGoOver = true
  private var lastSignal: (value: [UInt8], at: BootTime)?

  /// With several clients bluetoothd 5.66 signals each value once for each of them, one signal soon after the other.
  private static let echoTime = Duration.milliseconds(100)

  init(_ endpoint: Endpoint, _ characteristic: Characteristic) {
    self.endpoint = endpoint
    self.characteristic = characteristic
    isIndicated = !characteristic.flags.contains(BlueZ.Flag.notify)
  }

  func attach(
    _ descriptor: FileDescriptorBox, to loop: EventLoop, _ ready: @escaping (Interest) -> Void
  ) throws(SystemError) {
    watch = try loop.watch(descriptor.number, for: .readable, ready)
    self.descriptor = descriptor
  }

  func isEcho(_ value: [UInt8], at now: BootTime) -> Bool {
    if let lastSignal, lastSignal.value == value, now - lastSignal.at < Self.echoTime { return true }
    lastSignal = (value, now)
    return false
  }

  func detach() {
    watch?.cancel()
    watch = nil
    descriptor = nil
  }

  /// Another program has acquired the notifications: StopNotify would end them.
  func forgetSignals() {
    valueMatch?.cancel()
    valueMatch = nil
  }

  func end() {
    detach()
    guard valueMatch != nil else { return }
    forgetSignals()
    // Sessions by signals survive the link in BlueZ, and the next StartNotify would be refused.
    characteristic.stopNotify { _ in }
  }
}
