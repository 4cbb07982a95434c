// Aerobic decoupling: how far the efficiency factor (normalized power over heart rate) drops from
// the first half of the ride to the second. The ride is kept in pieces of equal length, because its
// middle is not known in advance.

/// Computes the decoupling in percent from ridden seconds of power and heart rate.
public struct Decoupling: Equatable, Sendable {
  public typealias Piece = SavedRide.Piece

  private var pieces: [Piece] = []
  private var current = Piece()
  /// Seconds per piece. When there are too many, pieces are merged in pairs.
  private var length = Self.shortest

  private static let shortest = 60.0
  private static let most = 64
  /// In seconds; the halves of a shorter ride are meaningless.
  private static let least = 1200.0

  public init(saved: SavedRide.Pieces = SavedRide.Pieces()) {
    pieces.reserveCapacity(Self.most)
    guard saved.length >= Self.shortest, saved.complete.count < Self.most else { return }
    (pieces, current, length) = (saved.complete, saved.current, saved.length)
    pieces.reserveCapacity(Self.most)
  }

  public var saved: SavedRide.Pieces { SavedRide.Pieces(length: length, complete: pieces, current: current) }

  /// Adds a ridden second: the mean power of the 30 seconds that end with it, and the heart rate.
  public mutating func add(window: Double?, bpm: Double?) {
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

  /// Nil before there are halves of ten minutes, or if one of them lacks the heart rate for half of
  /// its time.
  public var percent: Double? {
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
