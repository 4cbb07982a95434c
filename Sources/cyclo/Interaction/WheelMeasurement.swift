// Measures a wheel by rolling it: the distance between two marks, divided by the counted
// revolutions.

import CyclometerClient
import CyclometerSamples
import Linux
import Time
import Wire

/// Counts wheel revolutions while the bike rolls. The caller supplies the samples.
struct TurnCount: Equatable {
  private(set) var last: Double?
  private var first: Double?

  /// A wheel's counter has 32 bits and wraps around.
  private static let end = 4_294_967_296.0

  mutating func take(_ record: ReceivedRecord) {
    if case .sample(let sample) = record.message { take(sample) }
  }

  mutating func take(_ sample: SampleRecord) {
    if let revolutions = SpeedSample(sample)?.wheelRevs { last = Double(revolutions) }
  }

  mutating func begin() {
    first = last
  }

  var turns: Int? {
    guard let first, let last else { return nil }
    return Int(last >= first ? last - first : last - first + Self.end)
  }
}

/// Metres from typed text: `21.05`, `2105 cm`, `69 ft`.
func metres(_ text: String) -> Double? {
  let units = [("mm", 0.001), ("cm", 0.01), ("ft", 0.3048), ("in", 0.0254), ("yd", 0.9144), ("m", 1.0), ("", 1.0)]
  let text = text.lowercased()
  for (unit, size) in units where text.hasSuffix(unit) {
    return number(String(text.dropLast(unit.count))).flatMap { $0 > 0 ? $0 * size : nil }
  }
  return nil
}

struct WheelMeasurement {
  let session: Session
  let connection: Connection
  let conversation: Conversation
  let sensor: SensorRecord
  private var count = TurnCount()

  /// A sleeping sensor wakes up with the first revolutions.
  private static let timeout = Duration.seconds(90)
  /// Fewer are imprecise: each mark is a centimetre off.
  private static let turnsAdvised = 10

  init(_ session: Session, _ connection: Connection, _ conversation: Conversation, _ sensor: SensorRecord) {
    self.session = session
    self.connection = connection
    self.conversation = conversation
    self.sensor = sensor
  }

  /// In millimetres; nil if the user rejects the result.
  mutating func run() throws(Failure) -> Double? {
    try session.ask(
      connection, .subscribe(Filter(kinds: [SpeedSample.kind], sensors: [sensor.id], snapshot: false)))
    defer { _ = try? connection.request(.unsubscribe) }
    try wake()
    say(
      "Put the bike where it can roll straight for \(Self.turnsAdvised) turns or more.",
      "Turn the wheel until its valve is at the bottom, and mark the floor there.")
    try conversation.pause("Press Enter when the valve is over the mark:")
    try takeWhatCame()
    count.begin()
    say(
      "Now roll it, with your weight on it if you can. Stop with the valve at the bottom again, and mark the floor there."
    )
    try roll()
    return try conclude()
  }

  private func say(_ sentences: String...) {
    for sentence in sentences { session.output.say(sentence) }
  }

  private mutating func wake() throws(Failure) {
    let end = MonotonicTime.now + Self.timeout
    defer { session.output.eraseProgress() }
    while count.last == nil {
      session.output.progress("Turn the wheel to wake its sensor")
      guard MonotonicTime.now < end else {
        throw Failure(
          .timeout, "\(sensor.id) sent no wheel data",
          advice: ["Is it connected? cyclo show \(sensor.id)", "Does its magnet pass close to it once per turn?"])
      }
      if case .record(let record) = try conversation.next(connection, until: .now + Conversation.tick) {
        count.take(record)
      }
    }
  }

  private mutating func takeWhatCame() throws(Failure) {
    while let record = try explained({ () throws(ClientError) in try connection.next(until: .now) }) {
      count.take(record)
    }
  }

  /// Shows the count until Enter is pressed.
  private mutating func roll() throws(Failure) {
    while true {
      session.output.progress("\(count.turns ?? 0) turns; press Enter when it is on the second mark ")
      switch try conversation.next(connection, until: .now + Conversation.tick) {
      case .record(let record): count.take(record)
      case .line:
        session.output.eraseProgress()
        return
      case .ended: throw conversation.hasLeft()
      case .keys, .time: break
      }
    }
  }

  private mutating func conclude() throws(Failure) -> Double? {
    while true {
      let way = try conversation.ask("Distance between the marks, in metres", hint: "such as 21.05, or 69 ft") {
        metres($0)
      }
      // Some sensors send the last revolution seconds later, so the count is asked for after the
      // distance.
      try takeWhatCame()
      let counted = count.turns ?? 0
      let turns = try conversation.ask(
        "Turns", fallback: counted > 0 ? "\(counted)" : nil, hint: "how often the valve came down, such as 10"
      ) { text in Int(text).flatMap { $0 > 0 ? $0 : nil } }
      let circumference = way * 1000 / Double(turns)
      let text = Quantity.short(circumference, places: 1)
      guard TireSize.sensible.contains(circumference) else {
        say("That is \(text) mm per turn, which is not a possible wheel size. Check both numbers.")
        continue
      }
      var sentence = "One turn is \(text) mm"
      let near = TireSize.near(circumference).map(\.isoName)
      if !near.isEmpty { sentence += ", about that of tires marked \(near.joined(separator: ", "))" }
      say(sentence + ".")
      if turns < 5 { say("More turns would be more accurate.") }
      return try conversation.confirm("Keep it?") ? (circumference * 10).rounded() / 10 : nil
    }
  }
}
