// Bonding with a sensor, started by Device1.Pair or by bluetoothd when an operation requires a
// bond.

internal import DBus

/// A bonding in progress. It ends with the link, which cancels its question.
final class FakeBond {
  let agent: FakeAgents.Agent?
  var question: PendingCall?
  let ended: (BusError?) -> Void

  init(_ agent: FakeAgents.Agent?, _ ended: @escaping (BusError?) -> Void) {
    self.agent = agent
    self.ended = ended
  }
}

extension FakeDevice {
  func pair(_ call: BusMessage) -> CallAnswer {
    if sensor.isPaired { return .reply(.error(BusError("org.bluez.Error.AlreadyExists", "Already Exists"), to: call)) }
    if bond != nil { return .reply(.error(.inProgress, to: call)) }
    // As seen in 5.66: it bonds but sends no reply.
    if failedBondOfLink == linkNumber { return .later }
    begin(fake.agents.agent(for: call.sender), isOwnIdea: false) { [weak fake] error in
      if let error { fake?.fail(call, error) } else { fake?.reply(call) }
    }
    return .later
  }

  /// bluetoothd starts a bonding. `done`: whether there is a bond now.
  func raiseSecurity(_ done: @escaping (Bool) -> Void) {
    guard !sensor.isPaired else { return done(true) }
    guard bond == nil else { return done(false) }
    begin(fake.agents.agent(for: nil), isOwnIdea: true) { [weak self] error in
      if error != nil { self?.failedBondOfLink = self?.linkNumber }
      done(error == nil)
    }
  }

  private func begin(_ agent: FakeAgents.Agent?, isOwnIdea: Bool, _ ended: @escaping (BusError?) -> Void) {
    let bond = FakeBond(agent, ended)
    self.bond = bond
    sensor.bondings += 1
    fake.after(script.timing.pair) { [weak self] in
      guard let self, self.bond === bond else { return }
      if let error = script.onPair(sensor) { return finish(bond, error) }
      bond.question = fake.agents.ask(agent, of: self, isOwnIdea: isOwnIdea) { [weak self] outcome in
        self?.answered(bond, outcome)
      }
    }
  }

  private func answered(_ bond: FakeBond, _ answer: FakeAgents.Outcome) {
    guard self.bond === bond else { return }
    bond.question = nil
    guard answer == .right else {
      finish(bond, .authenticationFailed)
      // A wrong passkey drops the link; a refusal or a missing agent does not.
      return answer == .wrong ? loseLink(.authentication) : ()
    }
    sensor.isPaired = true
    if let own = sensor.ownAddress {
      sensor.address = own
      fake.table.change(path, Self.interface, ["Address": .string(own)])
    }
    fake.table.change(path, Self.interface, ["Paired": .bool(true), "Bonded": .bool(true)])
    finish(bond, nil)
  }

  private func finish(_ bond: FakeBond, _ error: BusError?) {
    self.bond = nil
    bond.ended(error)
  }

  /// The link ended, so an open question is cancelled.
  func endBond() {
    guard let bond else { return }
    self.bond = nil
    if let question = bond.question, let agent = bond.agent {
      question.cancel()
      fake.agents.cancel(agent)
    }
    bond.ended(.authenticationCanceled)
  }
}
