// Maps bluetoothd's errors to link failures, in one table of names and texts. The first row that
// matches counts.

internal import BlueZ
internal import DBus
import Radio
import Text
internal import Wire

/// The operation that bluetoothd answered with an error.
enum LinkAttempt: CaseIterable {
  case connecting, subscribing, exchanging
}

/// An error of bluetoothd and its meaning.
struct BlueZFailureRule {
  let name: BusError.Name?
  /// What the error's text contains.
  let text: String
  let attempts: [LinkAttempt]
  let kind: FailureKind
  let reason: StateReason
  var needsBond = false

  fileprivate init(
    _ name: BusError.Name?, saying text: String = "", while attempts: [LinkAttempt] = LinkAttempt.allCases,
    _ kind: FailureKind, _ reason: StateReason, needsBond: Bool = false
  ) {
    self.name = name
    self.text = text
    self.attempts = attempts
    self.kind = kind
    self.reason = reason
    self.needsBond = needsBond
  }

  /// For code that does not import BusError.
  var nameForPage: String? { name?.rawValue }

  func fits(_ error: BusError, while attempt: LinkAttempt) -> Bool {
    (name == nil || name == error.name) && (text.isEmpty || error.message.has(text)) && attempts.contains(attempt)
  }

  /// The texts are those of bluetoothd 5.66 to 5.82. It uses `br-connection-…` for low energy
  /// devices too; before 5.62, Connect returned texts of the C library. ATT errors: 01 invalid
  /// handle; 0a attribute not found, returned to a client with an outdated table; 05 insufficient
  /// authentication; 08 insufficient authorization. 0c encryption key too short; 0f insufficient
  /// encryption; 0e unlikely error.
  static let table: [BlueZFailureRule] =
    ofRadio + ofBonds + ofConnecting + ofServices + [
      BlueZFailureRule(nil, while: [.connecting], .transient, .connectingFailed),
      BlueZFailureRule(nil, while: beyondConnecting, .transient, .linkLost),
    ]

  private static let beyondConnecting: [LinkAttempt] = [.subscribing, .exchanging]

  private static let ofRadio = [
    BlueZFailureRule(.disconnected, .adapter, .busGone),
    BlueZFailureRule(.nameHasNoOwner, .adapter, .bluetoothdGone),
    BlueZFailureRule(.serviceUnknown, .adapter, .bluetoothdGone),
    BlueZFailureRule(.accessDenied, .adapter, .bluetoothdGone),
    BlueZFailureRule(.bluezNotReady, .adapter, .adapterOff),
    BlueZFailureRule(.bluezFailed, saying: "adapter-not-powered", .adapter, .adapterOff),
    BlueZFailureRule(.bluezBlocked, .adapter, .adapterBlocked),
  ]

  private static let ofBonds = [
    BlueZFailureRule(.bluezLinkKeyMissing, .needsUser, .bondLost),
    BlueZFailureRule(.bluezClassicKeyMissing, .needsUser, .bondLost),
    BlueZFailureRule(.bluezFailed, saying: "connection-key-missing", .needsUser, .bondLost),
    BlueZFailureRule(.bluezAuthenticationFailed, .needsUser, .bondLost),
    BlueZFailureRule(.bluezAuthenticationRejected, .needsUser, .bondLost),
    BlueZFailureRule(
      .bluezNotPermitted, saying: "Not paired", while: beyondConnecting, .needsUser, .bondLost, needsBond: true),
    BlueZFailureRule(.bluezNotAuthorized, while: beyondConnecting, .needsUser, .bondLost, needsBond: true),
    BlueZFailureRule(
      .bluezFailed, saying: "ATT error: 0x05", while: beyondConnecting, .needsUser, .bondLost, needsBond: true),
    BlueZFailureRule(
      .bluezFailed, saying: "ATT error: 0x08", while: beyondConnecting, .needsUser, .bondLost, needsBond: true),
    BlueZFailureRule(
      .bluezFailed, saying: "ATT error: 0x0c", while: beyondConnecting, .needsUser, .bondLost, needsBond: true),
    BlueZFailureRule(
      .bluezFailed, saying: "ATT error: 0x0f", while: beyondConnecting, .needsUser, .bondLost, needsBond: true),
  ]

  private static let ofConnecting = [
    BlueZFailureRule(.unknownObject, while: [.connecting], .gone, .connectingFailed),
    BlueZFailureRule(.bluezDoesNotExist, while: [.connecting], .gone, .connectingFailed),
    BlueZFailureRule(.bluezInProgress, while: [.connecting], .busy, .connectingFailed),
    BlueZFailureRule(.bluezFailed, saying: "connection-busy", while: [.connecting], .busy, .connectingFailed),
    BlueZFailureRule(.bluezFailed, saying: "Device or resource busy", while: [.connecting], .busy, .connectingFailed),
    BlueZFailureRule(.bluezFailed, saying: "concurrent-connection-limit", while: [.connecting], .busy, .noSlots),
    BlueZFailureRule(.bluezFailed, saying: "Too many links", while: [.connecting], .busy, .noSlots),
    BlueZFailureRule(.bluezFailed, saying: "connection-memory-allocation", while: [.connecting], .busy, .noSlots),
    BlueZFailureRule(.bluezFailed, saying: "connection-timeout", while: [.connecting], .unanswered, .connectingFailed),
    BlueZFailureRule(.bluezFailed, saying: "page-timeout", while: [.connecting], .unanswered, .connectingFailed),
    BlueZFailureRule(
      .bluezFailed, saying: "Connection timed out", while: [.connecting], .unanswered, .connectingFailed),
    BlueZFailureRule(.bluezFailed, saying: "Host is down", while: [.connecting], .unanswered, .connectingFailed),
    BlueZFailureRule(.noReply, while: [.connecting], .unanswered, .connectingFailed),
    BlueZFailureRule(.timedOut, while: [.connecting], .unanswered, .connectingFailed),
  ]

  private static let ofServices = [
    BlueZFailureRule(.bluezFailed, saying: "ATT error: 0x01", while: beyondConnecting, .outdated, .linkLost),
    BlueZFailureRule(.bluezFailed, saying: "ATT error: 0x0a", while: beyondConnecting, .outdated, .linkLost),
    BlueZFailureRule(.bluezNotPermitted, saying: "Write not permitted", while: [.subscribing], .outdated, .linkLost),
    BlueZFailureRule(.bluezNotPermitted, while: [.subscribing], .busy, .heldElsewhere),
    BlueZFailureRule(.bluezNotPermitted, while: [.exchanging], .transient, .unsupported),
    BlueZFailureRule(.bluezNotSupported, while: beyondConnecting, .transient, .unsupported),
    BlueZFailureRule(.noReply, while: beyondConnecting, .unanswered, .linkLost),
    BlueZFailureRule(.timedOut, while: beyondConnecting, .unanswered, .linkLost),
  ]
}

extension LinkFailure {
  /// Why a bonding failed, for the user.
  private static let sentences: [BusError.Name: String] = [
    .bluezAuthenticationFailed: "the passkey was wrong, or the sensor refused it",
    .bluezAuthenticationRejected: "refused", .bluezAuthenticationCanceled: "cancelled",
    .bluezAuthenticationTimeout: "no answer in time",
  ]

  /// A failed Device1.Pair.
  init(bonding error: BusError) {
    guard let sentence = Self.sentences[error.name] else {
      self.init(error, while: .connecting)
      return
    }
    self.init(.needsUser, .connectingFailed, "bonding failed: \(sentence) (\(error))")
  }

  init(_ error: BusError, while attempt: LinkAttempt) {
    // The last two rows match every error.
    guard let rule = BlueZFailureRule.table.first(where: { $0.fits(error, while: attempt) }) else {
      self.init(.transient, .linkLost, error.description)
      return
    }
    let prefix = rule.needsBond ? "it wants a bond: " : rule.kind == .gone ? "gone: " : ""
    self.init(rule.kind, rule.reason, prefix + error.description, needsBond: rule.needsBond)
  }
}

extension BusError {
  var isOfMissingBond: Bool {
    LinkFailure(self, while: .subscribing).needsBond
  }
}
