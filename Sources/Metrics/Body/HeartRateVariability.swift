// How much the time between heartbeats varies, and what that says: RMSSD and SDNN as the Task Force (1996) defines them, DFA-alpha1, and
// the rate of breathing. All from one series of beats, whose artefacts are in none of them.
//
// Windows. SDNN grows with the time that it is taken over, and is comparable over five minutes only: the Task Force's. RMSSD hardly
// does, and a minute of it agrees with five (Esco and Flatt 2014; Munoz et al. 2015): so it follows the rider. DFA-alpha1 over two
// minutes is what its thresholds in exercise were found with (Rogers et al. 2021).

import SensorKit

struct HeartRateVariability: Sendable {
  static let rmssdWindow = 60.0
  static let sdnnWindow = 300.0

  /// Of a window less is not enough.
  private static let leastFill = 0.5
  /// Where so much of it is artefacts, what is left cannot be trusted to have none.
  private static let mostRejected = 0.2

  private(set) var beats = BeatSeries()
  private var fluctuation = DetrendedFluctuation()
  private var breathing = RespiratoryRate()

  init() {}

  /// The intervals of one packet, oldest first, milliseconds.
  mutating func add(rrMs intervals: Span<Double>, at time: MonotonicTime) {
    beats.add(rrMs: intervals, at: time)
  }

  mutating func add(rrMs: Double, at time: MonotonicTime) {
    beats.add(rrMs: rrMs, at: time)
  }

  /// The link was lost, or the sensor is another one of the same rider.
  mutating func interrupt() {
    beats.interrupt()
  }

  mutating func removeAll() {
    beats.removeAll()
  }

  /// Milliseconds: the root of the mean square of the differences of neighbours.
  mutating func rmssd(at time: MonotonicTime) -> Estimate? {
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

  /// Milliseconds: the standard deviation of the accepted intervals, that of a sample.
  mutating func sdnn(at time: MonotonicTime) -> Estimate? {
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

  /// Costs some tens of microseconds: to be asked every few seconds.
  mutating func dfaAlpha1(at time: MonotonicTime) -> Estimate? {
    beats.judgeWaiting()
    return fluctuation.alpha1(of: beats, at: time)
  }

  /// As dear as `dfaAlpha1`.
  mutating func breathsPerMinute(at time: MonotonicTime) -> Estimate? {
    beats.judgeWaiting()
    return breathing.breathsPerMinute(of: beats, at: time)
  }

  private static func confidence(_ window: BeatSeries.Window) -> Double? {
    window.confidence(leastFill: leastFill, mostRejected: mostRejected)
  }
}

extension BeatSeries.Window {
  /// What part of the window is there, and less the more was rejected; nothing where that is too little to say anything.
  func confidence(leastFill: Double, mostRejected: Double) -> Double? {
    guard fill >= leastFill, rejectedShare < mostRejected else { return nil }
    return fill * (1 - rejectedShare / mostRejected)
  }
}
