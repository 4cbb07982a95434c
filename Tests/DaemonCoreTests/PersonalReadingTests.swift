// Who may read the rider and the bikes on metrics.sock, which may be open to everyone.

import JSON
import TestSupport
import Testing

@testable import DaemonCore
@testable import Linux
@testable import Serving

@Suite struct PersonalReadingTests {
  private func code(
    user: UInt32, hasGroup: Bool, _ method: String, _ parameters: String = "{}"
  ) throws -> String? {
    let test = try TestDaemon()
    test.daemon.server?.identify = { _ throws(SystemError) in PeerCredentials(process: 1, user: user, group: 60_000) }
    test.daemon.server?.hasGroup = { _, _ in hasGroup }
    let client = try test.connect("metrics.sock")
    client.send(#"{"id":1,"method":"\#(method)","params":\#(parameters)}"#)
    try test.run(for: .milliseconds(10))
    return try client.reply(1)?["code"]?.text
  }

  @Test("root and the daemon's own user read the rider and the bikes", arguments: ["rider", "bike"])
  func trustedUsers(method: String) throws {
    #expect(try code(user: 0, hasGroup: false, method) == nil)
    #expect(try code(user: ProcessEnvironment.user, hasGroup: false, method) == nil)
  }

  @Test("other users read them only as members of the group", arguments: ["rider", "bike"])
  func otherUsers(method: String) throws {
    #expect(try code(user: 61_000, hasGroup: false, method) == "denied")
    if ProcessEnvironment.group(named: SocketServer.group) != nil {
      #expect(try code(user: 61_000, hasGroup: true, method) == nil)
    }
  }

  @Test(
    "metrics.sock refuses to change them", arguments: [("rider", #"{"weight_kg":70}"#), ("bike", #"{"name":"A"}"#)])
  func changes(method: String, parameters: String) throws {
    #expect(try code(user: 0, hasGroup: true, method, parameters) == "denied")
  }
}
