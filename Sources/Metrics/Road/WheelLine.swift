// What fits the sizes that stretches found with the least squares: a straight line over the distance, and what each second does that fixes
// come later than is reckoned. A tire holds its air, or it loses some with every kilometre: how probable each is follows from
// how well the line of each fits (Bayesian model averaging).

internal import CMath

struct WheelLine: Sendable {
  /// The slope of a tire, as a part of its circumference in a kilometre: one standard deviation, about 0.
  static let holding = 0.0001
  static let losing = 0.0005

  /// Where the wheel is now.
  let level: Double
  /// By how much larger it becomes, in a kilometre.
  let slope: Double
  /// Of the level, for points of variance 1.
  let variance: Double
  /// How far the points lie from it, and it from what is usual.
  let squares: Double
  /// The logarithm of how much of what it might have been fits as well.
  let volume: Double

  /// The logarithm of how probable these points are, for a tire of this kind.
  func evidence(_ variance: Double) -> Double { volume - squares / variance / 2 }
}

/// Sums of weighted points.
struct WheelPoints: Sendable {
  private(set) var (weight, missed, count) = (0.0, 0.0, 0)
  private var (x, xx, y, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0)
  private var (z, zz, xz, yz) = (0.0, 0.0, 0.0, 0.0)

  /// Seconds: one standard deviation of how late fixes come, beside what is reckoned.
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

  /// Of a tire whose slope is about so large.
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

  /// What is usual counts like a measurement of its own, or noise would tilt the line.
  private static func weight(of usual: Double) -> Double {
    WheelBank.usualSpread * WheelBank.usualSpread / (usual * usual)
  }
}

/// The mean of lines, each with how probable it is.
struct WheelLines: Sendable {
  private let variance: Double
  private var reference = 0.0
  private var (sum, level, slope, square) = (0.0, 0.0, 0.0, 0.0)

  /// Of a point of weight 1.
  init(variance: Double) {
    self.variance = variance
  }

  /// How probable it is before anything was measured is said with it.
  mutating func add(_ line: WheelLine, prior: Double) {
    let evidence = line.evidence(variance)
    // Relative to the best so far: it is never more than 1.
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

  /// Level, slope, and the variance of the level: that of each line, and how far they are apart.
  var mean: (level: Double, slope: Double, variance: Double) {
    let mean = level / sum
    return (mean, slope / sum, max(0, square / sum - mean * mean))
  }
}
