// Maps: added on web.sock, and their tiles for pages.

import EventLoop
import Foundation
import JSON
import Linux
import SQLite
import TestSupport
import Testing
import Time
import WebAccess

@testable import Dashboard

@Suite struct MapTests {
  private let world: DashboardWorld
  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7]

  init() throws { world = try DashboardWorld() }

  /// The bytes of a file with one tile, the north-west of zoom level 1.
  private func file(_ change: String = "") throws -> [UInt8] {
    let path = world.folder.file("\(UInt32.random(in: 0 ... .max)).mbtiles")
    let database = try Database(path, .create)
    try database.execute(
      """
      CREATE TABLE metadata (name TEXT, value TEXT);
      CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB,
        PRIMARY KEY (zoom_level, tile_column, tile_row));
      INSERT INTO metadata VALUES ('name', 'Alps'), ('bounds', '10,47,12,48'),
        ('attribution', '<script>alert(1)</script>&copy; OpenStreetMap');
      INSERT INTO tiles VALUES (1, 0, 1, x'89504e470d0a1a0a07');
      """)
    try database.execute(change)
    return try Files.read(path)
  }

  private func put(_ bytes: some Collection<UInt8>, at offset: Int = 0) -> (method: String, parameters: String) {
    ("map_put", #"{"offset":\#(offset),"base64":"\#(Data(bytes).base64EncodedString())"}"#)
  }

  private func begin(_ name: String, _ bytes: Int) -> (method: String, parameters: String) {
    ("map_add", #"{"name":"\#(name)","bytes":\#(bytes)}"#)
  }

  /// The last reply.
  private func add(_ name: String, _ bytes: [UInt8]) throws -> JSONValue {
    let middle = bytes.count / 2
    let requests = [begin(name, bytes.count), put(bytes[..<middle]), put(bytes[middle...], at: middle)]
    return try #require(try world.web(requests).last)
  }

  @Test("a map that was added in pieces is listed, serves its tiles, survives a restart, and can be removed")
  func life() throws {
    let bytes = try file()
    let map = try #require(try add("alps", bytes)["result"]?["map"])
    #expect(map["name"] == "alps" && map["bytes"]?.integer == bytes.count && map["format"] == "png")
    #expect(map["min_zoom"] == 1 && map["max_zoom"] == 1 && map["title"] == "Alps")
    #expect(map["bounds"] == [10, 47, 12, 48])
    #expect(map["attribution"] == "alert(1)© OpenStreetMap")
    let reader = try world.browser(.view)
    try world.restart()
    #expect(try world.web("maps")["result"]?["maps"] == [map])
    let browser = try Browser(world, token: reader.token)
    #expect(try browser.ask("GET", "/api/1/maps").json?["maps"] == [map])
    let tile = try browser.ask("GET", "/tiles/alps/1/0/0")
    #expect(tile.status == 200 && tile.field("Content-Type") == "image/png")
    #expect(tile.field("Content-Length") == "9" && tile.field("X-Content-Type-Options") == "nosniff")
    let tag = try #require(tile.field("ETag"))
    #expect(try browser.ask("GET", "/tiles/alps/1/0/0", nil, ["If-None-Match: \(tag)"]).status == 304)
    for path in [
      "alps/1/0/1", "alps/1/0/-1", "alps/1/0/0.png", "alps/99999999/0/0", "alps/1/0/999999999", "other/1/0/0",
    ] {
      #expect(try browser.ask("GET", "/tiles/\(path)").status == 404)
    }
    #expect(try Browser(world).ask("GET", "/tiles/alps/1/0/0").status == 401)
    #expect(try world.web("map_remove", #"{"name":"alps"}"#)["result"] == [:])
    #expect(try browser.ask("GET", "/tiles/alps/1/0/0").status == 404)
    #expect(try world.web("map_remove", #"{"name":"alps"}"#)["code"] == "no_such_map")
    #expect(try world.web("maps")["result"]?["maps"] == [])
  }

  @Test("pages are told when there are other maps")
  func changes() throws {
    let reader = try world.browser(.view)
    _ = try reader.openStream("?hz=10")
    func tags() -> [String] {
      reader.messages.flatMap { $0.data["records"]?.items ?? [] }.filter { $0["document"] == "maps" }
        .compactMap { $0["tag"]?.text }
    }
    #expect(try add("alps", try file())["result"]?["map"] != nil)
    #expect(try world.run { tags().count == 1 })
    #expect(try world.web("map_remove", #"{"name":"other"}"#)["code"] == "no_such_map")
    #expect(try world.web("map_remove", #"{"name":"alps"}"#)["result"] == [:])
    #expect(try world.run { tags().count == 2 })
    #expect(Set(tags()).count == 2)
  }

  @Test("another file of the same size under the same name has another revision, also if it was put there by hand")
  func replaced() throws {
    let bytes = try file()
    let other = try file("UPDATE metadata SET value = 'Jura' WHERE name = 'name'")
    try #require(other.count == bytes.count)
    func listed() throws -> JSONValue? { try world.web("maps")["result"]?["maps"]?.items?.first }
    let first = try #require(try add("alps", bytes)["result"]?["map"])
    world.reload()
    #expect(try listed() == first, "a file that is the same stays open")
    _ = try world.web("map_remove", #"{"name":"alps"}"#)
    let again = try #require(try add("alps", bytes)["result"]?["map"])
    try Files.replace(world.folder.file("web/maps/alps.mbtiles"), with: other, mode: 0o600)
    world.reload()
    let last = try #require(try listed())
    #expect(last["title"] == "Jura" && last["bytes"] == first["bytes"])
    let revisions = [first, again, last].compactMap { $0["revision"]?.text }
    #expect(Set(revisions).count == 3, "\(revisions)")
  }

  @Test("an upload ends when nothing comes for a minute")
  func stalledUpload() throws {
    let world = try DashboardWorld(.virtual(VirtualTime()))
    let upload = world.folder.file("web/maps/upload")
    let bytes = try file()
    let lines = try world.web(
      [begin("alps", bytes.count), put(bytes[..<100])],
      andThen: {
        try world.pass(.seconds(59))
        #expect(Files.exists(upload))
        try world.pass(.seconds(2))
        #expect(!Files.exists(upload))
      })
    #expect(lines[1]["result"]?["bytes"] == 100)
    #expect(lines.last?["code"] == "timeout" && lines.last?["message"]?.text?.contains("60 seconds") == true)
    // Each piece gives it another minute.
    let slow = try world.web(
      [begin("alps", bytes.count), put(bytes[..<100])],
      andThen: { try world.pass(.seconds(50)) })
    #expect(slow.count == 2)
    let other = try world.web([begin("other", bytes.count), put(bytes)])
    #expect(other.last?["result"]?["map"]?["name"] == "other")
  }

  @Test("a map has at most 2 GiB, and leaves room for recordings")
  func largest() throws {
    let most = MapUpload.mostBytes
    #expect(most == 2 << 30)
    let tooLarge = try world.web([begin("big", most + 1)])[0]
    #expect(tooLarge["code"] == "limit_reached" && tooLarge["message"]?.text?.contains("2 GiB") == true)
    let space = try Files.space(at: world.folder.path)
    let largest = try world.web([begin("big", most)])[0]
    if space > Int64(most) + 512 << 20 { #expect(largest["result"] == [:]) }
    if space < Int64(most) { #expect(largest["code"] == "storage") }
    #expect(try world.web("maps")["result"]?["maps"] == [])
  }

  @Test("a file that cannot be used is refused with the reason, and leaves nothing behind")
  func refused() throws {
    for (change, reason) in [
      ("DROP TABLE tiles; CREATE VIEW tiles AS SELECT 1", "not a real table"),
      ("UPDATE tiles SET tile_data = x'1f8b'", "vector tiles"),
      ("UPDATE tiles SET tile_data = zeroblob(3000000)", "larger than 1 MiB"),
      ("DROP TABLE metadata", "no table metadata"),
    ] {
      let bytes = try file(change)
      var requests = [begin("bad", bytes.count)]
      for start in stride(from: 0, to: bytes.count, by: 45_000) {
        requests.append(put(bytes[start..<min(bytes.count, start + 45_000)], at: start))
      }
      let reply = try #require(try world.web(requests).last)
      #expect(reply["code"] == "bad_file" && reply["message"]?.text?.contains(reason) == true, "\(reply.encoded)")
    }
    #expect(try world.web("maps")["result"]?["maps"] == [])
    #expect(try Files.names(in: world.folder.file("web/maps")) == [])
  }

  @Test("an upload ends with its connection, only one goes on at a time, and there are at most eight maps")
  func uploads() throws {
    let bytes = try file()
    let halves = try world.web([
      begin("alps", bytes.count), begin("other", 5), put(bytes[..<100], at: 1), put(bytes[..<100]),
      put([UInt8](repeating: 0, count: 40_000), at: 100),
    ])
    #expect(halves[1]["code"] == "busy" && halves[2]["code"] == "bad_request" && halves[3]["result"]?["bytes"] == 100)
    #expect(halves[4]["code"] == "bad_request")
    _ = try world.run { !Files.exists(world.folder.file("web/maps/upload")) }
    #expect(try world.web([put(bytes)])[0]["code"] == "bad_request")
    #expect(try add("alps", bytes)["result"]?["map"] != nil)
    for (name, size, code) in [
      ("alps", 100, "duplicate"), ("../up", 100, "bad_request"), ("big", 3 << 30, "limit_reached"),
      ("big", 0, "bad_request"),
    ] {
      #expect(try world.web([begin(name, size)])[0]["code"]?.text == code)
    }
    for number in 1..<MapFolder.mostMaps { #expect(try add("map-\(number)", bytes)["result"] != nil) }
    let full = try world.web([begin("more", 100)])[0]
    #expect(full["code"] == "limit_reached" && full["limit"] == "maps")
  }

  @Test("an upload that a killed process left is removed at the start and before the next one")
  func leftUpload() throws {
    let left = world.folder.file("web/maps/upload")
    try Files.replace(left, with: Array("half".utf8), mode: 0o600)
    try world.restart()
    #expect(!Files.exists(left))
    try Files.replace(left, with: Array("half".utf8), mode: 0o600)
    // A map that is refused takes no file.
    #expect(try world.web([begin("no/name", 100)])[0]["code"] == "bad_request")
    #expect(!Files.exists(left))
    #expect(try add("alps", try file())["result"]?["map"] != nil)
  }

  @Test("files that were put into the folder are used if they are good, and otherwise left out with a line")
  func folder() throws {
    let place = world.folder.file("web/maps/")
    try Files.replace(place + "copied.mbtiles", with: try file(), mode: 0o600)
    try Files.replace(place + "broken.mbtiles", with: Array("no".utf8), mode: 0o600)
    try Files.replace(place + "Odd name.mbtiles", with: try file(), mode: 0o600)
    #expect(!world.log.contains("install libjs-leaflet"))
    try world.restart()
    #expect(world.log.contains("because Leaflet is missing: install libjs-leaflet"))
    #expect(try world.web("maps")["result"]?["maps"]?.items?.compactMap { $0["name"]?.text } == ["copied"])
    #expect(world.log.contains("map broken: left out, because it is damaged, or not an MBTiles file"))
    #expect(world.log.contains("map Odd name: left out"))
    #expect(try world.web([begin("broken", 100)])[0]["code"] == "duplicate")
    // Those that cannot be used take no place of the others.
    for number in 1...MapFolder.mostMaps {
      try Files.replace(place + "set-\(number).mbtiles", with: try file(), mode: 0o600)
    }
    try world.restart()
    #expect(try world.web("maps")["result"]?["maps"]?.items?.count == MapFolder.mostMaps)
    #expect(world.log.contains("map set-\(MapFolder.mostMaps): left out, because there are at most"))
  }
}
