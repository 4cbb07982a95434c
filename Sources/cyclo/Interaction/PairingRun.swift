// One `pair` request until its reply: shows the progress and passes the sensor's questions to the
// user.

import CommandTable
import CycloCommands
import CyclometerClient
import JSON
import Linux
import Text
import Time
import Vocabulary
import Wire

struct PairingRun {
  let session: Session
  let connection: Connection
  let conversation: Conversation
  let address: String
  /// The name that the user knows.
  let title: String
  private var state = ""
  private var request: Pending<SensorRecord>?

  /// The daemon's limit and a little more.
  private static let limit = 45
  private static let timeout = Duration.seconds(limit + 10)

  init(_ session: Session, _ connection: Connection, _ conversation: Conversation, address: String, title: String) {
    self.session = session
    self.connection = connection
    self.conversation = conversation
    self.address = address
    self.title = title
  }

  /// The sensor with its first value.
  mutating func run(name: String?, role: SensorRole?) throws(Failure) -> SensorRecord {
    let query = Query.pair(PairParameters(address: address, name: name, role: role))
    let request = try explained { () throws(ClientError) in try connection.send(query) }
    self.request = request
    let begin = MonotonicTime.now
    defer { session.output.eraseProgress() }
    while MonotonicTime.now < begin + Self.timeout {
      showProgress(Int((MonotonicTime.now - begin).inSeconds))
      let nextLook = session.output.showsProgress ? MonotonicTime.now + .seconds(1) : begin + Self.timeout
      guard let record = try next(until: nextLook) else { continue }
      if let result = try take(record) { return result }
    }
    throw failure(.timeout)
  }

  private func next(until deadline: MonotonicTime) throws(Failure) -> ReceivedRecord? {
    do throws(ClientError) {
      return try connection.next(until: deadline)
    } catch {
      throw failure(error)
    }
  }

  /// The result, once it has arrived.
  private mutating func take(_ record: ReceivedRecord) throws(Failure) -> SensorRecord? {
    switch record.message {
    case .reply(let id, let result) where id.number == request?.number:
      let request = request
      return try explained { () throws(ClientError) in try request?.reply(result).content }
    case .error(let error) where error.id == nil || error.id?.number == request?.number: throw failure(record.refusal)
    case .state(let news): state = news.condition
    case .prompt(let prompt):
      guard let ask = prompt.ask.known else {
        throw Failure(.pairingFailed, "the sensor asks for something that this release does not support")
      }
      session.output.eraseProgress()
      return try answer(prompt, ask)
    default: break
    }
    return nil
  }

  private func showProgress(_ seconds: Int) {
    let columns = (Terminal.size(2)?.columns ?? 80) - 1
    let end = " \(min(seconds, Self.limit)) s of \(Self.limit) s"
    let text = "Pairing \(printable(title))" + (state.isEmpty ? "" : ", \(state)") + ":"
    session.output.progress(text.fitted(to: max(8, columns - end.columns), session.style) + end)
  }
}

// MARK: Questions of the sensor

extension PairingRun {
  /// The result, if it arrived before an answer because the sensor timed out.
  private mutating func answer(_ prompt: PromptRecord, _ ask: PromptRecord.Ask) throws(Failure) -> SensorRecord? {
    let confirms = ask == .confirm
    if let value = givenAnswer(to: ask) {
      try send(value, to: prompt)
      return nil
    }
    guard conversation.canAsk else {
      throw Failure(
        .pairingFailed,
        confirms ? "the sensor asks you to confirm \(prompt.passkey ?? "")" : "the sensor asks for a passkey",
        advice: [
          confirms ? "Pair it on a terminal, or use --yes" : "Pair it on a terminal, or use --passkey NUMBER",
          "The passkey is printed on the sensor, in its manual, or shown on its display",
        ])
    }
    if !confirms {
      session.output.note("Enter the passkey. It is printed on the sensor, in its manual, or on its display.")
    }
    let question = confirms ? "Does it show \(prompt.passkey ?? "")? [Y/n]" : "Passkey:"
    conversation.put(question)
    while true {
      switch try conversation.next(connection) {
      case .record(let record):
        if case .state(let news) = record.message {
          state = news.condition
          continue
        }
        session.output.complain("\n")
        return try take(record)
      case .line(let text):
        if let value = confirms ? yesOrNo(text, fallback: true).map({ $0 ? "yes" : "no" }) : passkey(text) {
          try send(value, to: prompt)
          return nil
        }
        session.output.note(confirms ? "  y for yes, n for no" : "  a passkey is one to six digits")
        conversation.put(question)
      case .ended: throw conversation.hasLeft()
      case .keys, .time: break
      }
    }
  }

  /// The answer from the command line.
  private func givenAnswer(to ask: PromptRecord.Ask) -> String? {
    switch ask {
    case .passkey: session.invocation.text(.passkey).flatMap(passkey)
    case .confirm: session.invocation.has(.yes) ? "yes" : nil
    }
  }

  private func send(_ value: String, to prompt: PromptRecord) throws(Failure) {
    // Its reply has no content; a refusal is followed by the end of the pairing.
    try explained { () throws(ClientError) in
      _ = try connection.send(.answer(AnswerParameters(prompt: prompt.prompt, value: value)))
    }
  }
}

/// As the daemon expects it; leading zeros are kept.
func passkey(_ text: String) -> String? {
  1...6 ~= text.utf8.count && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? text : nil
}

// MARK: Failures

extension PairingRun {
  private func failure(_ error: ClientError) -> Failure {
    let plain = Failure(error)
    switch plain.status {
    case .timeout:
      let message =
        if case .refused = error { error.description } else { "no data from \(address) within \(Self.limit) s" }
      return Failure(
        .timeout, message,
        advice: [
          "Is it awake? Spin the crank or the wheel; moisten and wear the strap",
          "Is it free? A sensor connected to a phone or a watch cannot be found",
          "Is it near? 'cyclo scan' shows its signal strength",
          "Is Bluetooth working? 'cyclo doctor' checks it",
        ])
    case .pairingFailed:
      return Failure(
        .pairingFailed, plain.message,
        advice: [
          "Disconnect the sensor from other devices, wake it, and try again", "Then: bluetoothctl remove \(address)",
        ])
    case .failed:
      guard case .refused("already_paired", let message) = error else { return plain }
      return Failure(
        .failed, message,
        advice: ["To show it: cyclo show \(address)", "To pair it again, first remove it: cyclo forget \(address)"])
    default: return plain
    }
  }
}
