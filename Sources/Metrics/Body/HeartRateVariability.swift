// Heart-rate variability: RMSSD and SDNN as defined by the Task Force (1996), DFA-alpha1, and the
// breathing rate. All are computed from one series of beats and exclude its artefacts.
//
// SDNN grows with the length of the window and is only comparable over five minutes, as the Task
// Force specifies. RMSSD hardly depends on the length, and one minute agrees with five (Esco and
// Flatt 2014; Munoz et al. 2015), so the short window is used to follow the rider. DFA-alpha1 uses
// two minutes, because its exercise thresholds were found with that window (Rogers et al. 2021).

public import Time

/// Computes RMSSD, SDNN, DFA-alpha1 and the breathing rate from the intervals between beats.
public struct HeartRateVariability: Sendable {
  public static let rmssdWindow = 60.0
  public static let sdnnWindow = 300.0

  /// The least share of a window that must be filled.
  private static let leastFill = 0.5
  /// With this share of artefacts, undetected ones are likely too.
  private static let mostRejected = 0.2

  private(set) var beats = BeatSeries()
  private var fluctuation = DetrendedFluctuation()
  private var breathing = RespiratoryRate()

  public init() {}

  /// The intervals of one packet, oldest first, milliseconds.
  public mutating func add(rrMs intervals: Span<Double>, at time: MonotonicTime) {
    beats.add(rrMs: intervals, at: time)
  }

  public mutating func add(rrMs: Double, at time: MonotonicTime) {
    beats.add(rrMs: rrMs, at: time)
  }

  /// The link was lost, or another sensor took over.
  public mutating func interrupt() {
    beats.interrupt()
  }

  public mutating func removeAll() {
    beats.removeAll()
  }

  /// In milliseconds: the root mean square of the differences between neighbours.
  public mutating func rmssd(at time: MonotonicTime) -> Estimate? {
    beats.judgeWaiting()
    let window = beats.window(Self.rmssdWindow, at: time)
    guard let confidence = Self.confidence(window) else { return nil }
    var sum = 0.0
    var count = 0
    for index in window.beats.dropFirst() where beats.isPair(index) {
      let difference = beats[index].intervalMs - beats[index - 1].intervalMs
      sum += difference * difference
      count += 1
    }
    guard count >= 10 else { return nil }
    return Estimate(value: (sum / Double(count)).squareRoot(), confidence: confidence)
  }

  /// In milliseconds: the sample standard deviation of the accepted intervals.
  public mutating func sdnn(at time: MonotonicTime) -> Estimate? {
    beats.judgeWaiting()
    let window = beats.window(Self.sdnnWindow, at: time)
    guard let confidence = Self.confidence(window) else { return nil }
    var sum = 0.0
    var count = 0.0
    for index in window.beats where beats[index].verdict == .normal {
      sum += beats[index].intervalMs
      count += 1
    }
    let mean = sum / count
    var squares = 0.0
    for index in window.beats where beats[index].verdict == .normal {
      let deviation = beats[index].intervalMs - mean
      squares += deviation * deviation
    }
    return Estimate(value: (squares / (count - 1)).squareRoot(), confidence: confidence)
  }

  /// Takes tens of microseconds, so call it every few seconds only.
  public mutating func dfaAlpha1(at time: MonotonicTime) -> Estimate? {
    beats.judgeWaiting()
    return fluctuation.alpha1(of: beats, at: time)
  }

  /// As expensive as `dfaAlpha1`.
  public mutating func breathsPerMinute(at time: MonotonicTime) -> Estimate? {
    beats.judgeWaiting()
    return breathing.breathsPerMinute(of: beats, at: time)
  }

  private static func confidence(_ window: BeatSeries.Window) -> Double? {
    window.confidence(leastFill: leastFill, mostRejected: mostRejected)
  }
}

extension BeatSeries.Window {
  /// The filled share of the window, reduced by the rejected share; nil if the window is too poor.
  func confidence(leastFill: Double, mostRejected: Double) -> Double? {
    guard fill >= leastFill, rejectedShare < mostRejected else { return nil }
    return fill * (1 - rejectedShare / mostRejected)
  }
}
