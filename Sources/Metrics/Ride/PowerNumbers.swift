// Power second by second: the means of the last seconds, and which seconds were ridden. RiddenPower
// and TrainingNumbers use these seconds. docs/metrics.md has the formulas.

public import Time

/// Computes means of the last seconds of power, and hands on which seconds were ridden.
public struct PowerNumbers: Sendable {
  /// What is known about the bike when a second is closed.
  public struct Riding: Sendable {
    /// The ride is not paused.
    public var isMoving: Bool
    /// When it began to move.
    public var since: MonotonicTime?
    /// When the bike was last seen to move.
    public var movedAt: MonotonicTime?
    /// From the chosen strap.
    public var bpm: Double?

    public init(isMoving: Bool, since: MonotonicTime? = nil, movedAt: MonotonicTime? = nil, bpm: Double? = nil) {
      (self.isMoving, self.since, self.movedAt, self.bpm) = (isMoving, since, movedAt, bpm)
    }
  }

  public private(set) var ridden: RiddenPower
  private var grid = SecondGrid(holding: Self.holding)
  private var held = HeldSeconds()

  /// A live power meter sends at least every two seconds.
  private static let holding = 2.0

  public init(
    _ sums: RiddenPower.Sums = RiddenPower.Sums(ride: SavedRide.Power(), lap: SavedRide.Power()),
    saved: SavedRide.Efforts = SavedRide.Efforts()
  ) {
    ridden = RiddenPower(sums, saved: saved)
  }

  public mutating func add(
    _ watts: Double, at time: MonotonicTime, _ riding: Riding, into training: inout TrainingNumbers
  ) {
    if grid.closes(at: time) { advance(to: time, riding, into: &training) }
    grid.add(watts, at: time)
  }

  public mutating func advance(to time: MonotonicTime, _ riding: Riding, into training: inout TrainingNumbers) {
    let before = grid.closedSeconds
    var closed = InlineArray<128, Float>(repeating: .nan)
    var count = 0
    grid.advance(to: time) { value in
      if count < closed.count { closed[count] = value.map { Float($0) } ?? .nan }
      count += 1
    }
    let seconds = grid.closedSeconds - before
    guard seconds > 0 else { return }
    count = min(count, closed.count)
    for index in 0..<count {
      let watts = closed[index].isNaN ? nil : Double(closed[index])
      training.pass(watts, seconds: 1, isResting: !riding.isMoving)
      if let watts { hold(watts, endingAt: grid.end(ofSecond: before + index), riding, &training) }
    }
    // The middle of a long gap.
    if seconds > count { training.pass(nil, seconds: Double(seconds - count), isResting: !riding.isMoving) }
    releaseAndDrop(riding, &training)
  }

  /// The seconds so far belong to the old lap if they were ridden.
  public mutating func beginLap(_ riding: Riding, into training: inout TrainingNumbers) {
    settle(riding, into: &training)
    ridden.beginLap()
  }

  /// A lap or a manual pause begins: seconds up to the last pedalling count as ridden.
  public mutating func settle(_ riding: Riding, into training: inout TrainingNumbers) {
    while riding.isMoving, held.hasPower { release(riding, &training) }
  }

  public func mean(ofLast seconds: Int) -> Double? { grid.mean(ofLast: seconds) }

  private mutating func hold(
    _ watts: Double, endingAt end: MonotonicTime, _ riding: Riding, _ training: inout TrainingNumbers
  ) {
    guard riding.isMoving, riding.since.map({ end > $0 }) ?? true else { return }
    if held.isFull { release(riding, &training) }
    held.add(watts, endingAt: end)
  }

  private mutating func releaseAndDrop(_ riding: Riding, _ training: inout TrainingNumbers) {
    // Seconds up to the pause still count.
    while held.isReleased(by: riding.movedAt) { release(riding, &training) }
    if !riding.isMoving { held.removeAll() }
  }

  private mutating func release(_ riding: Riding, _ training: inout TrainingNumbers) {
    guard let watts = held.removeFirst() else { return }
    let window = ridden.add(watts)
    training.add(ridden: watts, window: window, bpm: riding.bpm)
  }
}
