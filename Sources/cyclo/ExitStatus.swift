// The exit statuses of `cyclo`. Scripts use the numbers, so they must not change.

import CyclometerClient
import Linux
import Text

enum ExitStatus: Int32 {
  case done = 0
  case failed = 1
  case usage = 2
  case noDaemon = 3
  case noSuchSensor = 4
  case timeout = 5
  case adapterUnavailable = 6
  case pairingFailed = 7
  case notAllowed = 8
  /// By Ctrl-C.
  case interrupted = 130

  /// From the error code of the protocol. Unknown codes of later daemons are `failed`.
  init(code: String) {
    switch code {
    case "denied": self = .notAllowed
    case "bad_request", "no_such_kind": self = .usage
    case "no_such_sensor": self = .noSuchSensor
    case "timeout", "not_connected": self = .timeout
    case "adapter_unavailable": self = .adapterUnavailable
    case "pairing_failed": self = .pairingFailed
    default: self = .failed
    }
  }

  init(_ error: ClientError) {
    switch error {
    case .noDaemon: self = .noDaemon
    case .notAllowed: self = .notAllowed
    case .timeout: self = .timeout
    case .refused(let code, _): self = ExitStatus(code: code)
    // The daemon ended during the request.
    case .closed: self = .noDaemon
    case .notUnderstood, .system: self = .failed
    }
  }
}

/// Why a verb failed, with advice. Both are for standard error.
struct Failure: Error, Equatable {
  let status: ExitStatus
  let message: String
  let advice: [String]

  init(_ status: ExitStatus, _ message: String, advice: [String] = []) {
    self.status = status
    self.message = message
    self.advice = advice
  }

  init(_ error: ClientError) {
    self.init(ExitStatus(error), error.description, advice: error.advice)
  }
}

extension Output {
  /// Prints nothing if there is no message.
  func tell(_ failure: Failure) {
    if failure.message.isEmpty { return }
    say("cyclo: \(printable(failure.message))")
    // Not wrapped, so that commands in it can be copied.
    for advice in failure.advice { note("  \(printable(advice))") }
  }
}

extension ClientError {
  fileprivate var advice: [String] {
    switch self {
    case .noDaemon:
      [
        "Start it: sudo systemctl start cyclometerd",
        ProcessEnvironment.variable("CYCLOMETER_SOCKET").map { "CYCLOMETER_SOCKET is set to \($0)" }
          ?? "If it uses another socket, name it: --socket PATH",
      ]
    case .notAllowed:
      ["Join the group cyclometer: sudo usermod -aG cyclometer \"$USER\", then log in again"]
    case .refused("denied", _):
      ["This needs the control socket, which requires the group cyclometer"]
    case .refused("adapter_unavailable", _):
      // The daemon's message names the cause; doctor knows the fix.
      ["Run 'cyclo doctor' to diagnose it"]
    case .timeout: ["Is it stopped or overloaded? systemctl status cyclometerd"]
    case .closed: ["Did it end, or does it not start? systemctl status cyclometerd"]
    default: []
    }
  }
}
