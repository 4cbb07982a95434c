// Pairs one sensor: finds it, connects, and saves it when its first value arrives. Until then, only
// the client that asked gets its records.

import Connections
import EventLoop
import JSON
import Linux
import Radio
import Sensing
import Serving
import Vocabulary
import Wire

final class Pairing: ClientOperation {
  let session: SensorSession
  let role: SensorRole?
  /// The name that the user chose.
  let wantedName: String?
  private let asker: Asker
  private let condition: () -> RadioCondition
  private let onEnd: (Pairing, _ isPaired: Bool) throws(SystemError) -> SensorRecord?
  private var deadline: Deadline?
  private var question: (prompt: String, question: PairingQuestion)?

  static let timeLimit = Duration.seconds(45)

  /// `onEnd` saves or discards the sensor, and returns the record for the reply.
  init(
    _ session: SensorSession, role: SensorRole?, name: String?, for asker: Asker, loop: EventLoop,
    condition: @escaping () -> RadioCondition,
    onEnd: @escaping (Pairing, _ isPaired: Bool) throws(SystemError) -> SensorRecord?
  ) {
    self.session = session
    self.role = role
    wantedName = name
    self.asker = asker
    self.condition = condition
    self.onEnd = onEnd
    deadline = loop.schedule(after: Self.timeLimit) { [weak self] in self?.timeIsOver() }
  }

  func changedState() {
    guard deadline != nil else { return }
    asker.client?.send(session.stateRecord)
    if session.state == .error {
      fail(.pairingFailed, session.connection.failure?.detail ?? "the sensor cannot be used")
    }
  }

  func succeeded() {
    guard deadline != nil, asker.client != nil else { return end() }
    finish()
    do throws(SystemError) {
      guard let record = try onEnd(self, true) else { return }
      asker.answer(.reply(record))
    } catch {
      asker.refuse(Refusal(.internal, "the sensor works, but cannot be saved: \(error)"))
    }
  }

  /// Passes a question of the sensor to the user. A new question replaces the last one.
  func ask(_ question: PairingQuestion, as prompt: String) {
    guard deadline != nil, let client = asker.client else { return question.answer(nil) }
    self.question?.question.answer(nil)
    self.question = (prompt, question)
    switch question.ask {
    case .passkey: client.send(PromptRecord(prompt: prompt, ask: .passkey, sensor: session.id))
    case .confirmation(let passkey):
      let digits = String(passkey)
      let padded = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
      client.send(PromptRecord(prompt: prompt, ask: .confirm, sensor: session.id, passkey: padded))
    }
  }

  /// Handles the user's answer to a prompt. Returns a sentence if the answer is not valid.
  func answer(_ value: String, to prompt: String) -> String? {
    guard let question, question.prompt == prompt, question.question.isOpen else {
      return "no prompt is called \(prompt.prefix(80)), or it was answered already"
    }
    switch question.question.ask {
    case .passkey:
      guard 1...6 ~= value.utf8.count, let passkey = UInt32(value) else { return "a passkey is up to six digits" }
      self.question = nil
      question.question.answer(.passkey(Int(passkey)))
    case .confirmation:
      guard value == "yes" || value == "no" else { return "the answer is true or false, or \"yes\" or \"no\"" }
      self.question = nil
      question.question.answer(value == "yes" ? .confirmed : nil)
    }
    return nil
  }

  func end() {
    guard deadline != nil else { return }
    finish()
    _ = try? onEnd(self, false)
  }

  func cancel() {
    fail(.cancelled, "cancelled by this connection")
  }

  private func finish() {
    deadline?.cancel()
    deadline = nil
    asker.client?.endOperation()
    question?.question.answer(nil)
    question = nil
  }

  private func timeIsOver() {
    let isReachable = condition().obstacle?.isOfRadio != true
    if isReachable, session.connection.isSubscribed, session.reader.obstacle != nil {
      let hint = "start that program, and pair it again"
      fail(.timeout, "\(session.address) is connected, but the program that decodes for it does not run: \(hint)")
    } else if isReachable, session.connection.isSubscribed {
      let hint = "wear it, or spin the crank or the wheel, and pair it again"
      fail(.timeout, "\(session.address) is connected, but sent no value within \(Self.timeLimit): \(hint)")
    } else {
      fail(.unconnected(session.connection, within: Self.timeLimit, condition()))
    }
  }

  private func fail(_ code: ErrorCode, _ message: String) { fail(Refusal(code, message)) }

  private func fail(_ refusal: Refusal) {
    guard deadline != nil else { return }
    end()
    asker.refuse(refusal)
  }
}
