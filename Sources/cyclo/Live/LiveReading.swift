// One kind of one sensor in the live view: the last value, its time and its history. Whether it is
// current is decided here, from the sensor's state, the connection and the value's age.

import JSON
import Linux
import Time

struct LiveReading {
  private(set) var sample: Sample
  private(set) var received: MonotonicTime
  private(set) var history = History()
  /// For a sample with many values, such as an electrocardiogram: the last one.
  private(set) var wave: [Double] = []
  /// The typical interval between two, in seconds; nil until there are two.
  private(set) var pace: Double?

  /// Kinds that are sent rarely or on change: only the sensor's state tells whether they are current.
  private static let seldom: Set<String> = [
    "battery", "tire_pressure", "environment", "trainer_status", "body_temperature",
  ]
  /// Two seconds of an electrocardiogram.
  private static let waveLength = 260
  /// Kinds whose fields arrive in separate samples.
  private static let piecemeal: Set<String> = ["environment"]

  init(_ sample: Sample, at now: MonotonicTime) {
    self.sample = sample
    received = now + .seconds(-sample.age)
    remember()
  }

  /// A kind that the sensor may send but has not sent yet: it keeps its place on the screen.
  init(awaiting kind: String, from sensor: String, _ style: Style, at now: MonotonicTime) {
    self.init(Sample(awaiting: kind, from: sensor, style), at: now)
  }

  /// Nothing has arrived yet.
  var isAwaited: Bool { sample.fields.isEmpty }

  mutating func take(_ next: Sample, at now: MonotonicTime) {
    let moment = now + .seconds(-next.age)
    // A new subscription starts with values from before the connection was lost.
    if next.age > 0, moment <= received + .seconds(1) { return }
    let pause = seconds(from: received, to: moment)
    // Gaps of a lost connection do not count as intervals.
    if pause < (pace.map { $0 * 4 } ?? 30) { pace = pace.map { $0 * 0.8 + pause * 0.2 } ?? pause }
    sample = Self.piecemeal.contains(next.kind) ? next.completed(by: sample) : next
    received = moment
    remember()
  }

  mutating func show(in style: Style) {
    sample.style = style
  }

  func age(at now: MonotonicTime) -> Double {
    max(0, seconds(from: received, to: now))
  }

  private var isSeldom: Bool { Self.seldom.contains(sample.kind) }

  /// Whether it is older than its pace explains.
  func isLate(at now: MonotonicTime) -> Bool {
    !isSeldom && age(at: now) > max(5, (pace ?? 0) * 4)
  }

  func spark(_ width: Int, at now: MonotonicTime) -> Spark {
    if !wave.isEmpty { return Spark(wave: wave, width: width) }
    if isSeldom { return history.values(width) }
    // Not longer: an old value would be a flat line over the whole width.
    let hold = Int64(min(10, max(2, (pace ?? 1) * 2.5)).rounded(.up))
    return history.seconds(width, before: now.nanoseconds / 1_000_000_000, hold: hold)
  }

  /// The number that is shown large.
  var number: Double? { sample.headlineField?.value.number }

  private mutating func remember() {
    if let number { history.append(number, at: received.nanoseconds / 1_000_000_000) }
    guard let items = sample.headlineField?.value.items else { return }
    wave = (wave + items.compactMap(\.number)).suffix(Self.waveLength)
  }

  private func seconds(from earlier: MonotonicTime, to later: MonotonicTime) -> Double {
    later.seconds - earlier.seconds
  }
}
