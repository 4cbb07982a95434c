// `pair`: adds a sensor and prints its first value, or why there is none and what to try. On a
// terminal the user chooses the sensor and answers questions; options skip their question.

import CommandTable
import CycloCommands
import CyclometerClient
import CyclometerSamples
import JSON
import Linux
import Text
import Time
import Vocabulary
import Wire

func pair(_ session: Session) throws(Failure) {
  var wheel: Double?
  if let text = session.invocation.text(.wheel) {
    guard let circumference = TireSize.circumference(text) else {
      throw Failure(
        .usage, "--wheel: '\(text)' is not a known tire size",
        advice: ["Write it as on the tire (25-622 or 700x25C), or the circumference in millimetres (2105)"])
    }
    wheel = circumference
  }
  if let text = session.invocation.text(.passkey), passkey(text) == nil {
    throw Failure(.usage, "--passkey: '\(text)' is not a passkey (one to six digits)")
  }
  let conversation = Conversation(session)
  guard !session.invocation.words.isEmpty || conversation.canAsk else {
    throw Failure(
      .usage, "missing ADDRESS (not running on a terminal, so pair cannot ask)",
      advice: ["'cyclo scan' shows addresses. On a terminal, 'cyclo pair' lets you choose"])
  }
  let connection = try session.connect(for: .control)
  try PairVerb(session: session, connection: connection, conversation: conversation, wheel: wheel).run()
}

private struct PairVerb {
  let session: Session
  let connection: Connection
  let conversation: Conversation
  /// In millimetres, if given on the command line.
  let wheel: Double?

  private var invocation: Invocation { session.invocation }

  func run() throws(Failure) {
    var sensor = try paired()
    if let renamed = try askName(sensor) { sensor = renamed }
    if let placed = try askRole(sensor) { sensor = placed }
    let needsWheel = try completeWheel(&sensor)
    try report(sensor, needsWheel: needsWheel)
  }

  /// Retries as long as the user wants.
  private func paired() throws(Failure) -> SensorRecord {
    var address = invocation.words.first?.uppercased()
    var title = address ?? ""
    while true {
      if address == nil {
        var picker = try Picker(session, connection, conversation)
        let found = try picker.pick()
        (address, title) = (found.address, found.shownName)
      }
      guard let wanted = address else { continue }
      do throws(Failure) {
        return try pair(wanted, title)
      } catch {
        guard conversation.canAsk, [.timeout, .pairingFailed].contains(error.status) else { throw error }
        session.output.tell(error)
        guard try conversation.confirm("Try again?") else { throw Failure(error.status, "") }
        if invocation.words.isEmpty { address = nil }
      }
    }
  }

  private func pair(_ address: String, _ title: String) throws(Failure) -> SensorRecord {
    var run = PairingRun(session, connection, conversation, address: address, title: title)
    let role = invocation.text(.role).flatMap(SensorRole.init)
    let sensor = try run.run(name: invocation.text(.name), role: role)
    if conversation.canAsk { session.output.note("\(printable(sensor.name)) is paired.") }
    return sensor
  }
}

// MARK: Questions

extension PairVerb {
  private static let longestName = 64

  private func askName(_ sensor: SensorRecord) throws(Failure) -> SensorRecord? {
    guard conversation.canAsk, !invocation.has(.name) else { return nil }
    let hint = "at most \(Self.longestName) characters"
    let name = try conversation.ask("Name", fallback: sensor.name, hint: hint) { text in
      text.count <= Self.longestName ? text : nil
    }
    guard name != sensor.name else { return nil }
    return try session.ask(connection, .rename(sensor: sensor.id, name: name)).content
  }

  /// For sensors that a bike can have two of: tire pressure, and power meters in two halves.
  private func askRole(_ sensor: SensorRecord) throws(Failure) -> SensorRecord? {
    guard conversation.canAsk, !invocation.has(.role), sensor.role == nil else { return nil }
    let roles: [SensorRole]
    let question: String
    if sensor.kinds.contains("tire_pressure") {
      (question, roles) = ("On which wheel is it?", [.front, .rear])
    } else if sensor.facts[.distributedSystem]?.text == "for_distributed" {
      (question, roles) = ("Is it one of a pair? On which side?", [.left, .right])
    } else {
      return nil
    }
    let rows = roles.map { Line($0.rawValue) } + [Line("neither")]
    let index = try conversation.choose(question, from: rows, connection)
    guard index < roles.count else { return nil }
    let change = SettingParameters(
      sensor: sensor.id, key: Setting.role.key, value: .string(roles[index].rawValue))
    return try session.ask(connection, .set(change)).content
  }

  /// True if it counts revolutions of a wheel whose size is not set.
  private func completeWheel(_ sensor: inout SensorRecord) throws(Failure) -> Bool {
    if let wheel {
      sensor = try setWheel(of: sensor, to: wheel, session, connection).content
      return false
    }
    guard sensor.countsTurns([]) != false else { return false }
    let (current, samples) = try whatItSays(of: sensor)
    sensor = current
    guard current.circumferenceMM == nil, current.countsTurns(samples) == true else { return false }
    guard conversation.canAsk, let circumference = try askForWheel(of: current, session, connection, conversation)
    else {
      return true
    }
    sensor = try setWheel(of: sensor, to: circumference, session, connection).content
    return false
  }

  /// A sensor reports what it counts right after pairing: wait briefly for that.
  private func whatItSays(of sensor: SensorRecord) throws(Failure) -> (SensorRecord, [Sample]) {
    let end = MonotonicTime.now + .seconds(3)
    while true {
      let current = try session.sensors(connection).first { $0.id == sensor.id } ?? sensor
      let samples = try session.lastSamples(connection, Filter(sensors: [sensor.id]))
      if current.countsTurns(samples) != nil || MonotonicTime.now >= end { return (current, samples) }
      try pause()
    }
  }
}

// MARK: The end

extension PairVerb {
  /// Waits a moment for the first speed of a wheel whose size was just set.
  private func currentSamples(of sensor: SensorRecord) throws(Failure) -> [Sample] {
    let end = MonotonicTime.now + .seconds(3)
    while true {
      let samples = try session.lastSamples(connection, Filter(sensors: [sensor.id]))
      let lacksSpeed = samples.contains { sample in SpeedSample(sample.record).map { $0.speedMps == nil } ?? false }
      if !lacksSpeed || sensor.circumferenceMM == nil || MonotonicTime.now >= end { return samples }
      try pause()
    }
  }

  private func pause() throws(Failure) {
    let end = MonotonicTime.now + .milliseconds(300)
    // Skips records left over from a scan or a pairing.
    while try explained({ () throws(ClientError) in try connection.next(until: end) }) != nil {}
  }

  private func report(_ sensor: SensorRecord, needsWheel: Bool) throws(Failure) {
    let samples = try currentSamples(of: sensor)
    if session.isJSON {
      session.output.record(sensor)
      for sample in samples { session.output.sample(sample) }
      return
    }
    for line in description(of: sensor, samples, session) { session.output.line(line) }
    let said =
      samples.filter { $0.sensor == sensor.id && $0.kind != BatterySample.kind }
      .min { $0.age < $1.age }.map { ": \($0.headline)" } ?? ""
    session.output.say("\(printable(sensor.name)) is paired and streaming\(said)")
    if needsWheel {
      session.output.say(
        "Speed needs the size of the wheel. Measure it with 'cyclo calibrate \(sensor.id)', "
          + "or set it with 'cyclo set \(sensor.id) circumference=2105'.")
    }
    session.output.say("The daemon connects to it whenever it is in range. 'cyclo watch' shows its data.")
    if conversation.canAsk {
      session.output.say("'cyclo show \(sensor.id)' shows its details, 'cyclo forget' removes it.")
    }
  }
}
