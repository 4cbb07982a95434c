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
    /// BlueZ had a bond with the sensor before this link.
    var isOld = false
    /// bluetoothd has asked our agent something of this sensor.
    var wasAsked = false
    var patience: Deadline?
  }

  /// The protocol gives each step 30 s, and the user sits in the middle of it.
  static let longestBonding = Duration.seconds(60)

  /// Another program's agent may be asked, with nobody there to answer it.
  private static let patience = Duration.seconds(10)

  var mayBond: Bool {
    get { bonding.isAllowed }
    set {
      guard newValue != bonding.isAllowed else { return }
      bonding.isAllowed = newValue
      radio?.bondingChanged()
    }
  }

  var isUnbonded: Bool { mayBond && !device.isPaired }

  /// Not on this link: 5.66 never answers a Pair that comes after a bonding of its own that failed.
  func bond() {
    guard phase == .open else { return }
    guard !device.isPaired || !bonding.isOld else {
      let error = BusError(.bluezAlreadyExists, "BlueZ has a bond")
      return later { self.lose(LinkFailure(bonding: error, isBonded: true)) }
    }
    // Made in the meantime, it only wants a link that begins with it.
    if !device.isPaired { radio?.bondsToMake.insert(address) }
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

  /// Gives up on bluetoothd's own bonding, unless it is our user who is asked.
  func whenUnanswered(_ giveUp: @escaping (LinkFailure) -> Void) {
    bonding.patience = loop.schedule(after: Self.patience) { [weak self] in
      guard let self, phase == .open, !bonding.wasAsked else { return }
      giveUp(LinkFailure(.bondLost, "it wants a bond, which came to nothing", needsUser: true, needsBond: true))
    }
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
