// An error of OpenSSL as libmosquitto logs it, for example
// `OpenSSL Error[0]: error:0A000418:SSL routines::tlsv1 alert unknown ca`.

internal import Text

struct TLSProblem: Equatable {
  /// The lowest bits of the code, which are stable. Alerts of the other end count from 1000.
  let reason: Int
  let words: String

  init?(_ logged: String) {
    guard let rest = logged.divided(at: "]: error:").rest else { return nil }
    let (code, tail) = rest.divided(at: ":")
    guard let number = UInt32(code, radix: 16), let tail, let words = tail.divided(at: "::").rest else { return nil }
    (reason, self.words) = (Int(number & 0xfff), words)
  }

  private static let verifyFailed = 134
  private static let wrongVersion = 267
  private static let unexpectedEnd = 294
  /// bad_certificate to unknown_ca, and certificate_required.
  private static let certificateAlerts = [1042, 1043, 1044, 1045, 1046, 1048, 1116]

  var failure: BrokerFailure {
    switch reason {
    case Self.verifyFailed: .untrustedCertificate(words)
    case Self.wrongVersion: .notEncrypted
    case Self.unexpectedEnd: .closed
    case let alert where Self.certificateAlerts.contains(alert): .refusedCertificate(words)
    default: .encryption(words)
    }
  }
}
