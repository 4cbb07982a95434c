// `cyclo web` with the real server of the dashboard.

import JSON
import Linux
import SQLite
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

  @Test("cyclo adds, lists and removes maps of the real server, and says why a file is refused")
  func maps() throws {
    let server = try RealDashboard()
    defer { server.stop() }
    let (socket, folder) = (server.controlSocket, try TemporaryFolder())
    let path = folder.file("Alps 2026.mbtiles")
    #expect(try cyclo("map", "list", socket: socket).complaint.contains("There are no maps"))
    try Files.replace(path, with: Array("SQLite format 3\0".utf8), mode: 0o600)
    let refused = try cyclo("map", "add", path, socket: socket)
    #expect(refused.status == 1 && refused.complaint.contains("the file cannot be used: it is damaged"))
    try Files.remove(path)
    let database = try Database(path, .create)
    try database.execute(
      """
      CREATE TABLE metadata (name TEXT, value TEXT);
      CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB,
        PRIMARY KEY (zoom_level, tile_column, tile_row));
      INSERT INTO metadata VALUES ('attribution', '&copy; OpenStreetMap');
      """)
    // More than one piece.
    for column in 0..<4 {
      try database.execute(
        "INSERT INTO tiles VALUES (2, \(column), 0, x'89504e470d0a1a0a\(String(repeating: "00", count: 30_000))')")
    }
    let added = try cyclo("map", "add", path, socket: socket)
    #expect(added.status == 0 && added.complaint.isEmpty)
    #expect(added.output.hasPrefix("Added the map alps-2026: zoom levels 2 to 2, 0.1 MB."))
    let list = try cyclo("map", "list", socket: socket)
    #expect(list.output.contains("alps-2026  2 to 2") && list.output.contains("OpenStreetMap"))
    #expect(try cyclo("map", "remove", "alps-2026", socket: socket).output == "Removed the map alps-2026.\n")
    let again = try cyclo("map", "remove", "alps-2026", socket: socket)
    #expect(again.status == 1 && again.complaint.contains("there is no map alps-2026"))
    #expect(try cyclo("map", "add", "/nonexistent.mbtiles", socket: socket).status == 1)
    #expect(try cyclo("map", "add", socket: socket).status == 2)
  }
}
