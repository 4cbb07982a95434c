// `cyclo web` with the real server of the dashboard.

import JSON
import TestSupport
import Testing

@Suite struct RealDashboardTests {
  @Test("cyclo makes links, lists and revokes screens, and shows the state of the real server")
  func verbs() throws {
    let server = try RealDashboard()
    let socket = server.controlSocket
    let link = try JSONValue.parse(cyclo("web", "link", "--right", "view", "--json", socket: socket).output)
    #expect(link["url"]?.text?.hasPrefix("http://127.0.0.1:") == true && link["local"] == true)
    #expect(link["right"] == "view" && link["digits"]?.text?.utf8.count == 8)
    let rows = link["modules"]?.texts ?? []
    #expect(rows.count >= 21 && rows.allSatisfy { $0.utf8.count == rows.count })
    let manage = try JSONValue.parse(cyclo("web", "link", "--right", "manage", "--json", socket: socket).output)
    #expect(manage["right"] == "manage" && manage["digits"] == nil)
    #expect(try cyclo("web", "phones", socket: socket).complaint.contains("No screen was let in"))
    #expect(try cyclo("web", "revoke", "9", socket: socket).status == 1)
    #expect(try cyclo("web", "revoke", "--all", socket: socket).output == "Revoked 0 screens.\n")
    let status = try cyclo("web", "status", socket: socket)
    #expect(status.status == 0 && status.output.contains("listens on   127.0.0.1:"))
    #expect(status.output.contains("screens      0"))
    server.stop()
    #expect(try cyclo("web", "status", socket: socket).status == 1)
  }
}
