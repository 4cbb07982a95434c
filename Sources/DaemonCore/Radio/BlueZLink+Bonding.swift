// Bonding with a sensor that speaks only to those it is bonded with.
//
// As a rule bluetoothd bonds by itself when a sensor refuses what it is asked, and asks the default agent: ours, unless
// somebody else has one. Where that comes to nothing, the next link begins with Pair, and then it is ours that is asked.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Wire

extension BlueZLink {
  struct Bonding {
    var isAllowed = false
    /// bluetoothd has asked our agent something of this sensor.
    var wasAsked = false
    var patience: Deadline?
    /// AcquireNotify of a sensor without a bond has not been answered.
    var isUnanswered = false
  }

  /// The protocol gives each step 30 s, and the user sits in the middle of it.
  static let longestBonding = Duration.seconds(60)
  /// Through 5.77 AcquireNotify is never answered when the bonding that it needs has failed.
  private static let patience = Duration.seconds(6)

  var mayBond: Bool {
    get { bonding.isAllowed }
    set {
      guard newValue != bonding.isAllowed else { return }
      bonding.isAllowed = newValue
      radio?.bondingChanged()
    }
  }

  var isUnbonded: Bool { mayBond && !device.isPaired }

  /// Not on this link: 5.66 never answers a Pair that comes after a bonding of bluetoothd's own, and does not let go of a
  /// characteristic that it failed to subscribe to.
  func bond() {
    guard phase == .open else { return }
    guard !device.isPaired else {
      let error = BusError(.bluezAlreadyExists, "BlueZ has a bond")
      return later { self.lose(LinkFailure(bonding: error, isBonded: true)) }
    }
    radio?.bondsToMake.insert(address)
    later { self.lose(LinkFailure(.connectingFailed, "it wants a bond, and is connected anew for it")) }
  }

  var mustBondFirst: Bool { isUnbonded && radio?.bondsToMake.contains(address) == true }

  func bondFirst(_ bonded: @escaping () -> Void) {
    track(
      device.pair(timeout: Self.longestBonding) { [weak self] result in
        guard let self else { return }
        radio?.bondsToMake.remove(address)
        switch result {
        case .success: bonded()
        case .failure(let error): lose(LinkFailure(bonding: error, isBonded: error.name == .bluezAlreadyExists))
        }
      })
  }

  /// Gives up, unless the user is still being asked.
  func whenUnanswered(_ giveUp: @escaping (LinkFailure) -> Void) {
    bonding.isUnanswered = true
    bonding.patience?.cancel()
    bonding.patience = loop.schedule(after: Self.patience) { [weak self] in
      guard let self, phase == .open else { return }
      if radio?.isAsking(about: address) == true { return whenUnanswered(giveUp) }
      giveUp(LinkFailure(.bondLost, "it wants a bond: no answer to AcquireNotify", needsUser: true, needsBond: true))
    }
  }

  /// Where AcquireNotify was left without an answer, 5.66 calls the characteristic acquired for as long as it has the
  /// device. One without a bond and a link it would drop by itself 30 s after it was last heard.
  func cleanUp(_ done: @escaping () -> Void) {
    let isLeftOver = bonding.isUnanswered && device.isPresent && !device.isPaired && !device.isConnected
    guard isLeftOver, let adapter = device.adapterPath else { return done() }
    tree.adapter(at: adapter).removeDevice(device) { _ in done() }
  }

  func wasAnswered() {
    bonding.isUnanswered = false
    bonding.patience?.cancel()
  }

  func userRefused() {
    later {
      self.lose(LinkFailure(.connectingFailed, "bonding failed: it was refused here", needsUser: true))
    }
  }

  /// A link that ends in the middle of a bonding ends because of it: BlueZ says no more than that.
  func blamingBond(_ failure: LinkFailure) -> LinkFailure {
    let isOfLink = failure.reason == .linkLost || failure.reason == .connectingFailed
    guard isOfLink, !failure.needsUser, bonding.wasAsked, isUnbonded else { return failure }
    let detail = "bonding failed: the passkey was wrong, or came too late (\(failure.detail))"
    return LinkFailure(.connectingFailed, detail, needsUser: true)
  }
}
