// A radio that a test controls. By itself it only opens links, if `accepts` allows it.

import EventLoop
import Linux
import Radio
import Time
import Vocabulary
import Wire

@testable import DaemonCore

final class ScriptedRadio: SensorRadio {
  weak var delegate: (any RadioDelegate)?
  let loop: EventLoop
  var condition = RadioCondition.ready
  /// The values of the sensor's readable characteristics.
  var readable: [Endpoint: [UInt8]] = [.location: [1]]
  var adapters = [RadioAdapter(name: "hci0", address: "00:11:22:33:44:55", state: .on)]
  let bluezRelease: String? = "5.66"
  var demands: [SearchDemand?] = []
  var links: [ScriptedLink] = []
  /// Whether links open, and the endpoints that they offer.
  var accepts = true
  var offers = [Endpoint.measurement, .location]
  /// What the sensor allows with them.
  var properties: [Endpoint: CharacteristicProperties] = [.measurement: .notify, .location: .read]
  /// The result of subscribing.
  var subscribing = Result<Void, LinkFailure>.success(())
  /// The outcome of the link with this number, from 1. Nil means that `accepts` decides.
  var outcome: (Int) -> LinkOutcome? = { _ in nil }
  /// Endpoints whose requests are never answered.
  var unanswered: Set<Endpoint> = []
  /// The stage of connects that are under way.
  var connectStage = ConnectStage.listening
  /// Whether BlueZ has a bond with the sensor.
  var isBonded = false
  /// Whether a sensor's device may be removed from BlueZ, and how often it was.
  var mayForget = false
  var forgotten = 0
  var forgottenBonds = 0
  var held: [Advert] = []
  var names: [DeviceAddress: String] = [:]
  var answers: [PairingQuestion.Answer?] = []
  /// The values written to links, and the result of writing.
  var written: [[UInt8]] = []
  var writeResult = Result<Void, LinkFailure>.success(())
  /// Whether writes are answered at all.
  var answersWrites = true

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  var isSearching: Bool { demands.last.flatMap(\.self) != nil }
  var hasOpenLink: Bool { links.contains { !$0.isClosed } }
  var link: ScriptedLink? { links.last { !$0.isClosed } }

  func start() {}
  func stop() {}
  func search(_ demand: SearchDemand?) { demands.append(demand) }
  func connectedSensors() -> [Advert] { held }
  func name(of address: DeviceAddress) -> String? { names[address] }

  /// A bonding with a question. `answers` records the answer.
  func ask(_ ask: PairingQuestion.Ask, of address: DeviceAddress = .strap) -> PairingQuestion {
    let question = PairingQuestion(ask, of: address) { [weak self] in self?.answers.append($0) }
    delegate?.radio(asks: question)
    return question
  }

  func forgetBond(with address: DeviceAddress) -> Bool {
    guard isBonded else { return false }
    isBonded = false
    forgottenBonds += 1
    return true
  }

  func link(to address: DeviceAddress) -> any Link {
    let link = ScriptedLink(to: address, radio: self)
    links.append(link)
    return link
  }

  /// The sensor advertises once.
  func advertise(_ address: DeviceAddress = .strap, name: String? = "Polar H10") {
    delegate?.radio(
      received: Advert(address: address, name: name, rssi: -61, services: [BluetoothUUID(0x180d)]))
  }

  func change(to obstacle: StateReason?) {
    condition = obstacle.map { RadioCondition(obstacle: $0, message: "in the way: \($0.rawValue)") } ?? .ready
    delegate?.radioConditionChanged()
  }
}

enum LinkOutcome {
  case opens
  case fails(LinkFailure, after: Duration)
  /// The link comes up and fails.
  case flaps(LinkFailure, upFor: Duration)
  case never
}

final class ScriptedLink: Link {
  weak var delegate: (any LinkDelegate)?
  private(set) var address: DeviceAddress
  private(set) var isOpened = false
  private(set) var isClosed = false
  private(set) var leavesNoTrace = false
  private(set) var subscriptions: [Endpoint] = []
  private(set) var reads: [Endpoint] = []
  var shouldBeBonded = false
  private unowned let radio: ScriptedRadio

  init(to address: DeviceAddress, radio: ScriptedRadio) {
    self.address = address
    self.radio = radio
  }

  var isUrgent = false
  var isBonded: Bool { radio.isBonded }
  var connectStage: ConnectStage { radio.connectStage }

  func open() {
    switch radio.outcome(radio.links.count) ?? (radio.accepts ? .opens : .never) {
    case .opens: succeed()
    case .fails(let failure, let time): fail(failure, after: time)
    case .flaps(let failure, let time):
      radio.loop.schedule(after: .milliseconds(50)) { [self] in
        guard !isClosed else { return }
        delegate?.linkIsUp(self)
        fail(failure, after: time)
      }
    case .never: break
    }
  }

  private func fail(_ failure: LinkFailure, after time: Duration) {
    radio.loop.schedule(after: time) { [self] in
      guard !isClosed else { return }
      isClosed = true
      delegate?.link(self, closedWith: failure)
    }
  }

  func closeAndForget() -> Bool {
    guard radio.mayForget else { return false }
    radio.forgotten += 1
    isClosed = true
    return true
  }

  /// Completes a connect that is under way.
  func succeedNow() { succeed() }

  private func succeed() {
    radio.loop.schedule(after: .milliseconds(100)) { [self] in
      guard !isClosed else { return }
      isOpened = true
      delegate?.link(self, openedWith: radio.offers)
    }
  }

  func close() {
    isClosed = true
  }

  func properties(of endpoint: Endpoint) -> CharacteristicProperties { radio.properties[endpoint] ?? [] }

  func leaveNoTrace() { leavesNoTrace = true }

  func subscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void) {
    radio.loop.schedule(after: .milliseconds(10)) { [self] in
      subscriptions.append(endpoint)
      if !radio.unanswered.contains(endpoint) { completion(radio.subscribing) }
    }
  }

  func read(_ endpoint: Endpoint, _ completion: @escaping (Result<[UInt8], LinkFailure>) -> Void) {
    reads.append(endpoint)
    radio.loop.schedule(after: .milliseconds(10)) { [radio] in
      if let value = radio.readable[endpoint] { return completion(.success(value)) }
      completion(.failure(LinkFailure(.unsupported, "nothing there")))
    }
  }

  func write(
    _ value: [UInt8], to endpoint: Endpoint, withResponse: Bool,
    _ completion: @escaping (Result<Void, LinkFailure>) -> Void
  ) {
    radio.written.append(value)
    guard radio.answersWrites else { return }
    let result = radio.writeResult
    radio.loop.schedule(after: .milliseconds(10)) { completion(result) }
  }

  func notify(_ value: [UInt8], from endpoint: Endpoint = .measurement, indicated: Bool = false) {
    delegate?.link(self, received: value.span, from: endpoint, indicated: indicated)
  }

  func reveal(_ own: DeviceAddress) {
    address = own
    delegate?.link(self, revealed: own)
  }

  func lose(_ reason: StateReason = .linkLost) {
    isClosed = true
    delegate?.link(self, closedWith: LinkFailure(reason, "the test cut it"))
  }
}

extension Endpoint {
  static let measurement = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a37))
  static let wheel = Endpoint(service: BluetoothUUID(0x1816), characteristic: BluetoothUUID(0x2a5b))
  static let location = Endpoint(service: BluetoothUUID(0x180d), characteristic: BluetoothUUID(0x2a38))
}

extension DeviceAddress {
  static let strap = standIn(1)
  static let other = standIn(2)
}
