// The notifications of one characteristic, through a descriptor or as signals.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Linux
import Radio
import Time

final class BlueZSubscription {
  let endpoint: Endpoint
  let characteristic: Characteristic
  /// The sensor waits for a confirmation of each value, which BlueZ sends.
  let isIndicated: Bool
  /// A descriptor that hung up while the link stayed is acquired only once more.
  private var wasAcquiredAgain = false
  private(set) var descriptor: FileDescriptorBox?
  private var watch: Watch?
  private var valueMatch: Match?
  /// When signals began, if a descriptor is to replace them later.
  private var signalsSince: MonotonicTime?
  /// False once a descriptor was refused.
  private var canSwitch = true
  private var lastSignal: (value: [UInt8], at: MonotonicTime)?

  /// With several clients, bluetoothd 5.66 signals each value once per client, shortly after each
  /// other.
  private static let echoTime = Duration.milliseconds(100)

  init(_ endpoint: Endpoint, _ characteristic: Characteristic) {
    self.endpoint = endpoint
    self.characteristic = characteristic
    isIndicated = !characteristic.flags.contains(BlueZName.Flag.notify)
  }

  func attach(
    _ descriptor: FileDescriptorBox, to loop: EventLoop, _ ready: @escaping (Interest) -> Void
  ) throws(SystemError) {
    watch = try loop.watch(descriptor.number, for: .readable, ready)
    self.descriptor = descriptor
  }

  func isEcho(_ value: [UInt8], at now: MonotonicTime) -> Bool {
    if let lastSignal, lastSignal.value == value, now - lastSignal.at < Self.echoTime { return true }
    lastSignal = (value, now)
    return false
  }

  /// Returns false if that was done before.
  func acquireAgain() -> Bool {
    defer { wasAcquiredAgain = true }
    return !wasAcquiredAgain
  }

  func watchSignals(_ received: @escaping ([UInt8]) -> Void) {
    if valueMatch == nil { valueMatch = characteristic.watchValue(received) }
  }

  /// A descriptor was refused.
  func keepSignals() { canSwitch = false }

  func signalsBegan(at now: MonotonicTime) {
    if !isIndicated, canSwitch { signalsSince = now }
  }

  /// Whether signals have come for this long and are to be replaced now.
  func endsSignals(at now: MonotonicTime, after time: Duration) -> Bool {
    guard let since = signalsSince, now - since >= time else { return false }
    signalsSince = nil
    return true
  }

  func detach() {
    watch?.cancel()
    watch = nil
    descriptor = nil
  }

  /// Does not call StopNotify: another program has acquired the notifications, and that would end
  /// them.
  func forgetSignals() {
    valueMatch?.cancel()
    valueMatch = nil
  }

  func end() {
    detach()
    guard valueMatch != nil else { return }
    forgetSignals()
    // BlueZ keeps subscriptions by signal after the link ends, and would reject the next
    // StartNotify.
    characteristic.stopNotify { _ in }
  }
}
