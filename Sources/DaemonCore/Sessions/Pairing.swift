// One sensor on its way into the roster: looked for, connected, and remembered when its first value came. Until then nobody
// but the client that asked hears of it.

import EventLoop
import Linux
import SensorKit
import Wire

final class Pairing: Undertaking {
  let session: SensorSession
  let role: SensorRole?
  /// What the user wants it to be called.
  let wantedName: String?
  private weak var client: Client?
  private let request: RequestID
  private let condition: () -> RadioCondition
  private let onEnd: (Pairing, _ isPaired: Bool) throws(SystemError) -> SensorRecord?
  private var deadline: Deadline?

  static let timeLimit = Duration.seconds(45)

  /// `onEnd` remembers the sensor or forgets it, and gives the record to answer with.
  init(
    _ session: SensorSession, role: SensorRole?, name: String?, for client: Client, request: RequestID, loop: EventLoop,
    condition: @escaping () -> RadioCondition,
    onEnd: @escaping (Pairing, _ isPaired: Bool) throws(SystemError) -> SensorRecord?
  ) {
    self.session = session
    self.role = role
    wantedName = name
    self.client = client
    self.request = request
    self.condition = condition
    self.onEnd = onEnd
    deadline = loop.schedule(after: Self.timeLimit) { [weak self] in self?.timeIsOver() }
  }

  func changedState() {
    guard deadline != nil else { return }
    client?.send(session.stateRecord)
    if session.state == .error {
      fail(.pairingFailed, session.failure?.detail ?? "the sensor cannot be used")
    }
  }

  func succeeded() {
    guard deadline != nil, let client else { return end() }
    finish()
    do throws(SystemError) {
      guard let record = try onEnd(self, true) else { return }
      var writer = JSONWriter()
      writer.replyLine(request) { record.write(into: &$0) }
      client.send(line: writer.bytes)
    } catch {
      client.send(ErrorRecord(id: request, .internal, "the sensor works, but cannot be remembered: \(error)"))
    }
  }

  func end() {
    guard deadline != nil else { return }
    finish()
    _ = try? onEnd(self, false)
  }

  func cancel() {
    fail(.timeout, "cancelled")
  }

  private func finish() {
    deadline?.cancel()
    deadline = nil
    client?.undertaking = nil
  }

  private func timeIsOver() {
    if let obstacle = condition().obstacle, obstacle.isOfRadio {
      fail(.adapterUnavailable, condition().message)
    } else if let failure = session.failure {
      fail(.pairingFailed, "it was heard, but not to be had: \(failure.detail)")
    } else {
      let hint = "wake it up, bring it near, and make sure that no other computer or phone holds it"
      fail(.timeout, "\(session.address) was not heard within \(Self.timeLimit): \(hint)")
    }
  }

  private func fail(_ code: ErrorCode, _ message: String) {
    guard deadline != nil else { return }
    let client = self.client
    end()
    client?.send(ErrorRecord(id: request, code, message))
  }
}
