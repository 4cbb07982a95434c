// Every error that bluetoothd returns from Connect and from calls on characteristics, and how it is
// classified. The texts occur in bluetoothd 5.66. Those marked 5.82 are newer (src/error.h of
// 5.82). Releases before 5.62 returned the texts of the C library.

import DBus
import Radio
import TestSupport
import Testing
import Wire

@testable import BlueZRadio

struct FailureTableTests {
  struct Row: CustomTestStringConvertible {
    let name: BusError.Name
    let text: String
    let attempt: LinkAttempt
    let kind: FailureKind
    let reason: StateReason

    init(_ name: BusError.Name, _ text: String, _ attempt: LinkAttempt, _ kind: FailureKind, _ reason: StateReason) {
      self.name = name
      self.text = text
      self.attempt = attempt
      self.kind = kind
      self.reason = reason
    }

    var testDescription: String { "\(name): \(text), \(attempt)" }
  }

  private static let failed: BusError.Name = "org.bluez.Error.Failed"
  private static let inProgress: BusError.Name = "org.bluez.Error.InProgress"
  private static let notPermitted: BusError.Name = "org.bluez.Error.NotPermitted"

  private static let ofConnect: [Row] = [
    // The sensor is present, but the link failed.
    Row(failed, "le-connection-abort-by-local", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-abort-by-remote", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-refused", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-link-layer-protocol-error", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-create-socket", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-bad-socket", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-not-supported", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-invalid-arguments", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-already-connected", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-unknown", .connecting, .transient, .connectingFailed),
    Row(failed, "le-connection-gatt-browsing", .connecting, .transient, .connectingFailed),  // 5.82
    Row(failed, "br-connection-canceled", .connecting, .transient, .connectingFailed),
    Row(failed, "br-connection-aborted-by-local", .connecting, .transient, .connectingFailed),
    Row(failed, "br-connection-aborted-by-remote", .connecting, .transient, .connectingFailed),
    Row(failed, "br-connection-refused", .connecting, .transient, .connectingFailed),
    Row(failed, "br-connection-unknown", .connecting, .transient, .connectingFailed),
    Row(failed, "Software caused connection abort", .connecting, .transient, .connectingFailed),
    Row(failed, "Connection reset by peer", .connecting, .transient, .connectingFailed),
    Row(failed, "Function not implemented", .connecting, .transient, .connectingFailed),
    Row(
      "org.bluez.Error.NotAvailable", "br-connection-profile-unavailable", .connecting, .transient, .connectingFailed),
    Row(
      "org.bluez.Error.BREDR.ProfileUnavailable", "No more profiles to connect to", .connecting, .transient,
      .connectingFailed),
    Row("org.bluez.Error.ConnectionAttemptFailed", "Page Timeout", .connecting, .transient, .connectingFailed),
    Row("org.bluez.Error.NotConnected", "Not Connected", .connecting, .transient, .connectingFailed),
    // No answer.
    Row(failed, "le-connection-timeout", .connecting, .unanswered, .connectingFailed),
    Row(failed, "br-connection-timeout", .connecting, .unanswered, .connectingFailed),
    Row(failed, "br-connection-page-timeout", .connecting, .unanswered, .connectingFailed),
    Row(failed, "Host is down", .connecting, .unanswered, .connectingFailed),
    Row(failed, "Connection timed out", .connecting, .unanswered, .connectingFailed),
    Row("org.freedesktop.DBus.Error.NoReply", "", .connecting, .unanswered, .connectingFailed),
    Row("org.freedesktop.DBus.Error.Timeout", "", .connecting, .unanswered, .connectingFailed),
    // In use by another program.
    Row(inProgress, "Operation already in progress", .connecting, .busy, .connectingFailed),
    Row(inProgress, "In Progress", .connecting, .busy, .connectingFailed),
    Row(inProgress, "br-connection-busy", .connecting, .busy, .connectingFailed),
    Row(failed, "le-connection-busy", .connecting, .busy, .connectingFailed),
    Row(failed, "Device or resource busy", .connecting, .busy, .connectingFailed),
    Row(failed, "le-connection-concurrent-connection-limit", .connecting, .busy, .noSlots),
    Row(failed, "br-connection-concurrent-connection-limit", .connecting, .busy, .noSlots),
    Row(failed, "le-connection-memory-allocation", .connecting, .busy, .noSlots),
    Row(failed, "Too many links", .connecting, .busy, .noSlots),
    // The device no longer exists.
    Row("org.freedesktop.DBus.Error.UnknownObject", "", .connecting, .gone, .connectingFailed),
    Row("org.bluez.Error.DoesNotExist", "Does Not Exist", .connecting, .gone, .connectingFailed),
    // The bond.
    Row(failed, "le-connection-key-missing", .connecting, .needsUser, .bondLost),  // 5.82
    Row(failed, "br-connection-key-missing", .connecting, .needsUser, .bondLost),  // 5.82
    Row("org.bluez.Error.LeConnectionKeyMissing", "LE Link Key missing", .connecting, .needsUser, .bondLost),
    Row("org.bluez.Error.AuthenticationFailed", "Authentication Failed", .connecting, .needsUser, .bondLost),
    Row("org.bluez.Error.AuthenticationRejected", "Authentication Rejected", .connecting, .needsUser, .bondLost),
    Row(
      "org.bluez.Error.AuthenticationCanceled", "Authentication Canceled", .connecting, .transient, .connectingFailed),
    Row("org.bluez.Error.AuthenticationTimeout", "Authentication Timeout", .connecting, .transient, .connectingFailed),
    // The radio.
    Row("org.bluez.Error.NotReady", "Resource Not Ready", .connecting, .adapter, .adapterOff),
    Row("org.bluez.Error.NotReady", "br-connection-adapter-not-powered", .connecting, .adapter, .adapterOff),
    Row(failed, "le-connection-adapter-not-powered", .connecting, .adapter, .adapterOff),
    Row("org.bluez.Error.Blocked", "Blocked through rfkill", .connecting, .adapter, .adapterBlocked),
    Row("org.freedesktop.DBus.Error.Disconnected", "", .connecting, .adapter, .busGone),
    Row("org.freedesktop.DBus.Error.ServiceUnknown", "", .connecting, .adapter, .bluetoothdGone),
    Row("org.freedesktop.DBus.Error.NameHasNoOwner", "", .subscribing, .adapter, .bluetoothdGone),
    Row("org.freedesktop.DBus.Error.AccessDenied", "", .exchanging, .adapter, .bluetoothdGone),
  ]

  private static let ofCharacteristics: [Row] = [
    Row(notPermitted, "Notify acquired", .subscribing, .busy, .heldElsewhere),
    Row(notPermitted, "Not paired", .subscribing, .needsUser, .bondLost),
    Row(notPermitted, "Not paired", .exchanging, .needsUser, .bondLost),
    Row(notPermitted, "Write not permitted", .subscribing, .outdated, .linkLost),
    Row(notPermitted, "Write not permitted", .exchanging, .transient, .unsupported),
    Row(notPermitted, "Read not permitted", .exchanging, .transient, .unsupported),
    Row("org.bluez.Error.NotAuthorized", "Operation Not Authorized", .subscribing, .needsUser, .bondLost),
    Row(failed, "Operation failed with ATT error: 0x05", .subscribing, .needsUser, .bondLost),
    Row(failed, "Operation failed with ATT error: 0x0f", .exchanging, .needsUser, .bondLost),
    Row(failed, "Operation failed with ATT error: 0x01", .subscribing, .outdated, .linkLost),
    Row(failed, "Operation failed with ATT error: 0x0a", .exchanging, .outdated, .linkLost),
    Row(failed, "Operation failed with ATT error: 0x0e", .subscribing, .transient, .linkLost),
    Row(failed, "Operation failed with ATT error: 0x80", .exchanging, .transient, .linkLost),
    Row(failed, "Operation failed", .subscribing, .transient, .linkLost),
    Row(failed, "Not connected", .subscribing, .transient, .linkLost),
    Row("org.bluez.Error.NotConnected", "Not Connected", .subscribing, .transient, .linkLost),
    Row("org.bluez.Error.NotSupported", "Operation is not supported", .subscribing, .transient, .unsupported),
    Row("org.bluez.Error.InvalidArguments", "Invalid offset", .exchanging, .transient, .linkLost),
    Row(inProgress, "In Progress", .subscribing, .transient, .linkLost),
    Row("org.freedesktop.DBus.Error.UnknownObject", "", .subscribing, .transient, .linkLost),
    Row("org.freedesktop.DBus.Error.Timeout", "", .subscribing, .unanswered, .linkLost),
    Row("org.example.Error.Unheard", "of", .exchanging, .transient, .linkLost),
  ]

  @Test("every error of bluetoothd maps to its kind and reason", arguments: ofConnect + ofCharacteristics)
  func errorKinds(row: Row) {
    let failure = LinkFailure(BusError(row.name, row.text), while: row.attempt)
    #expect(failure.kind == row.kind && failure.reason == row.reason)
    #expect(failure.detail.contains(row.name.rawValue))
  }

  /// A hidden row would never match.
  @Test("no row of the failure table is hidden by another")
  func noHiddenRow() {
    let errors = (Self.ofConnect + Self.ofCharacteristics).map { (BusError($0.name, $0.text), $0.attempt) }
    for (index, rule) in BlueZFailureRule.table.enumerated() {
      let sample = (BusError(rule.name ?? "org.example.Error.Unheard", rule.text), rule.attempts[0])
      let isUsed = (errors + [sample]).contains { error, attempt in
        BlueZFailureRule.table.firstIndex { $0.fits(error, while: attempt) } == index
      }
      #expect(isUsed, "row \(index)")
    }
  }
}
