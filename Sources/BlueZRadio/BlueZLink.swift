// A link to a sensor through bluetoothd, from Connect to disconnect.
//
// Usually bluetoothd bonds by itself when a sensor rejects a request, and asks the default agent:
// ours, unless another program registered one. If that fails, the next link begins with Pair, and
// then bluetoothd asks our agent.
//
// Invariant: a closed link makes no more callbacks; its calls are cancelled and its descriptors
// closed. A link that may still come up is cancelled with Disconnect, because bluetoothd would go
// on connecting. A device is removed only if it is not bonded, trusted or named by a user, and no
// other program had connected it. The exceptions are a user who asked for a new bond, and a bond that
// a link made which is to leave no trace.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Linux
import ProgramKit
import Radio
import Vocabulary
import Wire

final class BlueZLink: Link {
  weak var delegate: (any LinkDelegate)?
  private(set) var address: DeviceAddress
  let loop: EventLoop
  let tree: ObjectTree
  private(set) weak var radio: BlueZSensorRadio?
  private var bonding = LinkBonding()
  var isUrgent = false
  /// Another program connected it before us, so BlueZ's data about it may belong to that program.
  private(set) var wasAdopted = false
  /// Leave the sensor connected.
  private var isLeft = false
  /// BlueZ forgets the sensor after the link.
  private var leavesNoTrace = false

  private(set) var phase = Phase.new
  /// Valid for the time of this link.
  private(set) var path = ""
  private(set) var wasUp = false
  private var claim = Claim.none
  private var objectsCameLate = false
  private(set) var reasonOfEnd: String?
  /// Until the services are known. bluetoothd connects again by itself after a link that ended
  /// before, and Disconnect cancels that.
  private var witness: ConnectWitness?
  private var reasonMatch: Match?
  private var deadline: Deadline?
  private var settling: Deadline?
  private var calls: [PendingCall] = []

  private var endpoints = LinkEndpoints()
  private lazy var notifications = Notifications(of: self)

  enum Phase {
    case new, waiting, connecting, resolving, bonding, open, closed
  }

  static let connectTime = Duration.seconds(25)
  private static let resolveTime = Duration.seconds(15)
  /// BlueZ itself waits 2 s before it disconnects.
  static let disconnectTime = Duration.seconds(6)
  /// Counted from the last object that came after ServicesResolved.
  private static let settleTime = Duration.milliseconds(200)

  init(to address: DeviceAddress, radio: BlueZSensorRadio) {
    self.address = address
    self.radio = radio
    loop = radio.loop
    tree = radio.tree
  }

  var device: Device { tree.device(at: path) }
  var isWaiting: Bool { phase == .waiting }
  /// The sensor is connected, or was until a moment ago.
  var isPastConnecting: Bool { phase == .resolving || phase == .bonding || phase == .open }

  var connectStage: ConnectStage {
    guard phase == .connecting else { return .listening }
    switch witness?.stage {
    case .listening?, .tooLate?: return .listening
    case .creating?: return .creating
    case .unknown?, nil: return .unknown
    }
  }

  /// Completions must not run inside the call that requested them.
  func later(_ action: @escaping () -> Void) {
    loop.schedule(after: .zero, action)
  }

  /// Tracked calls are cancelled when the link ends.
  func track(_ call: PendingCall?) {
    calls.removeAll { !$0.isPending }
    if let call { calls.append(call) }
  }
}

// MARK: Opening

extension BlueZLink {
  func open() {
    guard phase == .new else { return }
    phase = .waiting
    guard let radio else { return later { self.lose(LinkFailure(.bluetoothdGone, "the radio is off")) } }
    radio.admit(self)
  }

  func begin() {
    guard phase == .waiting, let radio else { return }
    if let obstacle = radio.condition.obstacle { return lose(LinkFailure(obstacle, radio.condition.message)) }
    guard let device = radio.device(address) else {
      return lose(LinkFailure(.gone, .connectingFailed, "gone: bluetoothd has no device \(address)"))
    }
    bonding.isOld = device.isPaired
    path = device.path
    wasUp = device.isConnected
    wasAdopted = device.isConnected
    reasonMatch = device.watchDisconnected { [weak self] in self?.reasonOfEnd = $0 }
    if device.isConnected && device.areServicesResolved { return resolve() }
    phase = .connecting
    witness = radio.witness(of: device)
    connect()
  }

  func connect() {
    track(device.connect(timeout: Self.connectTime) { [weak self] in self?.connected($0) })
  }

  private func connected(_ result: Result<Void, BusError>) {
    switch result {
    case .failure(let error) where error.name == .bluezInProgress:
      someoneElseConnects(error)
    case .failure(let error) where error.name != .bluezAlreadyConnected:
      lose(LinkFailure(error, while: .connecting))
    default:
      resolve()
    }
  }

  private func resolve() {
    phase = .resolving
    witness?.linkIsUp()
    deadline?.cancel()
    deadline = loop.schedule(after: Self.resolveTime) { [weak self] in
      self?.lose(LinkFailure(.unanswered, .connectingFailed, "services not resolved within \(Self.resolveTime)"))
    }
    checkServices()
  }

  /// ServicesResolved and the objects come in either order, and the number of late objects is
  /// unknown.
  private func checkServices() {
    guard phase == .resolving, device.areServicesResolved else { return }
    guard !device.characteristics.isEmpty else {
      objectsCameLate = true
      return
    }
    guard objectsCameLate else { return becomeOpen() }
    settling?.cancel()
    settling = loop.schedule(after: Self.settleTime) { [weak self] in self?.becomeOpen() }
  }

  private func becomeOpen() {
    guard phase == .resolving || phase == .bonding else { return }
    deadline?.cancel()
    settling?.cancel()
    if phase == .resolving, mustBondFirst {
      phase = .bonding
      return bondFirst { [weak self] in self?.becomeOpen() }
    }
    phase = .open
    witness = nil
    bonding.wasMade = device.isPaired
    delegate?.link(self, openedWith: endpoints.find(of: device))
  }
}

// MARK: Changes from bluetoothd

extension BlueZLink {
  func treeChanged(_ event: ObjectTree.Event) {
    guard !path.isEmpty, phase != .closed else { return }
    switch event {
    case .changed(path, BlueZName.Interface.device, let names):
      deviceChanged(names)
    case .changed(path, BlueZName.Interface.battery, _), .added(path, BlueZName.Interface.battery):
      notifications.deliverBattery()
    case .added(let object, BlueZName.Interface.characteristic) where object.hasPrefix(path + "/"):
      checkServices()
    case .removed(path, BlueZName.Interface.device):
      lose(LinkFailure(.gone, phase == .open ? .linkLost : .connectingFailed, "gone: bluetoothd dropped the device"))
    default:
      break
    }
  }

  private func deviceChanged(_ names: [String]) {
    if names.contains(BlueZName.Property.address), let own = device.address.flatMap({ DeviceAddress($0) }),
      own != address
    {
      address = own
      delegate?.link(self, revealed: own)
    }
    if names.contains(BlueZName.Property.connected) {
      if device.isConnected {
        wasUp = true
        delegate?.linkIsUp(self)
        if claim == .awaited { resolve() }
      } else if wasUp {
        return lose(failureOfEnd)
      }
    }
    if names.contains(BlueZName.Property.servicesResolved) { checkServices() }
  }
}

// MARK: The end

extension BlueZLink {
  private var failureOfEnd: LinkFailure {
    if let reasonOfEnd, reasonOfEnd.hasPrefix(BlueZName.Reason.authentication), bonding.isOld {
      return LinkFailure(.needsUser, .bondLost, "the sensor has lost its bond (\(reasonOfEnd))")
    }
    return LinkFailure(phase == .open ? .linkLost : .connectingFailed, reasonOfEnd ?? "the link ended")
  }

  /// The link ended by itself. Must not be called from within a call of the delegate.
  func lose(_ failure: LinkFailure) {
    guard phase != .closed else { return }
    var failure = blamingBond(failure)
    if phase == .connecting, witness?.sawNoRoom() == true {
      failure = LinkFailure(.noSlots, "the adapter has no free connection")
    }
    if failure.reason == .noSlots, let spare = radio?.adapterKeeper.markFull(path) {
      failure = LinkFailure(.gone, .noSlots, "\(failure.detail): \(spare) is used for the next attempts")
    }
    end {}
    delegate?.link(self, closedWith: failure)
  }

  func close() {
    guard phase != .closed else { return }
    if leavesNoTrace, wasAdopted { isLeft = true }
    end { self.delegate?.link(self, closedWith: LinkFailure(.user, "closed")) }
  }

  /// Only an adopted link stays connected. On our own link, bluetoothd holds notifications of an
  /// earlier link until this one ends.
  func leave() {
    isLeft = wasAdopted
    close()
  }

  func leave(because failure: LinkFailure) {
    isLeft = true
    lose(failure)
  }

  func leaveNoTrace() { leavesNoTrace = true }

  func closeAndForget() -> Bool {
    guard phase != .closed, mayForget else { return false }
    end(byForgetting: true) { self.delegate?.link(self, closedWith: LinkFailure(.user, "closed")) }
    return true
  }

  /// With `byForgetting`, BlueZ ends the link itself and drops the device with all its data.
  func end(byForgetting isForgetting: Bool = false, _ ended: @escaping () -> Void) {
    let isComing = phase == .connecting || phase == .resolving
    // A bond that this link made goes too.
    let isVisitor = leavesNoTrace && isOfNoOther && !bonding.isOld
    let mayBeUp = isComing || (phase == .bonding || phase == .open) && device.isConnected
    phase = .closed
    for deadline in [deadline, settling, bonding.timeout] { deadline?.cancel() }
    for call in calls { call.cancel() }
    calls = []
    witness?.cancelling()
    let cancelled = witness.map { LostLinks.Cancelled(address: address, path: path, isUrgent: isUrgent, witness: $0) }
    witness = nil
    reasonMatch?.cancel()
    withdrawStart()
    notifications.end()
    let finish = {
      self.radio?.finished(self)
      if let cancelled { self.radio?.lostLinks.watch(cancelled) }
      ended()
    }
    // A connect is cancelled first, with Disconnect.
    if isForgetting || isVisitor && !isComing { return forgetDevice(finish) }
    let disconnected = isVisitor ? { self.forgetDevice(finish) } : finish
    guard mayBeUp, !isLeft, device.isPresent else { return later(disconnected) }
    // Disconnect also ends a bonding.
    device.disconnect(timeout: Self.disconnectTime) { _ in disconnected() }
  }

  private func forgetDevice(_ done: @escaping () -> Void) {
    guard device.isPresent, let adapter = device.adapterPath else { return later(done) }
    tree.adapter(at: adapter).removeDevice(device) { _ in done() }
  }
}

// MARK: Endpoints

extension BlueZLink {
  func isStandIn(_ endpoint: Endpoint) -> Bool { endpoints.isStandIn(endpoint) }

  func properties(of endpoint: Endpoint) -> CharacteristicProperties {
    phase == .open ? endpoints.properties(of: endpoint, in: tree) : []
  }

  func characteristic(_ endpoint: Endpoint) -> Result<Characteristic, LinkFailure> {
    guard phase == .open else { return .failure(LinkFailure(.linkLost, "the link is closed")) }
    guard let path = endpoints.path(of: endpoint) else {
      return .failure(LinkFailure(.unsupported, "no characteristic \(endpoint.characteristic)"))
    }
    return .success(tree.characteristic(at: path))
  }
}

// MARK: Reading and writing

extension BlueZLink {
  func read(_ endpoint: Endpoint, _ completion: @escaping (Result<[UInt8], LinkFailure>) -> Void) {
    if phase == .open, isStandIn(endpoint) {
      let value = device.batteryPercentage
      let failure = LinkFailure(.unsupported, "bluetoothd has no battery level")
      return later { completion(value.map { .success([$0]) } ?? .failure(failure)) }
    }
    switch characteristic(endpoint) {
    case .failure(let failure): later { completion(.failure(failure)) }
    case .success(let characteristic):
      track(
        characteristic.readValue { result in
          completion(result.mapError { LinkFailure($0, while: .exchanging) })
        })
    }
  }

  func write(
    _ value: [UInt8], to endpoint: Endpoint, withResponse: Bool,
    _ completion: @escaping (Result<Void, LinkFailure>) -> Void
  ) {
    switch characteristic(endpoint) {
    case .failure(let failure): later { completion(.failure(failure)) }
    case .success(let characteristic):
      track(
        characteristic.writeValue(value, withResponse: withResponse) { result in
          completion(result.mapError { LinkFailure($0, while: .exchanging) })
        })
    }
  }
}

extension BlueZLink {
  func subscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void) {
    notifications.subscribe(endpoint, completion)
  }

  func resubscribe(_ endpoint: Endpoint, _ completion: @escaping (Result<Void, LinkFailure>) -> Void) {
    notifications.resubscribe(endpoint, completion)
  }
}

// MARK: Bonding

extension BlueZLink {
  /// The protocol allows 30 s per step, and one of them waits for the user.
  static let longestBonding = Duration.seconds(60)

  /// bluetoothd may be asking the agent of another program, which no one answers.
  private static let timeout = Duration.seconds(10)

  var mayBond: Bool {
    get { bonding.isAllowed }
    set {
      guard newValue != bonding.isAllowed else { return }
      bonding.isAllowed = newValue
      radio?.bondingChanged()
    }
  }

  var shouldBeBonded: Bool {
    get { bonding.isExpected }
    set { bonding.isExpected = newValue }
  }

  var isBonded: Bool { bonding.isOld || bonding.wasMade || !path.isEmpty && device.isPaired }

  /// This link may still find that it needs a bond and has none.
  var isUnbonded: Bool { (mayBond || shouldBeBonded) && !device.isPaired }

  /// Not on this link: 5.66 never answers a Pair after its own bonding failed. A bond that the
  /// sensor has forgotten is removed first: the user is pairing and wants a new one.
  func bond() {
    guard phase == .open else { return }
    guard !device.isPaired || !bonding.isOld else { return later { self.replaceBond() } }
    // If the bond was made in the meantime, only a new link is needed.
    if !device.isPaired { radio?.addBondToMake(address) }
    later { self.lose(LinkFailure(.connectingFailed, "it requires a bond: reconnecting to bond")) }
  }

  private func replaceBond() {
    guard phase != .closed else { return }
    end(byForgetting: true) {}
    let detail = "the sensor has lost its bond: removed the bond of this computer"
    delegate?.link(self, closedWith: LinkFailure(.gone, .connectingFailed, detail))
  }

  var mustBondFirst: Bool { mayBond && isUnbonded && radio?.bondsToMake.contains(address) == true }

  func bondFirst(_ bonded: @escaping () -> Void) {
    track(
      device.pair(timeout: Self.longestBonding) { [weak self] result in
        guard let self else { return }
        radio?.removeBondToMake(address)
        switch result {
        case .success: bonded()
        case .failure(let error) where error.name == .bluezAlreadyExists: replaceBond()
        case .failure(let error): lose(LinkFailure(bonding: error))
        }
      })
  }

  /// Gives up on bluetoothd's own bonding, unless it is asking our user.
  func whenUnanswered(_ giveUp: @escaping (LinkFailure) -> Void) {
    bonding.timeout?.cancel()
    bonding.timeout = loop.schedule(after: Self.timeout) { [weak self] in
      guard let self, phase == .open, !bonding.wasAsked else { return }
      let isOfBond = mayBond || shouldBeBonded
      giveUp(
        isOfBond
          ? LinkFailure(.needsUser, .bondLost, "it requires a bond, and bonding failed", needsBond: true)
          : LinkFailure(.unanswered, .linkLost, "it does not answer a subscription"))
    }
  }

  /// The answer to this StartNotify shows whether the sensor requires a bond.
  func bondingMayStart(by characteristic: Characteristic) { bonding.started = characteristic }

  func startWasAnswered() {
    bonding.started = nil
    bonding.timeout?.cancel()
  }

  /// bluetoothd has asked our agent about this sensor.
  func recordQuestion() { bonding.wasAsked = true }
  var wasAskedToBond: Bool { bonding.wasAsked }

  /// bluetoothd would carry the unanswered call over to the next link, and bond for it before it
  /// resolves the services.
  func withdrawStart() {
    bonding.started?.stopNotify { _ in }
    bonding.started = nil
  }

  func userRefused() {
    later {
      self.lose(LinkFailure(.connectingFailed, "bonding failed: refused here", needsUser: true))
    }
  }

  /// If a link ends during a bonding, the bonding is the cause: BlueZ gives no better reason.
  func blamingBond(_ failure: LinkFailure) -> LinkFailure {
    // If another agent refused, 5.87 disconnects without saying so. The next link begins with Pair.
    if bonding.started != nil, mayBond, !bonding.wasAsked, reasonOfEnd?.hasPrefix(BlueZName.Reason.local) == true {
      radio?.addBondToMake(address)
    }
    let isOfLink = failure.reason == .linkLost || failure.reason == .connectingFailed
    guard isOfLink, !failure.needsUser, bonding.wasAsked, isUnbonded else { return failure }
    let detail = "bonding failed: the passkey was wrong, or came too late (\(failure.detail))"
    return LinkFailure(.connectingFailed, detail, needsUser: true)
  }
}

// MARK: Connects of other programs

extension BlueZLink {
  /// How a connect of another program was handled.
  enum Claim {
    case none
    /// Another program may be connecting; its connect may succeed.
    case awaited
    /// It was ended, and ours is tried once more.
    case ended
  }

  /// Within this time the kernel receives an advert of a sensor that advertises every 2.5 s.
  /// Connects that were being created before have ended by then.
  private static let longestWait = Duration.seconds(6)
  private static let pauseAfterDisconnect = Duration.milliseconds(250)

  /// If a program is killed while connecting, its call stays pending until someone disconnects.
  func someoneElseConnects(_ error: BusError) {
    guard claim == .none else { return giveUpConnecting(error) }
    claim = .awaited
    radio?.log.info("\(address): another program is connecting (\(error)): waiting up to \(Self.longestWait)")
    if device.isConnected { return }
    deadline = loop.schedule(after: Self.longestWait) { [weak self] in self?.endOthersConnect(isPatient: true) }
  }

  /// `isPatient`: allows the time that the kernel needs to create the link.
  private func endOthersConnect(isPatient: Bool = false) {
    guard phase == .connecting else { return }
    if isPatient, connectStage != .listening {
      deadline = loop.schedule(after: ConnectStage.creationTime) { [weak self] in self?.endOthersConnect() }
      return
    }
    claim = .ended
    track(
      device.disconnect(timeout: Self.disconnectTime) { [weak self] _ in
        guard let self, phase == .connecting else { return }
        deadline = loop.schedule(after: Self.pauseAfterDisconnect) { [weak self] in
          if self?.phase == .connecting { self?.connect() }
        }
      })
  }

  private func giveUpConnecting(_ error: BusError) {
    let failure = LinkFailure(error, while: .connecting)
    guard mayForget else { return lose(failure) }
    end(byForgetting: true) {}
    delegate?.link(self, closedWith: failure)
  }

  var mayForget: Bool { isOfNoOther && !device.isPaired }

  private var isOfNoOther: Bool {
    if path.isEmpty || !device.isPresent { return false }
    return !device.isMarked && !wasAdopted
  }
}

extension Endpoint {
  static let battery = Endpoint(service: BluetoothUUID(0x180f), characteristic: BluetoothUUID(0x2a19))
}
