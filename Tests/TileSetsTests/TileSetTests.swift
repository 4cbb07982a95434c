// Files of map tiles, good and bad.

import Linux
import SQLite
import TestSupport
import Testing

@testable import TileSets

@Suite struct TileSetTests {
  static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  private static let tables = """
    CREATE TABLE metadata (name TEXT, value TEXT);
    CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
    """
  private static let index = "CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);"

  private let folder: TemporaryFolder
  private var path: String { folder.file("map.mbtiles") }

  init() throws { folder = try TemporaryFolder() }

  private func make(_ sql: String) throws {
    let database = try Database(path, .create)
    try database.execute(sql)
  }

  private func insert(_ tile: [UInt8], zoom: Int = 1, column: Int = 0, row: Int = 0) throws {
    let database = try Database(path, .open)
    let statement = try database.prepare("INSERT INTO tiles VALUES (?1, ?2, ?3, ?4)")
    try statement.bind(1, zoom)
    try statement.bind(2, column)
    try statement.bind(3, row)
    try statement.bind(4, tile.span)
    try statement.step()
  }

  private func problemOfFile() -> String? {
    do throws(TileSetProblem) {
      _ = try TileSet(path)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("a set is described, and its tiles are found by rows from the north")
  func reading() throws {
    try make(
      Self.tables + Self.index + """
        INSERT INTO metadata VALUES ('name', 'Alps'), ('format', 'png'), ('bounds', '10.5,47,12,48.25'),
          ('attribution', '<a href="x">&copy; OpenStreetMap</a> contributors<script>alert(1)</script> &amp;lt;');
        """)
    try insert(Self.png + [1], zoom: 1, column: 0, row: 1)
    try insert(Self.png + [2], zoom: 3, column: 5, row: 0)
    let set = try TileSet(path)
    #expect(set.description.title == "Alps" && set.description.format == .png && set.description.zooms == 1...3)
    #expect(set.description.bounds == TileBounds("10.5,47,12,48.25"))
    #expect(set.description.attribution == "© OpenStreetMap contributorsalert(1) &lt;")
    var bytes: [UInt8] = []
    #expect(try set.read(zoom: 1, column: 0, row: 0, into: &bytes) == .png && bytes == Self.png + [1])
    #expect(try set.read(zoom: 3, column: 5, row: 7, into: &bytes) == .png && bytes == Self.png + [2])
    for (zoom, column, row) in [(1, 0, 1), (2, 0, 0), (1, 2, 0), (1, -1, 0), (99, 0, 0), (1, 0, 2)] {
      #expect(try set.read(zoom: zoom, column: column, row: row, into: &bytes) == nil)
    }
  }

  private static let foreign: [(sql: String, reason: String)] = [
    ("CREATE TABLE other (a)", "no table metadata"),
    ("CREATE TABLE metadata (name, value)", "no table tiles"),
    (
      "CREATE TABLE metadata (name, value); CREATE TABLE t (a); CREATE VIEW tiles AS SELECT 1 AS zoom_level, "
        + "2 AS tile_column, 3 AS tile_row, randomblob(100000000) AS tile_data FROM t", "not a real table"
    ),
    (
      "CREATE TABLE metadata (name, value); CREATE TABLE tiles (zoom_level, tile_column, tile_row, "
        + "tile_data AS (zeroblob(zoom_level)))", "is computed"
    ),
    ("CREATE TABLE metadata (name, value); CREATE TABLE tiles (zoom_level, tile_column)", "no column tile_row"),
    (tables, "no index"),
    (
      tables + "CREATE INDEX \"i (zoom_level=? AND tile_column=? AND tile_row=?)\" ON tiles (zoom_level); "
        + "INSERT INTO tiles VALUES (1, 0, 0, x'ffd8ff')", "no index"
    ),
    (tables + index, "no tiles"),
    (tables + index + "INSERT INTO metadata VALUES ('bounds', '1,2,3')", "bounds"),
    (tables + index + "INSERT INTO metadata VALUES ('format', 'pbf')", "vector tiles"),
    (tables + index + "INSERT INTO tiles VALUES (1, 0, 0, x'1f8b08')", "vector tiles"),
    (tables + index + "INSERT INTO tiles VALUES (1, 0, 0, '<svg/>')", "neither PNG, JPEG nor WebP"),
    (tables + index + "INSERT INTO tiles VALUES (40, 0, 0, x'ffd8ff')", "zoom levels"),
    (tables + index + "INSERT INTO tiles VALUES (5, 0, 0, x'ffd8ff'), ('none', 0, 0, x'ffd8ff')", "zoom levels"),
    (tables + index + "INSERT INTO tiles VALUES (5, 0, 0, x'ffd8ff'), (x'37', 0, 0, x'ffd8ff')", "zoom levels"),
    (tables + index + "INSERT INTO tiles VALUES (1.5, 0, 0, x'ffd8ff')", "zoom levels"),
    (tables + index + "INSERT INTO metadata VALUES ('name', zeroblob(600000))", "metadata is larger"),
    (tables + index + "INSERT INTO tiles VALUES (1, 0, 0, zeroblob(2000000))", "larger than 1 MiB"),
    (
      tables + index + "INSERT INTO tiles VALUES (1, 0, 0, x'ffd8ff'), (2, 0, 0, x'89504e470d0a1a0a')",
      "different formats"
    ),
  ]

  @Test("a foreign schema is refused with its reason", arguments: foreign)
  func refused(_ sql: String, _ reason: String) throws {
    try make(sql)
    let problem = try #require(problemOfFile())
    #expect(problem.contains(reason))
  }

  @Test("long texts are cut or omitted, however few characters they have")
  func longTexts() throws {
    try make(
      Self.tables + Self.index + """
        INSERT INTO metadata VALUES ('name', CAST(zeroblob(5000) AS TEXT)), ('name', 'e' || replace(hex(zeroblob(900)), '00', '\u{301}')),
          ('attribution', 'a' || char(0) || replace(hex(zeroblob(9000)), '00', 'b'));
        """)
    try insert(Self.png)
    let set = try TileSet(path)
    #expect(set.description.title?.unicodeScalars.count == 200 && set.description.attribution == nil)
  }

  @Test("any number of look-ups succeeds, and metadata of thousands of rows is refused")
  func steps() throws {
    try make(Self.tables + Self.index)
    try insert(Self.png)
    let set = try TileSet(path)
    var bytes: [UInt8] = []
    for _ in 0..<2000 { #expect(try set.read(zoom: 1, column: 0, row: 1, into: &bytes) == .png) }
    let database = try Database(path, .open)
    try database.execute(
      """
      INSERT INTO metadata WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        SELECT 'other' || i, 'text' FROM n;
      """)
    #expect(problemOfFile()?.contains("too large to be checked") == true)
  }

  @Test("a schema that is too large to be checked is refused")
  func hugeSchema() throws {
    let tables = (0..<4000).map { "CREATE TABLE t\($0) (a);" }.joined()
    try make("BEGIN;" + Self.tables + Self.index + tables + "COMMIT")
    try insert(Self.png)
    #expect(problemOfFile()?.contains("too large to be checked") == true)
  }

  @Test("what is not a database is refused, and a damaged page fails its own tiles only")
  func damage() throws {
    try Files.replace(path, with: Array("no database".utf8), mode: 0o600)
    #expect(problemOfFile()?.contains("not an MBTiles file") == true)
    try Files.remove(path)
    try make(Self.tables + Self.index)
    for column in 0..<4 {
      try insert(Self.png + [UInt8](repeating: UInt8(column), count: 30_000), zoom: 2, column: column)
    }
    var content = try Files.read(path)
    // The pages of a large tile are a chain. This breaks one in the middle of the last tile.
    let pages = stride(from: 0, to: content.count, by: 4096).filter { page in
      content[(page + 4)..<(page + 4096)].allSatisfy { $0 == 3 }
    }
    let page = try #require(pages.dropFirst().first)
    for offset in 0..<4 { content[page + offset] = 0xff }
    try Files.replace(path, with: content, mode: 0o600)
    let set = try TileSet(path)
    var bytes: [UInt8] = []
    #expect(throws: TileSetProblem.self) { try set.read(zoom: 2, column: 3, row: 3, into: &bytes) }
    for column in 0..<3 { #expect(try set.read(zoom: 2, column: column, row: 3, into: &bytes) == .png) }
  }
}
