// bluetoothd's errors in the words of links.

internal import BlueZ
internal import DBus
internal import Wire

extension LinkFailure {
  enum Attempt {
    case connecting, subscribing, exchanging
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
    case (.bluezNotPermitted, .subscribing): self.init(.heldElsewhere, detail)
    case (.bluezNotSupported, _), (.bluezNotPermitted, _): self.init(.unsupported, detail)
    default: self.init(.linkLost, detail)
    }
  }
}
