// One kind of one sensor, as the live view knows it: what was said last, when, and before. It never looks current when it is
// not: that is decided here, by the sensor's state, by the way to the daemon, and by its own age.

import Linux
import Wire

struct Reading {
  private(set) var sample: Sample
  private(set) var received: BootTime
  private(set) var history = History()
  /// Of a sample that is many values at once, an electrocardiogram's: the last of them.
  private(set) var wave: [Double] = []
  /// The usual time between two, in seconds; nil while only one is known.
  private(set) var pace: Double?

  /// Kinds that are sent rarely or on change: only the sensor's state tells whether they are current.
  private static let seldom: Set<String> = [
    "battery", "tire_pressure", "environment", "trainer_status", "body_temperature",
  ]
  /// Two seconds of an electrocardiogram.
  private static let waveLength = 260
  /// Those whose fields come one by one.
  private static let piecemeal: Set<String> = ["environment"]

  init(_ sample: Sample, at now: BootTime) {
    self.sample = sample
    received = now + .seconds(-sample.age)
    remember()
  }

  /// Of a kind that a sensor may send and has not sent yet: its place on the screen is kept.
  init(awaiting kind: String, from sensor: String, _ style: Style, at now: BootTime) {
    self.init(Sample(awaiting: kind, from: sensor, style), at: now)
  }

  /// Nothing has come yet.
  var isAwaited: Bool { sample.fields.isEmpty }

  mutating func take(_ next: Sample, at now: BootTime) {
    let moment = now + .seconds(-next.age)
    // A subscription that stands again begins with what was said before it was lost.
    if next.age > 0, moment <= received + .seconds(1) { return }
    let pause = seconds(from: received, to: moment)
    // Gaps of a lost link do not count for the pace.
    if pause < (pace.map { $0 * 4 } ?? 30) { pace = pace.map { $0 * 0.8 + pause * 0.2 } ?? pause }
    sample = Self.piecemeal.contains(next.kind) ? next.completed(by: sample) : next
    received = moment
    remember()
  }

  mutating func show(in style: Style) {
    sample.style = style
  }

  func age(at now: BootTime) -> Double {
    max(0, seconds(from: received, to: now))
  }

  private var isSeldom: Bool { Self.seldom.contains(sample.kind) }

  /// Whether it is older than its pace explains.
  func isLate(at now: BootTime) -> Bool {
    !isSeldom && age(at: now) > max(5, (pace ?? 0) * 4)
  }

  func spark(_ width: Int, at now: BootTime) -> Spark {
    if !wave.isEmpty { return Spark(wave: wave, width: width) }
    if isSeldom { return history.values(width) }
    // No longer: an old value would be a flat line over the whole width.
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

  private func seconds(from earlier: BootTime, to later: BootTime) -> Double {
    later.seconds - earlier.seconds
  }
}
