// Why links fail, and of what kind the trouble is: on the kind hangs what is done about it (`ReconnectPolicy`).

public import Wire

/// What kind of trouble a failure is.
public enum FailureKind: String, CaseIterable, Sendable {
  /// The link came up and went again, or was lost: the sensor is there, or was a moment ago.
  case transient
  /// bluetoothd knows the device no more: it is to be heard anew.
  case gone
  /// Somebody else has what is needed: a connect under way, the notifications, the controller's last slot.
  case busy
  /// Nothing came within the time for it.
  case unanswered
  /// The services that bluetoothd remembers are not those that the sensor has.
  case outdated
  /// Nothing will come of it before the user has done something.
  case needsUser = "needs the user"
  /// Nothing can be had of this adapter, bluetoothd or bus, by any sensor.
  case adapter
}

/// Why a link, or something asked of it, failed.
public struct LinkFailure: Error, Equatable, Sendable {
  public var kind: FailureKind
  public var reason: StateReason
  /// What the Bluetooth daemon said, for the log.
  public var detail: String
  /// The sensor says this only to those it is bonded with.
  public var needsBond: Bool

  /// No use trying again before the user has done something.
  public var needsUser: Bool { kind == .needsUser }

  public init(_ kind: FailureKind, _ reason: StateReason, _ detail: String, needsBond: Bool = false) {
    self.kind = kind
    self.reason = reason
    self.detail = detail
    self.needsBond = needsBond
  }

  /// Of the kind that failures for that reason are of, as a rule.
  public init(_ reason: StateReason, _ detail: String, needsUser: Bool = false, needsBond: Bool = false) {
    self.init(needsUser ? .needsUser : reason.usualKind, reason, detail, needsBond: needsBond)
  }
}

extension StateReason {
  /// Said of every sensor alike, because nothing can be heard.
  var isOfRadio: Bool { usualKind == .adapter }

  fileprivate var usualKind: FailureKind {
    switch self {
    case .linkLost, .connectingFailed, .unsupported, .outOfRange, .user: .transient
    case .silent, .linkStuck: .unanswered
    case .heldElsewhere, .noSlots: .busy
    case .bondLost: .needsUser
    case .adapterAbsent, .adapterOff, .adapterBlocked, .bluetoothdGone, .busGone, .suspended: .adapter
    }
  }
}
