// A least-squares fit to the sizes found by stretches: a straight line over the distance, plus the
// effect of each second by which fixes are later than assumed. A tire either holds its air or loses
// some with every kilometre. The probability of each follows from how well its line fits (Bayesian
// model averaging).

internal import CMath

struct WheelLine: Sendable {
  /// The prior slope of a tire, relative to its circumference and per kilometre: one standard
  /// deviation around 0.
  static let holding = 0.0001
  static let losing = 0.0005

  /// The current size.
  let level: Double
  /// Growth per kilometre.
  let slope: Double
  /// Of the level, for points of variance 1.
  let variance: Double
  /// Weighted squares of the residuals and of the deviation from the prior.
  let squares: Double
  /// Logarithm of the share of the prior that fits about as well.
  let volume: Double

  /// Logarithm of the probability of these points for a tire of this kind.
  func evidence(_ variance: Double) -> Double { volume - squares / variance / 2 }
}

/// Sums of weighted points.
struct WheelPoints: Sendable {
  private(set) var (weight, missed, count) = (0.0, 0.0, 0)
  private var (x, xx, y, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0)
  private var (z, zz, xz, yz) = (0.0, 0.0, 0.0, 0.0)

  /// One standard deviation, in seconds, of the delay of fixes beyond the assumed one.
  private static let usualLateness = 0.5

  mutating func add(_ value: Double, at place: Double, _ entry: WheelBank.Entry) {
    let (share, lean) = (entry.weight, entry.quickening)
    weight += share
    missed += share * entry.missedShare
    count += 1
    x += share * place
    xx += share * place * place
    y += share * value
    xy += share * place * value
    yy += share * value * value
    z += share * lean
    zz += share * lean * lean
    xz += share * place * lean
    yz += share * value * lean
  }

  /// The line for a tire whose slope is about this large.
  func line(slope usualSlope: Double) -> WheelLine {
    let slopeWeight = Self.weight(of: usualSlope)
    let (a, b, c) = (weight, xx + slopeWeight, zz + Self.weight(of: Self.usualLateness))
    // The adjugate of the symmetric matrix ((a, x, z), (x, b, xz), (z, xz, c)).
    let (aa, ab, ac) = (b * c - xz * xz, z * xz - x * c, x * xz - b * z)
    let (bb, bc, cc) = (a * c - z * z, x * z - a * xz, a * b - x * x)
    let determinant = a * aa + x * ab + z * ac
    let level = (aa * y + ab * xy + ac * yz) / determinant
    let slope = (ab * y + bb * xy + bc * yz) / determinant
    let lateness = (ac * y + bc * xy + cc * yz) / determinant
    return WheelLine(
      level: level, slope: slope, variance: aa / determinant,
      squares: max(0, yy - level * y - slope * xy - lateness * yz), volume: log(slopeWeight / determinant) / 2)
  }

  /// The prior counts like a measurement; otherwise noise would tilt the line.
  private static func weight(of usual: Double) -> Double {
    WheelBank.usualSpread * WheelBank.usualSpread / (usual * usual)
  }
}

/// The mean of lines, weighted by their probability.
struct WheelLines: Sendable {
  private let variance: Double
  private var reference = 0.0
  private var (sum, level, slope, square) = (0.0, 0.0, 0.0, 0.0)

  /// `variance`: of a point with weight 1.
  init(variance: Double) {
    self.variance = variance
  }

  /// Adds a line. `prior`: its probability before any measurement.
  mutating func add(_ line: WheelLine, prior: Double) {
    let evidence = line.evidence(variance)
    // Relative to the best so far, so that it never exceeds 1.
    if sum == 0 || evidence > reference {
      let kept = sum == 0 ? 0 : exp(reference - evidence)
      (sum, level, slope, square) = (sum * kept, level * kept, slope * kept, square * kept)
      reference = evidence
    }
    let share = prior * exp(evidence - reference)
    sum += share
    level += share * line.level
    slope += share * line.slope
    square += share * (line.level * line.level + variance * line.variance)
  }

  /// Level, slope, and variance of the level: that of each line plus the spread between lines.
  var mean: (level: Double, slope: Double, variance: Double) {
    let mean = level / sum
    return (mean, slope / sum, max(0, square / sum - mean * mean))
  }
}
