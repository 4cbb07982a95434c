// Aerobic decoupling: by how much the efficiency factor (normalized power over heart rate) of the ride's second half is below that of
// its first. The ride is kept as pieces of equal length, so that where the middle is need not be known beforehand.

struct Decoupling: Equatable, Sendable {
  typealias Piece = SavedRide.Piece

  private var pieces: [Piece] = []
  private var current = Piece()
  /// Seconds of a piece. When there are too many pieces, every two of them become one.
  private var length = Self.shortest

  private static let shortest = 60.0
  private static let most = 64
  /// Seconds. Of a shorter ride the halves say nothing.
  private static let least = 1200.0

  init(saved: SavedRide.Pieces = SavedRide.Pieces()) {
    pieces.reserveCapacity(Self.most)
    guard saved.length >= Self.shortest, saved.complete.count < Self.most else { return }
    (pieces, current, length) = (saved.complete, saved.current, saved.length)
    pieces.reserveCapacity(Self.most)
  }

  var saved: SavedRide.Pieces { SavedRide.Pieces(length: length, complete: pieces, current: current) }

  /// A ridden second: the half minute of power that ends with it, and the heart rate.
  mutating func add(window: Double?, bpm: Double?) {
    current.seconds += 1
    if let window {
      current.fourths += window * window * window * window
      current.windows += 1
    }
    if let bpm {
      current.beats += bpm
      current.beatSeconds += 1
    }
    guard current.seconds >= length else { return }
    pieces.append(current)
    current = Piece()
    if pieces.count == Self.most { join() }
  }

  /// Nil before there are halves of ten minutes, or where one has no heart rate for half of it.
  var percent: Double? {
    guard Double(pieces.count) * length >= Self.least else { return nil }
    let half = pieces.count / 2
    guard let first = efficiency(0..<half), let second = efficiency(pieces.count - half..<pieces.count), first > 0
    else { return nil }
    return (first - second) / first * 100
  }

  private func efficiency(_ range: Range<Int>) -> Double? {
    var sum = Piece()
    for index in range { sum.add(pieces[index]) }
    guard sum.windows > 0, sum.beats > 0, sum.beatSeconds * 2 >= sum.seconds else { return nil }
    return (sum.fourths / sum.windows).squareRoot().squareRoot() / (sum.beats / sum.beatSeconds)
  }

  private mutating func join() {
    for index in 0..<Self.most / 2 {
      var pair = pieces[2 * index]
      pair.add(pieces[2 * index + 1])
      pieces[index] = pair
    }
    pieces.removeLast(Self.most / 2)
    length *= 2
  }
}

extension SavedRide.Piece {
  fileprivate mutating func add(_ other: Self) {
    fourths += other.fourths
    windows += other.windows
    beats += other.beats
    beatSeconds += other.beatSeconds
    seconds += other.seconds
  }
}
