// Finds the pieces of a line that are near a place. Boxes enclose 16 pieces each, larger boxes 16
// boxes each, and so on up to one. A search enters only boxes that are near enough. It finds the
// nearest piece at any distance, takes a byte per point, and allocates nothing.

import Earth

struct RouteIndex: Sendable {
  private struct Box: Sendable {
    var south: Int32
    var west: Int32
    var north: Int32
    var east: Int32

    init(_ place: PackedPlace) {
      (south, north, west, east) = (place.latitude, place.latitude, place.longitude, place.longitude)
    }

    mutating func add(_ box: Box) {
      (south, north) = (min(south, box.south), max(north, box.north))
      (west, east) = (min(west, box.west), max(east, box.east))
    }

    /// Metres from the origin of the plane, or less.
    func distance(from plane: LocalPlane) -> Double {
      let low = PackedPlace(latitude: south, longitude: west).point(on: plane)
      let high = PackedPlace(latitude: north, longitude: east).point(on: plane)
      // Where the date changes, a box can reach around the earth.
      let isWhole = Int64(east) - Int64(west) > 1_800_000_000 || low.x > high.x
      let across = isWhole ? 0 : max(0, low.x, -high.x)
      let up = max(0, low.y, -high.y)
      return (across * across + up * up).squareRoot()
    }
  }

  private static let fanOut = 16

  private let pieces: Int
  /// All levels, the one that encloses pieces first.
  private let boxes: [Box]
  /// Where each level begins, and the end of the last one.
  private let starts: [Int]

  init(_ places: [PackedPlace]) {
    pieces = places.count - 1
    var boxes: [Box] = []
    for first in stride(from: 0, to: pieces, by: Self.fanOut) {
      var box = Box(places[first])
      for place in places[first...min(first + Self.fanOut, pieces)] { box.add(Box(place)) }
      boxes.append(box)
    }
    var starts = [0, boxes.count]
    while starts[starts.count - 1] - starts[starts.count - 2] > 1 {
      let (from, to) = (starts[starts.count - 2], starts[starts.count - 1])
      for first in stride(from: from, to: to, by: Self.fanOut) {
        var box = boxes[first]
        for inner in boxes[first..<min(first + Self.fanOut, to)] { box.add(inner) }
        boxes.append(box)
      }
      starts.append(boxes.count)
    }
    (self.boxes, self.starts) = (boxes, starts)
  }

  /// Visits pieces that can be within a distance of the origin of the plane, in their order. The
  /// visitor returns the distance for what follows.
  func search(around plane: LocalPlane, within metres: Double, _ visit: (Int) -> Double) {
    var metres = metres
    search(starts.count - 2, 0, around: plane, &metres, visit)
  }

  private func search(
    _ level: Int, _ number: Int, around plane: LocalPlane, _ metres: inout Double, _ visit: (Int) -> Double
  ) {
    guard boxes[starts[level] + number].distance(from: plane) <= metres else { return }
    let first = number * Self.fanOut
    if level == 0 {
      for piece in first..<min(first + Self.fanOut, pieces) { metres = visit(piece) }
    } else {
      let count = starts[level] - starts[level - 1]
      for inner in first..<min(first + Self.fanOut, count) { search(level - 1, inner, around: plane, &metres, visit) }
    }
  }
}
