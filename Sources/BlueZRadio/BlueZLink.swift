// A link to a sensor through bluetoothd, from Connect to disconnect.
//
// Invariant: a closed link makes no more callbacks; its calls are cancelled and its descriptors
// closed. A link that may still come up is cancelled with Disconnect, because bluetoothd would go
// on connecting.

internal import BlueZ
internal import DBus
internal import EventLoop
internal import Linux
import Radio
import Wire

final class BlueZLink: Link {
  weak var delegate: (any LinkDelegate)?
  private(set) var address: DeviceAddress
  let loop: EventLoop
  let tree: ObjectTree
  private(set) weak var radio: BlueZSensorRadio?
  var bonding = Bonding()
  var isUrgent = false
  /// Another program connected it before us, so BlueZ's data about it may belong to that program.
  private(set) var wasAdopted = false
  /// Leave the sensor connected.
  private var isLeft = false

  private(set) var phase = Phase.new
  /// Valid for the time of this link.
  private(set) var path = ""
  private(set) var wasUp = false
  var claim = Claim.none
  private var objectsCameLate = false
  private(set) var reasonOfEnd: String?
  /// Only while connecting.
  private var witness: ConnectWitness?
  private var reasonMatch: Match?
  var deadline: Deadline?
  private var settling: Deadline?
  private var calls: [PendingCall] = []

  /// The object path of each endpoint.
  var characteristics: [Endpoint: String] = [:]
  var subscriptions: [BlueZSubscription] = []
  var isBatterySubscribed = false
  /// Receives every notification. ATT's longest has 517 bytes.
  var buffer = [UInt8](repeating: 0, count: 1024)

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
    witness = nil
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
    bonding.wasMade = device.isPaired
    delegate?.link(self, openedWith: findEndpoints())
  }
}

// MARK: Changes from bluetoothd

extension BlueZLink {
  func treeChanged(_ event: ObjectTree.Event) {
    guard !path.isEmpty, phase != .closed else { return }
    switch event {
    case .changed(path, BlueZ.Interface.device, let names):
      deviceChanged(names)
    case .changed(path, BlueZ.Interface.battery, _), .added(path, BlueZ.Interface.battery):
      deliverBattery()
    case .added(let object, BlueZ.Interface.characteristic) where object.hasPrefix(path + "/"):
      checkServices()
    case .removed(path, BlueZ.Interface.device):
      lose(LinkFailure(.gone, phase == .open ? .linkLost : .connectingFailed, "gone: bluetoothd dropped the device"))
    default:
      break
    }
  }

  private func deviceChanged(_ names: [String]) {
    if names.contains(BlueZ.Property.address), let own = device.address.flatMap({ DeviceAddress($0) }), own != address {
      address = own
      delegate?.link(self, revealed: own)
    }
    if names.contains(BlueZ.Property.connected) {
      if device.isConnected {
        wasUp = true
        delegate?.linkIsUp(self)
        if claim == .awaited { resolve() }
      } else if wasUp {
        return lose(failureOfEnd)
      }
    }
    if names.contains(BlueZ.Property.servicesResolved) { checkServices() }
  }
}

// MARK: The end

extension BlueZLink {
  private var failureOfEnd: LinkFailure {
    if let reasonOfEnd, reasonOfEnd.hasPrefix(BlueZ.Reason.authentication), bonding.isOld {
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
    if failure.reason == .noSlots, let spare = radio?.noteFull(path) {
      failure = LinkFailure(.gone, .noSlots, "\(failure.detail): \(spare) is used for the next attempts")
    }
    end {}
    delegate?.link(self, closedWith: failure)
  }

  func close() {
    guard phase != .closed else { return }
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

  func closeAndForget() -> Bool {
    guard phase != .closed, mayForget else { return false }
    end(byForgetting: true) { self.delegate?.link(self, closedWith: LinkFailure(.user, "closed")) }
    return true
  }

  /// With `byForgetting`, BlueZ ends the link itself and drops the device with all its data.
  func end(byForgetting isForgetting: Bool = false, _ ended: @escaping () -> Void) {
    let isComing = phase == .connecting || phase == .resolving
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
    for subscription in subscriptions { subscription.end() }
    subscriptions = []
    let finish = {
      self.radio?.finished(self)
      if let cancelled { self.radio?.lostLinks.watch(cancelled) }
      ended()
    }
    if isForgetting, device.isPresent, let adapter = device.adapterPath {
      tree.adapter(at: adapter).removeDevice(device) { _ in finish() }
      return
    }
    guard mayBeUp, !isLeft, device.isPresent else { return later(finish) }
    // Disconnect also ends a bonding.
    device.disconnect(timeout: Self.disconnectTime) { _ in finish() }
  }
}
