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

  @Test("a set may go across the date line, and may have no bounds")
  func bounds() throws {
    try make(Self.tables + Self.index + "INSERT INTO metadata VALUES ('bounds', '177,-20,-178.5,-15')")
    try insert(Self.png)
    let bounds = try #require(try TileSet(path).description.bounds)
    #expect((bounds.west, bounds.south, bounds.east, bounds.north) == (177, -20, -178.5, -15))
    let database = try Database(path, .open)
    for text in ["10,48,12,47", "10,47,10,48", "10,47,12", "-181,47,12,48", "10,47,12,nan", "10,47,12,48,", ""] {
      try database.execute("UPDATE metadata SET value = '\(text)'")
      #expect(problemOfFile()?.contains("with south below north") == true, "\(text)")
    }
    try database.execute("DELETE FROM metadata")
    #expect(try TileSet(path).description.bounds == nil)
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

  @Test("a tile that claims to have a gigabyte is refused without reading it")
  func gigabyte() throws {
    try make(Self.tables + Self.index)
    try insert(Self.png)
    let page = try rootPage()
    var content = try Files.read(path)
    let start = (page - 1) * 4096
    content.replaceSubrange(start..<(start + 4096), with: Self.leaf(withTileOf: 1_000_000_000))
    try Files.replace(path, with: content, mode: 0o600)
    #expect(problemOfFile() == "a tile is larger than 1 MiB")
  }

  private func rootPage() throws -> Int {
    let database = try Database(path, .open)
    let schema = try database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'tiles'")
    try #require(try schema.step())
    return Int(schema.integer(0))
  }

  /// A page of the table with one row, the tile 1/0/0. Only the first bytes of the tile are there.
  /// The file format of SQLite, sections 1.6 and 2.1.
  private static func leaf(withTileOf bytes: Int) -> [UInt8] {
    let types: [UInt8] = [1, 1, 1] + varint(2 * bytes + 12)
    let record = [UInt8(types.count + 1)] + types + [1, 0, 0]
    let payload = record.count + bytes
    let (usable, least) = (4096, (4096 - 12) * 32 / 255 - 23)
    let most = least + (payload - least) % (usable - 4)
    let local = most <= usable - 35 ? most : least
    let rest = [UInt8](repeating: 0, count: local - record.count - png.count)
    let cell = varint(payload) + [1] + record + png + rest + [0, 0, 0, 2]
    let place = usable - cell.count
    let head: [UInt8] = [
      0x0d, 0, 0, 0, 1, UInt8(place >> 8), UInt8(place & 0xff), 0, UInt8(place >> 8), UInt8(place & 0xff),
    ]
    return head + [UInt8](repeating: 0, count: place - head.count) + cell
  }

  private static func varint(_ number: Int) -> [UInt8] {
    var groups = [UInt8(number & 0x7f)]
    var rest = number >> 7
    while rest > 0 {
      groups.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
      rest >>= 7
    }
    return groups
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
