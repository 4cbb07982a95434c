// The agent and its questions. It is registered only while a user pairs a sensor, and refuses all
// other devices. Bonds of other programs on this computer are not its business.

internal import BlueZ
internal import DBus
import ProgramKit
public import Radio

extension BlueZSensorRadio {
  func prepareAgent() {
    agent.asked = { [weak self] in self?.asked($0) }
    agent.withdrawn = { [weak self] _ in self?.dropQuestion() }
    agent.displayed = { [weak self] device, digits in
      self?.log.info("\(device): type \(digits) on the sensor")
    }
  }

  func bondingChanged() {
    guard links.contains(where: { $0.mayBond && $0.phase != .closed }) else {
      dropQuestion()
      return agent.unregister()
    }
    agent.register { [weak self] error in
      if let error { self?.log.warning("no agent for bonding: \(error)") }
    }
  }

  public func forgetBond(with address: DeviceAddress) -> Bool {
    guard let device = device(address), device.isPaired, let adapter = device.adapterPath else { return false }
    log.info("\(address): removed the bond of this computer to make a new one")
    tree.adapter(at: adapter).removeDevice(device) { [weak self] result in
      if case .failure(let error) = result { self?.log.warning("\(address): cannot remove its bond: \(error)") }
    }
    return true
  }

  private func dropQuestion() {
    question?.withdraw()
    question = nil
  }

  private func asked(_ asked: Agent.Question) {
    guard let link = links.first(where: { $0.path == asked.device && $0.mayBond && $0.phase != .closed }) else {
      log.info("\(asked.device) asks for a bond, but is not being paired: refused")
      return asked.answer(.no)
    }
    let ask: PairingQuestion.Ask
    switch asked.ask {
    case .consent: return asked.answer(.yes)
    case .passkey: ask = .passkey
    case .confirmation(let passkey): ask = .confirmation(passkey: Int(passkey))
    }
    link.noteAskedToBond()
    let question = PairingQuestion(ask, of: link.address) { [weak link] answer in
      switch answer {
      case .passkey(let passkey): asked.answer(.passkey(UInt32(passkey)))
      case .confirmed: asked.answer(.yes)
      case nil:
        asked.answer(.no)
        link?.userRefused()
      }
    }
    self.question = question
    guard let delegate else { return question.answer(nil) }
    delegate.radio(asks: question)
  }
}
