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

  func detach() {
    watch?.cancel()
    watch = nil
    descriptor = nil
  }

  func end() {
    detach()
    guard let valueMatch else { return }
    valueMatch.cancel()
    self.valueMatch = nil
    // Sessions by signals survive the link in BlueZ, and the next StartNotify would be refused.
    characteristic.stopNotify { _ in }
  }
}
