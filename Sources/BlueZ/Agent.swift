// org.bluez.Agent1: our object that bluetoothd asks while it bonds with a sensor.
//
// - It never requests to be the default agent, so the agent of a desktop stays the default. If it
//   is the only agent, BlueZ makes it the default anyway, which is one reason to register it only
//   while a user pairs.
// - Only bluetoothd gets answers. Other callers on the bus are refused.
// - At most one question is open. Each is answered once, and a cancelled one not at all.

public import DBus

public final class Agent {
  public enum Ask: Equatable, Sendable {
    /// The passkey that the sensor displays or has printed on it.
    case passkey
    /// Whether the sensor displays this passkey.
    case confirmation(passkey: UInt32)
    /// Whether it may bond or use a service without any display.
    case consent
  }

  public enum Answer: Equatable, Sendable {
    case passkey(UInt32)
    case yes
    case no
  }

  /// A question from bluetoothd.
  public final class Question {
    public let ask: Ask
    /// The object path of the sensor.
    public let device: String
    fileprivate var call: BusMessage?
    fileprivate weak var agent: Agent?

    fileprivate init(_ ask: Ask, of device: String, _ call: BusMessage, _ agent: Agent) {
      self.ask = ask
      self.device = device
      self.call = call
      self.agent = agent
    }

    /// Does nothing if the question was answered or cancelled.
    public func answer(_ answer: Answer) {
      guard let call, let agent else { return }
      self.call = nil
      agent.send(answer, to: call, asked: ask)
      if agent.open === self { agent.open = nil }
    }
  }

  /// Called with each question, which may be answered at once or later.
  public var asked: (Question) -> Void = { $0.answer(.no) }
  /// bluetoothd does not wait for the answer any more.
  public var withdrawn: (Question) -> Void = { _ in }
  /// A passkey or PIN to type on the sensor.
  public var displayed: (_ device: String, _ digits: String) -> Void = { _, _ in }
  public let path: String
  public private(set) var isWanted = false

  private let tree: ObjectTree
  private var export: Export?
  private var open: Question?

  public init(_ tree: ObjectTree, path: String = "/org/cyclometer/agent") {
    self.tree = tree
    self.path = path
  }

  deinit {
    export?.cancel()
  }
}

// MARK: Registering

extension Agent {
  /// Stays registered until `unregister`, including with a restarted bluetoothd. `done` is called
  /// after the current one replied.
  public func register(_ done: @escaping (BusError?) -> Void = { _ in }) {
    guard !isWanted else { return done(nil) }
    isWanted = true
    export = tree.bus.export(path) { [weak self] in self?.answer($0) ?? .unknown }
    tellBluetoothd(done)
  }

  public func unregister() {
    guard isWanted else { return }
    isWanted = false
    open?.answer(.no)
    export?.cancel()
    export = nil
    guard tree.state == .ready else { return }
    let arguments: [Value] = [.objectPath(path)]
    tree.call(
      BlueZName.agentManager, BlueZName.Interface.agentManager, BlueZName.Member.unregisterAgent, arguments
    ) { _ in }
  }

  /// bluetoothd is gone or was restarted: it knows no agent and waits for no answer.
  public func bluetoothdChanged() {
    withdraw()
    if isWanted, tree.state == .ready { tellBluetoothd { _ in } }
  }

  private func tellBluetoothd(_ done: @escaping (BusError?) -> Void) {
    let arguments: [Value] = [.objectPath(path), .string(BlueZName.Capability.keyboardAndDisplay)]
    tree.call(BlueZName.agentManager, BlueZName.Interface.agentManager, BlueZName.Member.registerAgent, arguments) {
      result in
      switch result {
      // An earlier agent of ours that is still registered works as well.
      case .failure(let error) where error.name != .bluezAlreadyExists: done(error)
      default: done(nil)
      }
    }
  }
}

// MARK: Questions

extension Agent {
  private func answer(_ call: BusMessage) -> CallAnswer {
    guard call.interface == BlueZName.Interface.agent else { return .unknown }
    guard let owner = tree.owner, call.sender == owner else {
      return .reply(.error(BusError(.accessDenied, "only bluetoothd is answered here"), to: call))
    }
    var reader = call.reader
    switch call.member {
    case BlueZName.Member.release, BlueZName.Member.cancel:
      withdraw()
      return .reply(.reply(to: call))
    case BlueZName.Member.requestPinCode:
      // PIN codes are not used with Low Energy.
      return refuse(call)
    default:
      guard let device = reader.objectPath() else { return .unknown }
      return answer(call, about: device, &reader)
    }
  }

  private func answer(_ call: BusMessage, about device: String, _ reader: inout MessageReader) -> CallAnswer {
    switch call.member {
    case BlueZName.Member.requestPasskey:
      return put(.passkey, device, call)
    case BlueZName.Member.requestConfirmation:
      guard let passkey = reader.uint32() else { return .unknown }
      return put(.confirmation(passkey: passkey), device, call)
    case BlueZName.Member.requestAuthorization, BlueZName.Member.authorizeService:
      return put(.consent, device, call)
    case BlueZName.Member.displayPasskey:
      guard let passkey = reader.uint32() else { return .unknown }
      // Sent again after each digit that was typed.
      if reader.uint16() ?? 0 == 0 { displayed(device, sixDigits(passkey)) }
      return .reply(.reply(to: call))
    case BlueZName.Member.displayPinCode:
      displayed(device, reader.string() ?? "")
      return .reply(.reply(to: call))
    default:
      return .unknown
    }
  }

  private func put(_ ask: Ask, _ device: String, _ call: BusMessage) -> CallAnswer {
    withdraw()
    let question = Question(ask, of: device, call, self)
    open = question
    asked(question)
    return .later
  }

  private func withdraw() {
    guard let question = open else { return }
    open = nil
    question.call = nil
    withdrawn(question)
  }

  fileprivate func send(_ answer: Answer, to call: BusMessage, asked ask: Ask) {
    switch (ask, answer) {
    case (.passkey, .passkey(let passkey)): tree.bus.send(BusMessage.reply(to: call).append(.uint32(passkey)))
    case (.confirmation, .yes), (.consent, .yes): tree.bus.send(.reply(to: call))
    default: tree.bus.send(.error(BusError(.bluezRejected, "refused"), to: call))
    }
  }

  private func refuse(_ call: BusMessage) -> CallAnswer {
    .reply(.error(BusError(.bluezRejected, "refused"), to: call))
  }
}

private func sixDigits(_ number: UInt32) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
}
