// bluetoothd's errors in the words of links.

internal import BlueZ
internal import DBus
internal import Wire

extension LinkFailure {
  enum Attempt {
    case connecting, subscribing, exchanging
  }

  /// How BlueZ says that a sensor wants a bond: the name, and what the text contains. 5: insufficient authentication,
  /// 8: authorization, 0c: too short a key, 0f: encryption.
  fileprivate static let signsOfMissingBond: [(name: BusError.Name, text: String)] = [
    (.bluezNotPermitted, "Not paired"), (.bluezNotAuthorized, ""), (.bluezFailed, "ATT error: 0x05"),
    (.bluezFailed, "ATT error: 0x08"), (.bluezFailed, "ATT error: 0x0c"), (.bluezFailed, "ATT error: 0x0f"),
  ]

  /// What came of a bonding that failed, for the user.
  private static let sentences: [BusError.Name: String] = [
    .bluezAuthenticationFailed: "the passkey was wrong, or the sensor refused it",
    .bluezAuthenticationRejected: "it was refused", .bluezAuthenticationCanceled: "it was cancelled",
    .bluezAuthenticationTimeout: "nobody answered in time",
  ]

  /// The end of Device1.Pair. `isBonded`: BlueZ has a bond already, which the sensor does not know any more.
  init(bonding error: BusError, isBonded: Bool) {
    if isBonded {
      let detail = "the sensor has forgotten its bond (\(error)): remove it with bluetoothctl remove, then pair it anew"
      self.init(.bondLost, detail, needsUser: true)
    } else if let sentence = Self.sentences[error.name] {
      self.init(.connectingFailed, "bonding failed: \(sentence) (\(error))", needsUser: true)
    } else {
      self.init(error, while: .connecting)
    }
  }

  init(_ error: BusError, while attempt: Attempt) {
    let detail = error.description
    switch (error.name, attempt) {
    case (.disconnected, _): self.init(.busGone, detail)
    case (.nameHasNoOwner, _), (.serviceUnknown, _), (.accessDenied, _): self.init(.bluetoothdGone, detail)
    case (.bluezNotReady, _): self.init(.adapterOff, detail)
    case (.unknownObject, .connecting), (.bluezDoesNotExist, .connecting):
      self.init(.connectingFailed, "gone: \(detail)")
    case (_, .connecting): self.init(.connectingFailed, detail)
    case (_, .subscribing) where error.isOfMissingBond, (_, .exchanging) where error.isOfMissingBond:
      self.init(.bondLost, "it wants a bond: \(detail)", needsUser: true, needsBond: true)
    case (.bluezNotPermitted, .subscribing): self.init(.heldElsewhere, detail)
    case (.bluezNotSupported, _), (.bluezNotPermitted, _): self.init(.unsupported, detail)
    default: self.init(.linkLost, detail)
    }
  }
}

extension BusError {
  var isOfMissingBond: Bool {
    LinkFailure.signsOfMissingBond.contains { name == $0.name && message.contains($0.text) }
  }
}
