// Why links fail. The kind of a failure decides what to do about it (`ReconnectPolicy`).

public import Wire

public enum FailureKind: String, CaseIterable, Sendable {
  /// The link came up and ended, or was lost: the sensor is there, or was a moment ago.
  case transient
  /// bluetoothd dropped the device, so it must be discovered again.
  case gone
  /// Another program holds what is needed, such as the notifications, or the controller has no free
  /// connection.
  case busy
  /// An answer did not come in time.
  case unanswered
  /// The services that bluetoothd cached are not those of the sensor.
  case outdated
  /// Retrying is pointless until the user has done something.
  case needsUser = "needs the user"
  /// The adapter, bluetoothd or the bus is unavailable, for every sensor.
  case adapter
}

/// Why a link or an operation on it failed.
public struct LinkFailure: Error, Equatable, Sendable {
  public var kind: FailureKind
  public var reason: StateReason
  /// The Bluetooth daemon's text, for the log.
  public var detail: String
  /// The sensor requires a bond for this.
  public var needsBond: Bool

  public var needsUser: Bool { kind == .needsUser }

  public init(_ kind: FailureKind, _ reason: StateReason, _ detail: String, needsBond: Bool = false) {
    self.kind = kind
    self.reason = reason
    self.detail = detail
    self.needsBond = needsBond
  }

  /// Uses the default kind of the reason.
  public init(_ reason: StateReason, _ detail: String, needsUser: Bool = false, needsBond: Bool = false) {
    self.init(needsUser ? .needsUser : reason.defaultKind, reason, detail, needsBond: needsBond)
  }
}

extension StateReason {
  /// Applies to all sensors, because nothing can be received.
  package var isOfRadio: Bool { defaultKind == .adapter }

  fileprivate var defaultKind: FailureKind {
    switch self {
    case .linkLost, .connectingFailed, .unsupported, .outOfRange, .user, .elsewhere, .pluginGone, .pluginSlow:
      .transient
    case .silent, .linkStuck: .unanswered
    case .heldElsewhere, .noSlots: .busy
    case .bondLost: .needsUser
    case .adapterAbsent, .adapterOff, .adapterBlocked, .bluetoothdGone, .busGone, .suspended: .adapter
    }
  }
}
