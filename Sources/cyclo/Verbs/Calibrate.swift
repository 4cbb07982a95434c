// `calibrate`: measures a wheel by rolling it, or sets the zero offset of a power meter, and tells
// the user what to do.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import Text
import Time
import Vocabulary
import Wire

func calibrate(_ session: Session) throws(Failure) {
  let connection = try session.connect(for: .control)
  let chosen = try session.firstSensor(connection)
  let samples = try session.lastSamples(connection, Filter(sensors: [chosen.id]))
  let calibration = Calibration(session, connection, chosen)
  switch try calibration.subject(of: chosen, samples) {
  case .wheel: try calibration.measureWheel()
  case .zero: try calibration.setZero()
  }
}

private struct Calibration {
  enum Subject: String {
    case wheel, zero
  }

  let session: Session
  let connection: Connection
  let sensor: SensorRecord
  let conversation: Conversation

  private static let zeroCommand = "zero_offset"
  /// The daemon gives a sensor 30 s to answer; this allows a little more.
  private static let timeout = Duration.seconds(40)

  init(_ session: Session, _ connection: Connection, _ sensor: SensorRecord) {
    self.session = session
    self.connection = connection
    self.sensor = sensor
    conversation = Conversation(session)
  }

  /// The requested calibration, or the only possible one.
  func subject(of sensor: SensorRecord, _ samples: [Sample]) throws(Failure) -> Subject {
    let hasZero = session.plugins.commands(of: sensor).contains { $0.name == Self.zeroCommand }
    // A sensor that has not sent anything yet has to be woken up.
    let hasWheel = sensor.countsTurns(samples) != false
    if let word = session.invocation.words.dropFirst().first, let subject = Subject(rawValue: word) {
      if subject == .wheel ? hasWheel : hasZero { return subject }
      let lack = subject == .wheel ? "does not count wheel turns" : "does not support zero_offset"
      throw Failure(.failed, "\(sensor.id) \(lack)", advice: adviceForOthers)
    }
    switch (hasWheel, hasZero) {
    case (true, false): return .wheel
    case (false, true): return .zero
    case (false, false):
      throw Failure(.failed, "\(sensor.id) has nothing to calibrate", advice: adviceForOthers)
    case (true, true):
      guard conversation.canAsk else {
        throw Failure(.usage, "\(sensor.id) has a wheel and a zero offset: add 'wheel' or 'zero'")
      }
      let rows = [Line("the zero offset of the power meter"), Line("the size of the wheel")]
      return try conversation.choose("What do you want to calibrate?", from: rows, connection) == 0 ? .zero : .wheel
    }
  }

  private var adviceForOthers: [String] {
    let names = session.plugins.commands(of: sensor).map(\.name)
    let wake = "Has it been connected since the daemon started? cyclo show \(sensor.id)"
    return names.isEmpty ? [wake] : [wake, "It has these commands: \(names.joined(separator: ", "))"]
  }
}

// MARK: The wheel

extension Calibration {
  func measureWheel() throws(Failure) {
    guard conversation.canAsk else {
      throw Failure(
        .failed, "measuring a wheel requires a terminal",
        advice: ["If you know its size: cyclo set \(sensor.id) circumference=2105"])
    }
    var measurement = WheelMeasurement(session, connection, conversation, sensor)
    guard let circumference = try measurement.run() else {
      return session.output.say("The wheel size was not changed.")
    }
    let result = try setWheel(of: sensor, to: circumference, session, connection)
    if session.isJSON { return session.output.line(result.json.encoded) }
    session.output.line("\(sensor.id): one turn is \(Quantity.short(circumference, places: 1)) mm.")
  }
}

// MARK: Zero offset

extension Calibration {
  func setZero() throws(Failure) {
    if conversation.canAsk {
      session.output.say("A zero offset is what a power meter measures without force on the pedals.")
      session.output.say(
        "Hold the bike upright on its wheels. Take your feet off the pedals, "
          + "and turn the left crank down. The bike should have the temperature of the ride.")
      try conversation.pause("Press Enter when nothing moves:")
    } else if !session.invocation.has(.yes) {
      throw Failure(usage: .calibrate, "not running on a terminal: prepare \(sensor.id), then use --yes")
    }
    let answer = try waitForAnswer()
    if session.isJSON { session.output.line(answer.json.encoded) }
    let result = answer.content.result
    guard result?.known == .success else {
      throw Failure(
        .failed, "\(sensor.id) did not set its zero offset: \(reasonText(result?.text ?? ""))",
        advice: [
          "Nothing must move or push while it measures. Try again", "Some require the crank to be level, not down",
        ])
    }
    if session.isJSON { return }
    let raw = answer.content.offsetRaw.map { ", raw value \(Quantity.short($0))" } ?? ""
    session.output.line("\(sensor.id): zero offset set\(raw).")
    if !raw.isEmpty {
      session.output.say("Note this value. If it is very different next time, the power meter may be damaged.")
    }
  }

  private func waitForAnswer() throws(Failure) -> Received<CommandReply> {
    let request = try explained { () throws(ClientError) in
      try connection.send(.command(CommandParameters(sensor: sensor.id, name: Self.zeroCommand)))
    }
    let begin = MonotonicTime.now
    defer { session.output.eraseProgress() }
    while MonotonicTime.now < begin + Self.timeout {
      session.output.progress("Measuring, \(Int((MonotonicTime.now - begin).inSeconds)) s of 30 s")
      do throws(ClientError) {
        let nextLook = MonotonicTime.now + (session.output.showsProgress ? .seconds(1) : Self.timeout)
        if let answer = try connection.answer(to: request, until: nextLook, other: { _ in }) { return answer }
      } catch {
        throw failure(error)
      }
    }
    throw failure(.timeout)
  }

  private func failure(_ error: ClientError) -> Failure {
    let plain = Failure(error)
    guard plain.status == .timeout else { return plain }
    return Failure(
      .timeout, plain.message,
      advice: ["Wake it: turn the crank, then let it stand", "To check its connection: cyclo show \(sensor.id)"])
  }
}
