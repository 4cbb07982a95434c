// The smallest box of latitudes and longitudes around positions. Where the date changes it reaches
// around the earth, which makes searches slower and no less right.

package struct PositionBox: Equatable, Sendable {
  package private(set) var south: Double
  package private(set) var west: Double
  package private(set) var north: Double
  package private(set) var east: Double

  package init(south: Double, west: Double, north: Double, east: Double) {
    (self.south, self.west, self.north, self.east) = (south, west, north, east)
  }

  package init(_ position: Coordinate) {
    (south, north) = (position.latitude, position.latitude)
    (west, east) = (position.longitude, position.longitude)
  }

  package mutating func add(_ position: Coordinate) {
    south = min(south, position.latitude)
    north = max(north, position.latitude)
    west = min(west, position.longitude)
    east = max(east, position.longitude)
  }

  package func union(_ other: PositionBox) -> PositionBox {
    PositionBox(
      south: min(south, other.south), west: min(west, other.west), north: max(north, other.north),
      east: max(east, other.east))
  }

  /// By degrees on each side.
  package func widened(north degrees: Double, east: Double) -> PositionBox {
    PositionBox(south: south - degrees, west: west - east, north: north + degrees, east: self.east + east)
  }

  package func meets(_ other: PositionBox) -> Bool {
    south <= other.north && other.south <= north && west <= other.east && other.west <= east
  }
}
