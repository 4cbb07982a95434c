// Bonding with a sensor that requires it.
//
// Usually bluetoothd bonds by itself when a sensor rejects a request, and asks the default agent:
// ours, unless another program registered one. If that fails, the next link begins with Pair, and
// then bluetoothd asks our agent.

internal import BlueZ
internal import DBus
internal import EventLoop
import Radio
import Wire

extension BlueZLink {
  struct Bonding {
    var isAllowed = false
    /// The sensor was bonded before, so a missing bond must be reported to the user.
    var isExpected = false
    /// BlueZ had a bond before this link.
    var isOld = false
    /// BlueZ had a bond during this link.
    var wasMade = false
    /// bluetoothd has asked our agent about this sensor.
    var wasAsked = false
    /// Its StartNotify is unanswered, so it is not known yet whether the sensor requires a bond.
    var started: Characteristic?
    var timeout: Deadline?
  }

  /// The protocol allows 30 s per step, and one of them waits for the user.
  static let longestBonding = Duration.seconds(60)

  /// bluetoothd may be asking the agent of another program, which no one answers.
  private static let timeout = Duration.seconds(10)

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

  /// This link may still find that it needs a bond and has none.
  var isUnbonded: Bool { (mayBond || shouldBeBonded) && !device.isPaired }

  /// Not on this link: 5.66 never answers a Pair after its own bonding failed. A bond that the
  /// sensor has forgotten is removed first: the user is pairing and wants a new one.
  func bond() {
    guard phase == .open else { return }
    guard !device.isPaired || !bonding.isOld else { return later { self.replaceBond() } }
    // If the bond was made in the meantime, only a new link is needed.
    if !device.isPaired { radio?.bondsToMake.insert(address) }
    later { self.lose(LinkFailure(.connectingFailed, "it requires a bond: reconnecting to bond")) }
  }

  private func replaceBond() {
    guard phase != .closed else { return }
    end(byForgetting: true) {}
    let detail = "the sensor has lost its bond: removed the bond of this computer"
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

  /// Gives up on bluetoothd's own bonding, unless it is asking our user.
  func whenUnanswered(_ giveUp: @escaping (LinkFailure) -> Void) {
    bonding.timeout?.cancel()
    bonding.timeout = loop.schedule(after: Self.timeout) { [weak self] in
      guard let self, phase == .open, !bonding.wasAsked else { return }
      let isOfBond = mayBond || shouldBeBonded
      giveUp(
        isOfBond
          ? LinkFailure(.needsUser, .bondLost, "it requires a bond, and bonding failed", needsBond: true)
          : LinkFailure(.unanswered, .linkLost, "it does not answer a subscription"))
    }
  }

  /// bluetoothd would carry the unanswered call over to the next link, and bond for it before it
  /// resolves the services.
  func withdrawStart() {
    bonding.started?.stopNotify { _ in }
    bonding.started = nil
  }

  func userRefused() {
    later {
      self.lose(LinkFailure(.connectingFailed, "bonding failed: refused here", needsUser: true))
    }
  }

  /// If a link ends during a bonding, the bonding is the cause: BlueZ gives no better reason.
  func blamingBond(_ failure: LinkFailure) -> LinkFailure {
    // If another agent refused, 5.87 disconnects without saying so. The next link begins with Pair.
    if bonding.started != nil, mayBond, !bonding.wasAsked, reasonOfEnd?.hasPrefix(BlueZ.Reason.local) == true {
      radio?.bondsToMake.insert(address)
    }
    let isOfLink = failure.reason == .linkLost || failure.reason == .connectingFailed
    guard isOfLink, !failure.needsUser, bonding.wasAsked, isUnbonded else { return failure }
    let detail = "bonding failed: the passkey was wrong, or came too late (\(failure.detail))"
    return LinkFailure(.connectingFailed, detail, needsUser: true)
  }
}
