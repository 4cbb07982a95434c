// A straight line through values that are forgotten as they get older: a few sums, however many values.

struct FadingLine: Sendable {
  /// Seconds until a value weighs a third.
  let memory: Double
  private var origin = 0.0
  private var first: Double?
  private var last: Double?
  private var offset = 0.0
  private var (weight, time, value, timeTime, timeValue, valueValue) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
  /// How many values that would be if all weighed the same.
  private var squares = 0.0

  init(memory: Double) {
    self.memory = memory
  }

  mutating func add(_ newValue: Double, at now: Double) {
    if first == nil { (first, offset, origin) = (now, newValue, now) }
    let step = max(0, now - (last ?? now))
    last = now
    // Sums are about the latest moment, so that they stay small: all times move back by the step.
    timeValue -= step * value
    timeTime += step * (step * weight - 2 * time)
    time -= step * weight
    let fade = memory / (memory + step)
    weight *= fade
    time *= fade
    value *= fade
    timeTime *= fade
    timeValue *= fade
    valueValue *= fade
    squares *= fade * fade
    let shifted = newValue - offset
    weight += 1
    squares += 1
    value += shifted
    valueValue += shifted * shifted
  }

  /// Seconds from its first value to its last.
  var span: Double { (last ?? 0) - (first ?? 0) }

  private var spread: Double { weight * timeTime - time * time }

  var slope: Double? {
    guard spread > 1e-6 else { return nil }
    return (weight * timeValue - time * value) / spread
  }

  /// The slope's standard error, of values that scatter independently.
  var slopeError: Double? {
    guard let slope, squares > 0 else { return nil }
    let count = weight * weight / squares
    guard count > 3 else { return nil }
    let scatter = max(0, (valueValue - value * value / weight - slope * slope * spread / weight) / weight)
    return (scatter * count / (count - 2) / (spread / weight / weight * count)).squareRoot()
  }
}
