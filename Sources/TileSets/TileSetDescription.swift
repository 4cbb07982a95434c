// What a tile set says about itself, checked against its tiles.

/// In degrees. A west that is east of the east is a set across the date line.
public struct TileBounds: Equatable, Sendable {
  public let west: Double
  public let south: Double
  public let east: Double
  public let north: Double

  /// `west,south,east,north`, as in the specification of MBTiles.
  init?(_ text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      Double(part.filter { $0 != " " })
    }
    guard numbers.count == 4, let west = numbers[0], let south = numbers[1], let east = numbers[2],
      let north = numbers[3], -180...180 ~= west, -180...180 ~= east, -90...90 ~= south, -90...90 ~= north,
      west != east, south < north
    else { return nil }
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }
}

public struct TileSetDescription: Equatable, Sendable {
  /// As plain text, like the attribution.
  public let title: String?
  public let attribution: String?
  public let format: TileFormat
  public let zooms: ClosedRange<Int>
  /// Nil if the file does not say.
  public let bounds: TileBounds?
}

/// Why a file cannot be used, as a sentence that begins with the file: "it has vector tiles".
public struct TileSetProblem: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
