// Links that a controller keeps although the kernel has lost them: a cancel came just as the
// connect completed. The sensor believes that it is connected and never advertises again. No
// unprivileged process can end such a link.
//
// Invariant: a link that bluetoothd or the kernel knows is used, or ended with Disconnect. Any
// other is reported to the sensor's session, and the adapter is reset: switched off and on. The
// reset waits until the adapter has no other link; for a radar it waits for a limited time only.

internal import BlueZ
internal import EventLoop
internal import Linux
import Radio
import Time
import Wire

final class LostLinks {
  /// The reset for a missing radar does not wait longer than this for other links to end.
  static let longestForRadar = Duration.seconds(30)

  private unowned let radio: BlueZSensorRadio
  private var lost: [LostLink] = []
  /// Pending while a link is lost and an adapter was told to switch off.
  private var retry: Deadline?

  /// A cancelled connect, and the witness of the controller's events.
  struct Cancelled {
    let address: DeviceAddress
    let path: String
    let isUrgent: Bool
    let witness: ConnectWitness
  }

  private struct LostLink {
    let address: DeviceAddress
    let adapter: KnownAdapter
    /// From then on the adapter is reset even if it has other links.
    var resetsInAnyCase: MonotonicTime?
  }

  /// The kernel waits up to 2 s for a controller's answer; most answer within milliseconds.
  private static let answerTime = Duration.seconds(1)
  /// How often to check the kernel's list while bluetoothd does not know the link yet.
  private static let looks = 3
  /// A link that came up after all is disconnected unless it is used within this time.
  private static let useTime = Duration.seconds(3)
  /// An adapter that did not switch off is told again after this time.
  private static let retryTime = Duration.seconds(120)
  private static let detail =
    "the controller connected it while the connect was cancelled, and the kernel does not know that link"

  init(_ radio: BlueZSensorRadio) {
    self.radio = radio
  }

  /// A connect ended without a link.
  func watch(_ cancelled: Cancelled) {
    reportAgain(cancelled.address)
    judge(cancelled, looksLeft: Self.looks)
  }

  /// It advertises or is connected.
  func advertised(_ address: DeviceAddress) {
    if !lost.isEmpty { remove { $0.address == address } }
  }

  /// It was absent, perhaps only because bluetoothd was, and kept its power. The controller may
  /// still have its links.
  func cameBack(_ adapter: KnownAdapter) {
    for link in lost where link.adapter === adapter { reportAgain(link.address) }
    resetIdleAdapters()
  }

  /// Switching off resets the controller.
  func wentOff(_ adapter: KnownAdapter) {
    remove { $0.adapter === adapter }
  }

  private func remove(_ isFound: (LostLink) -> Bool) {
    lost.removeAll(where: isFound)
    if lost.isEmpty { retry?.cancel() }
  }

  func forgetAll() {
    retry?.cancel()
    lost = []
  }

  /// A link has ended, perhaps the last one of its adapter.
  func resetIdleAdapters() {
    for link in lost where !isInUse(link.adapter) { reset(link.adapter) }
  }
}

extension LostLinks {
  private func judge(_ cancelled: Cancelled, looksLeft: Int) {
    radio.loop.schedule(after: Self.answerTime) { [weak self] in
      guard let self, cancelled.witness.sawLateCancel() else { return }
      let device = radio.tree.device(at: cancelled.path)
      if device.isConnected { return use(cancelled, device) }
      guard let adapter = radio.adapterKeeper.adapter(of: cancelled.path), adapter.shown.state == .on else { return }
      if looksLeft > 0, radio.kernelHasLink(to: cancelled.address, on: adapter) {
        return judge(cancelled, looksLeft: looksLeft - 1)
      }
      record(cancelled, on: adapter)
    }
  }

  /// A session that still needs the sensor adopts the link; otherwise it is disconnected.
  private func use(_ cancelled: Cancelled, _ device: Device) {
    radio.reportIfPresent(device.path)
    radio.loop.schedule(after: Self.useTime) { [weak self] in
      guard let self, device.isConnected, !radio.links.contains(where: { $0.address == cancelled.address }) else {
        return
      }
      device.disconnect(timeout: BlueZLink.disconnectTime) { _ in }
    }
  }

  private func record(_ cancelled: Cancelled, on adapter: KnownAdapter) {
    guard !lost.contains(where: { $0.address == cancelled.address }) else { return }
    var link = LostLink(address: cancelled.address, adapter: adapter)
    if cancelled.isUrgent {
      let time = Self.longestForRadar
      link.resetsInAnyCase = radio.loop.now + time
      radio.loop.schedule(after: time) { [weak self] in self?.resetAdapters() }
    }
    lost.append(link)
    radio.delegate?.radio(keepsLostLinkTo: cancelled.address, detail: Self.detail)
    if !isInUse(adapter) { reset(adapter) }
  }

  private func resetAdapters() {
    for link in lost where link.resetsInAnyCase.map({ $0 <= radio.loop.now }) == true { reset(link.adapter) }
    resetIdleAdapters()
  }

  private func reportAgain(_ address: DeviceAddress) {
    guard lost.contains(where: { $0.address == address }) else { return }
    radio.loop.schedule(after: .zero) { [weak self] in
      guard let self, lost.contains(where: { $0.address == address }) else { return }
      radio.delegate?.radio(keepsLostLinkTo: address, detail: Self.detail)
    }
  }

  private func isInUse(_ adapter: KnownAdapter) -> Bool {
    guard let path = adapter.path else { return false }
    let prefix = path + "/"
    return radio.tree.devices.contains { $0.path.hasPrefix(prefix) && $0.isConnected }
      || radio.links.contains { $0.path.hasPrefix(prefix) && $0.isPastConnecting }
  }

  private func reset(_ adapter: KnownAdapter) {
    radio.adapterKeeper.reset(adapter, because: "keeps a link that the kernel does not know")
    guard radio.adapterKeeper.powersOn, adapter.shown.state == .on, retry?.isPending != true else { return }
    retry = radio.loop.schedule(after: Self.retryTime) { [weak self] in self?.resetAdapters() }
  }
}
