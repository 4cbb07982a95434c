// A file of map tiles: raster MBTiles, version 1.3 of the specification. The file is of unknown
// origin, so it is opened read-only, nothing of its schema is run, and each look-up is one search in
// an index. A damaged page fails the look-ups that need it, and no others.

import SQLite
import Text

public final class TileSet {
  public static let largestTile = 1 << 20
  /// A web map is never closer.
  private static let zooms: ClosedRange<Int64> = 0...22
  /// Enough for the schema and the metadata of any program that makes tiles.
  private static let steps: Int32 = 20_000
  /// A search in an index takes some tens.
  private static let stepsOfLookUp: Int32 = 1000
  /// Raster tile sets have some ten rows of metadata, and texts of some hundred bytes.
  private static let stepsOfMetadata: Int32 = 1000
  private static let longestMetadata = 4096
  private static let longestMetadataRow: Int32 = 256 << 10
  private static let longestRow = Int32(largestTile) + 4096

  public let description: TileSetDescription
  private let lookUp: Statement

  private static let question = """
    SELECT tile_data FROM tiles WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3 LIMIT 1
    """

  /// The file must not change while it is open.
  public init(_ path: String) throws(TileSetProblem) {
    let database: Database
    let checked: Checked
    do throws(SQLiteError) {
      database = try Database(untrusted: path, longestRow: Self.longestRow, steps: Self.steps)
      try database.execute("PRAGMA cache_size=-256")
      checked = try Self.check(database)
    } catch {
      throw TileSetProblem(error)
    }
    description = try checked.get()
    do throws(SQLiteError) {
      lookUp = try database.prepare(Self.question)
      database.limitWork(Self.stepsOfLookUp)
    } catch {
      throw TileSetProblem(error)
    }
  }

  /// Replaces the contents of `bytes` with a tile, whose rows count from the north. Nil without one.
  public func read(zoom: Int, column: Int, row: Int, into bytes: inout [UInt8]) throws(TileSetProblem) -> TileFormat? {
    guard description.zooms ~= zoom, 0..<(1 << zoom) ~= column, 0..<(1 << zoom) ~= row else { return nil }
    do throws(SQLiteError) {
      lookUp.countStepsFromZero()
      try lookUp.bind(1, zoom)
      try lookUp.bind(2, column)
      // In the file, rows count from the south.
      try lookUp.bind(3, (1 << zoom) - 1 - row)
      defer { lookUp.reset() }
      guard try lookUp.step() else { return nil }
      lookUp.blob(0, into: &bytes)
    } catch {
      if error.code.isInterrupt { throw TileSetProblem("finding a tile takes too long") }
      throw TileSetProblem(error)
    }
    guard let format = TileFormat(bytes), bytes.count <= Self.largestTile else {
      throw TileSetProblem("a tile is neither PNG, JPEG nor WebP")
    }
    return format
  }

  // MARK: Checking

  private typealias Checked = Result<TileSetDescription, TileSetProblem>

  private static func check(_ database: Database) throws(SQLiteError) -> Checked {
    for (table, columns) in [
      ("metadata", ["name", "value"]), ("tiles", ["zoom_level", "tile_column", "tile_row", "tile_data"]),
    ] {
      if let problem = try checkTable(table, columns, database) { return .failure(problem) }
    }
    let metadata: [String: String]
    switch try readMetadata(database) {
    case .success(let texts): metadata = texts
    case .failure(let problem): return .failure(problem)
    }
    guard try hasIndex(database) else {
      return .failure(TileSetProblem("its tiles have no index on zoom_level, tile_column and tile_row"))
    }
    if metadata["format"] == "pbf" { return .failure(.vector) }
    let bounds = metadata["bounds"].map { TileBounds($0) }
    if case .some(nil) = bounds {
      return .failure(TileSetProblem("its bounds are not west,south,east,north in degrees, with south below north"))
    }
    let found: ClosedRange<Int64>
    switch try readZooms(database) {
    case .success(let range): found = range
    case .failure(let problem): return .failure(problem)
    }
    var formats: Set<TileFormat> = []
    for zoom in found {
      switch try sample(zoom, database) {
      case .success(let format): if let format { formats.insert(format) }
      case .failure(let problem): return .failure(problem)
      }
    }
    guard let format = formats.first else { return .failure(.empty) }
    guard formats.count == 1 else { return .failure(TileSetProblem("its tiles have different formats")) }
    return .success(
      TileSetDescription(
        title: text(metadata["name"]), attribution: text(metadata["attribution"]), format: format,
        zooms: Int(found.lowerBound)...Int(found.upperBound), bounds: bounds ?? nil))
  }

  private static func text(_ html: String?) -> String? {
    html.map(PlainText.of).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A view or a virtual table would run what somebody wrote, and so would a computed column.
  private static func checkTable(
    _ table: String, _ columns: [String], _ database: Database
  ) throws(SQLiteError) -> TileSetProblem? {
    let kinds = try database.prepare("SELECT type, rootpage FROM sqlite_schema WHERE name = ?1")
    try kinds.bind(1, table)
    guard try kinds.step() else { return TileSetProblem("it has no table \(table), so it is not an MBTiles file") }
    let isTable = kinds.text(0) == "table" && kinds.integer(1) > 0
    kinds.reset()
    guard isTable else {
      return TileSetProblem("\(table) is not a real table; make the file again, without views")
    }
    var plain: Set<String> = []
    let described = try database.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)")
    try described.bind(1, table)
    while try described.step() {
      guard described.integer(1) == 0 else { return TileSetProblem("a column of its table \(table) is computed") }
      if let name = described.text(0) { plain.insert(name) }
    }
    for column in columns where !plain.contains(column) {
      return TileSetProblem("its table \(table) has no column \(column)")
    }
    return nil
  }

  /// Without it, a look-up would read the whole file.
  private static func hasIndex(_ database: Database) throws(SQLiteError) -> Bool {
    let plan = try database.prepare("EXPLAIN QUERY PLAN " + question)
    defer { plan.reset() }
    guard try plan.step(), let detail = plan.text(3), detail.hasPrefix("SEARCH"), detail.hasSuffix(")"),
      let bracket = detail.lastIndex(of: "(")
    else { return false }
    // What the search uses comes last. The name of the index, which is before it, can be anything.
    var terms: Set<String> = []
    var rest: String? = String(detail[detail.index(after: bracket)...].dropLast())
    while let text = rest {
      let (term, others) = text.divided(at: " AND ")
      terms.insert(term)
      rest = others
    }
    return terms == ["zoom_level=?", "tile_column=?", "tile_row=?"]
  }

  /// A column can contain anything, whatever its type is.
  private static func readZooms(
    _ database: Database
  ) throws(SQLiteError) -> Result<ClosedRange<Int64>, TileSetProblem> {
    var ends: [Int64] = []
    for end in ["min", "max"] {
      let found = try database.prepare(
        "SELECT zoom, typeof(zoom) FROM (SELECT \(end)(zoom_level) AS zoom FROM tiles)")
      defer { found.reset() }
      guard try found.step(), !found.isNull(0) else { return .failure(.empty) }
      if found.text(1) == "integer" { ends.append(found.integer(0)) }
    }
    guard ends.count == 2, ends[0] <= ends[1], zooms ~= ends[0], zooms ~= ends[1] else {
      return .failure(TileSetProblem("its zoom levels are not numbers from 0 to \(zooms.upperBound)"))
    }
    return .success(ends[0]...ends[1])
  }

  /// The first text of each name. Longer ones are omitted.
  private static func readMetadata(
    _ database: Database
  ) throws(SQLiteError) -> Result<[String: String], TileSetProblem> {
    database.limitRows(toBytes: longestMetadataRow)
    database.limitWork(stepsOfMetadata)
    defer {
      database.limitRows(toBytes: longestRow)
      database.limitWork(steps)
    }
    var metadata: [String: String] = [:]
    do throws(SQLiteError) {
      for name in ["name", "attribution", "format", "bounds"] {
        let rows = try database.prepare(
          """
          SELECT value FROM metadata
          WHERE name = ?1 COLLATE BINARY AND length(CAST(value AS BLOB)) <= \(longestMetadata) LIMIT 1
          """)
        try rows.bind(1, name)
        defer { rows.reset() }
        if try rows.step() { metadata[name] = rows.text(0) }
      }
    } catch {
      guard error.code.isTooLong else { throw error }
      return .failure(TileSetProblem("a text of its metadata is larger than \(longestMetadataRow >> 10) KiB"))
    }
    return .success(metadata)
  }

  /// The format of a tile of a zoom level, or nil without tiles there.
  private static func sample(
    _ zoom: Int64, _ database: Database
  ) throws(SQLiteError) -> Result<TileFormat?, TileSetProblem> {
    let tiles = try database.prepare("SELECT tile_data FROM tiles WHERE zoom_level = ?1 LIMIT 1")
    try tiles.bind(1, zoom)
    defer { tiles.reset() }
    guard try tiles.step() else { return .success(nil) }
    let bytes = tiles.blob(0)
    // Vector tiles are compressed with gzip.
    if bytes.starts(with: [0x1f, 0x8b]) { return .failure(.vector) }
    guard let format = TileFormat(bytes) else {
      return .failure(TileSetProblem("a tile of zoom level \(zoom) is neither PNG, JPEG nor WebP"))
    }
    if bytes.count > largestTile { return .failure(.tooLarge) }
    return .success(format)
  }
}

extension TileSetProblem {
  fileprivate static let vector = TileSetProblem(
    "it has vector tiles, which the page cannot show: make a file with raster tiles, PNG, JPEG or WebP")
  fileprivate static let empty = TileSetProblem("it has no tiles")
  fileprivate static let tooLarge = TileSetProblem(
    "a tile is larger than \(TileSet.largestTile >> 20) MiB")

  fileprivate init(_ error: SQLiteError) {
    if error.code.isTooLong {
      self = .tooLarge
    } else if error.code.isInterrupt {
      self.init("its tables and metadata are too large to be checked")
    } else if error.code.isDamage {
      self.init("it is damaged, or not an MBTiles file (\(error))")
    } else {
      self.init("it cannot be read (\(error))")
    }
  }
}
