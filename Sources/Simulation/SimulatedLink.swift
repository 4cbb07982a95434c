// A link to a device of a scene. Every reply comes in a later iteration of the loop, as with a bus.

import EventLoop
import Linux
import Radio
import Wire

final class SimulatedLink: Link {
  weak var delegate: (any LinkDelegate)?
  var mayBond = false
  private weak var radio: SimulatedRadio?
  private var question: PairingQuestion?
  private(set) var isOpen = false
  private var isWaiting = false
  private weak var device: SimulatedDevice?
  private let loop: EventLoop
  private var subscriptions: Set<Endpoint> = []
  private var connecting: Deadline?

  init(to device: SimulatedDevice?, of radio: SimulatedRadio) {
    self.device = device
    self.radio = radio
    loop = radio.loop
  }

  var isBonded: Bool { device?.isBonded == true }

  /// Bonds survive a restart of the daemon.
  var shouldBeBonded: Bool {
    get { isBonded }
    set { if newValue { device?.bond() } }
  }

  func open() {
    device?.link = self
    connecting = loop.schedule(after: SimulatedRadio.connectTime) { [weak self] in
      self?.isWaiting = true
      self?.accepted()
    }
  }

  /// Like a real connect, this waits for a device that does not respond; the caller decides for how
  /// long.
  func accepted() {
    guard isWaiting, let device, device.isAccepting, radio?.isLinkFree != false else { return }
    isWaiting = false
    isOpen = true
    delegate?.link(self, openedWith: device.scenery.endpoints)
  }

  func close() {
    connecting?.cancel()
    question?.withdraw()
    isWaiting = false
    isOpen = false
    guard device?.link === self else { return }
    device?.link = nil
    radio?.linkClosed()
  }

  func lose(_ failure: LinkFailure = LinkFailure(.linkLost, "the simulated sensor is gone")) {
    guard isOpen else { return }
    close()
    delegate?.link(self, closedWith: failure)
  }

  func receive(_ value: [UInt8], from endpoint: Endpoint, indicated: Bool) {
    guard isOpen, subscriptions.contains(endpoint) else { return }
    delegate?.link(self, received: value.span, from: endpoint, indicated: indicated)
  }

  func subscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void) {
    guard let passkey = device?.scenery.passkey, !isBonded, isOpen else {
      return answer(endpoint, completion) { [weak self] _ in
        self?.subscriptions.insert(endpoint)
        return .success(())
      }
    }
    guard mayBond else {
      return answer(endpoint, completion) { _ in
        .failure(LinkFailure(.needsUser, .bondLost, "the simulated sensor requires a bond", needsBond: true))
      }
    }
    loop.schedule(after: .milliseconds(10)) { [weak self] in
      self?.bond(by: passkey) { self?.subscribe(endpoint, completion) }
    }
  }

  private func bond(by passkey: Int, _ bonded: @escaping () -> Void) {
    guard isOpen, let device, let delegate = radio?.delegate else { return }
    let question = PairingQuestion(.passkey, of: device.scenery.address) { [weak self] answer in
      self?.loop.schedule(after: .milliseconds(10)) {
        guard let self, self.isOpen else { return }
        guard answer == .passkey(passkey) else {
          let detail = answer == nil ? "refused here" : "wrong passkey"
          return self.lose(LinkFailure(.connectingFailed, "bonding failed: \(detail)", needsUser: true))
        }
        self.device?.bond()
        bonded()
      }
    }
    self.question = question
    delegate.radio(asks: question)
  }

  func properties(of endpoint: Endpoint) -> CharacteristicProperties {
    device?.scenery.properties[endpoint] ?? []
  }

  func read(_ endpoint: Endpoint, _ completion: @escaping (Result<[UInt8], LinkFailure>) -> Void) {
    answer(endpoint, completion) { device in
      device.values[endpoint].map(Result.success)
        ?? .failure(LinkFailure(.unsupported, "the scene has no value of \(endpoint.characteristic)"))
    }
  }

  func write(
    _ value: [UInt8], to endpoint: Endpoint, withResponse: Bool,
    _ completion: @escaping (Result<Void, LinkFailure>) -> Void
  ) {
    answer(endpoint, completion) { [weak self] device in
      self?.loop.schedule(after: .milliseconds(10)) {
        guard self?.isOpen == true else { return }
        self?.radio?.wrote(value, to: endpoint, of: device)
      }
      return .success(())
    }
  }

  private func answer<Value>(
    _ endpoint: Endpoint, _ completion: @escaping (Result<Value, LinkFailure>) -> Void,
    _ result: @escaping (SimulatedDevice) -> Result<Value, LinkFailure>
  ) {
    loop.schedule(after: .milliseconds(10)) { [weak self] in
      guard let self, self.isOpen, let device = self.device else {
        return completion(.failure(LinkFailure(.linkLost, "the link is gone")))
      }
      guard device.scenery.endpoints.contains(endpoint) else {
        return completion(.failure(LinkFailure(.unsupported, "it has no \(endpoint.characteristic)")))
      }
      completion(result(device))
    }
  }
}
