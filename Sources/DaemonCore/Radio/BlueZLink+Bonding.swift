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
    /// Without one something is the matter, and its user is to be told.
    var isExpected = false
    /// BlueZ had a bond with the sensor before this link.
    var isOld = false
    /// BlueZ has had one on this link.
    var wasMade = false
    /// bluetoothd has asked our agent something of this sensor.
    var wasAsked = false
    /// StartNotify of it has not been answered yet: whether it wants a bond is still open.
    var started: Characteristic?
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

  var shouldBeBonded: Bool {
    get { bonding.isExpected }
    set { bonding.isExpected = newValue }
  }

  var isBonded: Bool { bonding.isOld || bonding.wasMade || !path.isEmpty && device.isPaired }

  /// It may turn out on this link that a bond is wanted and not there.
  var isUnbonded: Bool { (mayBond || shouldBeBonded) && !device.isPaired }

  /// Not on this link: 5.66 never answers a Pair that comes after a bonding of its own that failed. A bond that BlueZ has
  /// and the sensor knows no more is removed first: the user is there and wants another.
  func bond() {
    guard phase == .open else { return }
    guard !device.isPaired || !bonding.isOld else { return later { self.replaceBond() } }
    // Made in the meantime, it only wants a link that begins with it.
    if !device.isPaired { radio?.bondsToMake.insert(address) }
    later { self.lose(LinkFailure(.connectingFailed, "it wants a bond, and is connected anew for it")) }
  }

  private func replaceBond() {
    guard phase != .closed else { return }
    end(byForgetting: true) {}
    let detail = "the sensor has forgotten its bond, and the one of this computer was removed for a new one"
    delegate?.link(self, closedWith: LinkFailure(.gone, .connectingFailed, detail))
  }

  var mustBondFirst: Bool { mayBond && isUnbonded && radio?.bondsToMake.contains(address) == true }

  func bondFirst(_ bonded: @escaping () -> Void) {
    track(
      device.pair(timeout: Self.longestBonding) { [weak self] result in
        guard let self else { return }
        radio?.bondsToMake.remove(address)
        switch result {
        case .success: bonded()
        case .failure(let error) where error.name == .bluezAlreadyExists: replaceBond()
        case .failure(let error): lose(LinkFailure(bonding: error))
        }
      })
  }

  /// Gives up on bluetoothd's own bonding, unless it is our user who is asked.
  func whenUnanswered(_ giveUp: @escaping (LinkFailure) -> Void) {
    bonding.patience?.cancel()
    bonding.patience = loop.schedule(after: Self.patience) { [weak self] in
      guard let self, phase == .open, !bonding.wasAsked else { return }
      let isOfBond = mayBond || shouldBeBonded
      giveUp(
        isOfBond
          ? LinkFailure(.needsUser, .bondLost, "it wants a bond, which came to nothing", needsBond: true)
          : LinkFailure(.unanswered, .linkLost, "it does not answer when it is subscribed to"))
    }
  }

  /// bluetoothd keeps what it has not answered for the next link, and bonds for it there before it says the services.
  func withdrawStart() {
    bonding.started?.stopNotify { _ in }
    bonding.started = nil
  }

  func userRefused() {
    later {
      self.lose(LinkFailure(.connectingFailed, "bonding failed: it was refused here", needsUser: true))
    }
  }

  /// A link that ends in the middle of a bonding ends because of it: BlueZ says no more than that.
  func blamingBond(_ failure: LinkFailure) -> LinkFailure {
    // Where another agent refused, 5.87 hangs up itself instead of saying so: the next link begins with Pair.
    if bonding.started != nil, mayBond, !bonding.wasAsked, reasonOfEnd?.hasPrefix(BlueZ.Reason.local) == true {
      radio?.bondsToMake.insert(address)
    }
    let isOfLink = failure.reason == .linkLost || failure.reason == .connectingFailed
    guard isOfLink, !failure.needsUser, bonding.wasAsked, isUnbonded else { return failure }
    let detail = "bonding failed: the passkey was wrong, or came too late (\(failure.detail))"
    return LinkFailure(.connectingFailed, detail, needsUser: true)
  }
}
