// Errors of OpenSSL as libmosquitto logs them.

import Testing

@testable import MQTT

struct TLSProblemTests {
  @Test("the code of an error decides what it means, and its words are kept")
  func classifies() {
    let rows: [(String, BrokerFailure)] = [
      ("error:0A000086:SSL routines::certificate verify failed", .untrustedCertificate("certificate verify failed")),
      ("error:0A00010B:SSL routines::wrong version number", .notEncrypted),
      ("error:0A000418:SSL routines::tlsv1 alert unknown ca", .refusedCertificate("tlsv1 alert unknown ca")),
      (
        "error:0A00045C:SSL routines::tlsv13 alert certificate required",
        .refusedCertificate("tlsv13 alert certificate required")
      ),
      ("error:0A000412:SSL routines::sslv3 alert bad certificate", .refusedCertificate("sslv3 alert bad certificate")),
      ("error:0A000126:SSL routines::unexpected eof while reading", .closed),
      ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .encryption("tlsv1 alert protocol version")),
    ]
    for (text, failure) in rows {
      #expect(TLSProblem("OpenSSL Error[0]: \(text)")?.failure == failure)
    }
  }

  @Test(
    "other lines of the log are not errors of OpenSSL",
    arguments: [
      "", "Error: host name verification failed.", "OpenSSL Error[0]: error:", "OpenSSL Error[0]: error:xyz:a::b",
    ])
  func ignoresOthers(_ text: String) {
    #expect(TLSProblem(text) == nil)
  }
}
