// The life of one sensor: found, connected, streaming, silent, lost, found again. It owns the
// sensor's plugins and link, and turns the bytes of the link into samples.
//
// Invariant: samples are published only in the state `streaming`, which begins with a value of the
// sensor's own kinds. A dropped link makes no more callbacks.

import EventLoop
import JSON
import Linux
import ProgramKit
import Radio
import Ride
import SensorKit
import Serving
import Time
import Vocabulary
import Wire

protocol SensorSessionDelegate: AnyObject {
  func sessionChangedState(_ session: SensorSession)
  /// The first sample since its link opened.
  func sessionReceivedFirstValue(_ session: SensorSession)
  /// The sensor has revealed its permanent address.
  func sessionMoved(_ session: SensorSession)
  /// The session's knowledge of the sensor changed, such as its facts or plugins.
  func sessionLearned(_ session: SensorSession)
}

final class SensorSession {
  var address: DeviceAddress {
    didSet { sender = Sender(address: address.text, name: deviceName) }
  }
  /// The sensor id in samples; fixed once it streams.
  private(set) var id: String
  private(set) var name: String
  /// The advertised name, whatever the user calls the sensor. Plugins may recognise it by this
  /// name.
  private(set) var deviceName: String {
    didSet { sender = Sender(address: address.text, name: deviceName) }
  }
  /// The source of its packets, made once because every packet refers to it.
  private(set) var sender: Sender
  private(set) var settings: SensorSettings
  private(set) var state = SessionTable.initial
  private(set) var reason: StateReason?
  private(set) var since: WallTime?
  var infos: [SensorInfo] = [] {
    didSet { isUrgent = infos.contains(where: \.watchesTheRoad) }
  }
  /// Connected before other sensors.
  var isUrgent = false
  var facts: [(name: String, value: JSONValue)] = []
  /// The commands that its characteristics allow; nil until the first connection.
  var commands: [CommandInfo]?
  var batteryPct: Double?
  /// RSSI of its link or of its last advert.
  var rssi: Int? {
    didSet { if rssi != oldValue { forwardSignal() } }
  }
  var record = ConnectionRecord()
  /// The characteristic whose packets are counted.
  var paceSetter: BluetoothUUID?
  var strengthIsDue = MonotonicTime(nanoseconds: 0)
  var failure: LinkFailure?

  let environment: Environment
  weak var delegate: (any SensorSessionDelegate)?
  var host: PluginHost?
  var batch = Batch()
  var link: (any Link)?
  /// The sensor is connected.
  var isLinkUp = false
  /// The link is up, and the sensor's services are known.
  var isLinkOpen = false
  var ticket: ConnectQueue.Ticket?
  var actions: ActionQueue?
  var commandUnderWay: CommandUnderWay?
  var streams: [SampleStream] = []
  /// Its source number in the ride, once it has a sample.
  var rideSource: RideKeeper.Source?
  var lastReceived = MonotonicTime(nanoseconds: 0)
  var hasValue = false
  var firstValueAt = MonotonicTime(nanoseconds: 0)
  /// All required subscriptions are done: its values are expected, or are arriving.
  var isSubscribed = false
  var subscribedAt = MonotonicTime(nanoseconds: 0)
  /// It has sent something since its link opened.
  var hasSpoken = false
  /// It was subscribed to again on this link, because it had sent nothing.
  var wasDemanded = false
  var silences = SilenceBackOff()
  /// Packets of companions that arrived before the first value: their samples are published after
  /// it.
  var early: [EarlyPacket] = []
  /// It is being paired: its samples are not published yet.
  var isProvisional = false {
    didSet { link?.mayBond = isProvisional }
  }
  /// It only advertises, and is never connected.
  var isBroadcaster = false
  /// Something about the sensor has changed and was not reported yet.
  var hasNews = false
  /// BlueZ had a bond with it when it last worked.
  var isBonded = false
  var trouble = Trouble()
  var connect = ConnectUnderWay()
  var retryAt: MonotonicTime?
  var advertisedEarly = false
  /// The failure that was logged last, so that it is logged only once.
  var lastLoggedFailure: LinkFailure?
  var connectDeadline: Deadline?
  var slotDeadline: Deadline?
  var retryDeadline: Deadline?
  var silenceDeadline: Deadline?
  var tickDeadline: Deadline?

  /// Shared by all sessions of a daemon.
  struct Environment {
    let plugins: PluginRegistry
    let loop: EventLoop
    let radio: any SensorRadio
    let queue: ConnectQueue
    let publisher: Publisher
    let captures: Captures
    let ride: RideKeeper
    let log: Log
  }

  init(
    address: DeviceAddress, id: String, name: String, deviceName: String, settings: SensorSettings,
    environment: Environment, delegate: any SensorSessionDelegate
  ) {
    self.address = address
    self.id = id
    self.name = name
    self.deviceName = deviceName
    sender = Sender(address: address.text, name: deviceName)
    self.settings = settings
    self.environment = environment
    self.delegate = delegate
  }

  /// Whether it needs discovery.
  var needsAdverts: Bool { isBroadcaster ? state != .disabled : state == .searching && ticket == nil }

  var stateRecord: StateRecord {
    StateRecord(sensor: id, state: state, reason: reason, since: since, retryMS: retryMS)
  }

  private var retryMS: Int? {
    guard state == .searching, let retryAt, retryAt > environment.loop.now else { return nil }
    return Int((retryAt - environment.loop.now).wholeNanoseconds / 1_000_000)
  }
}

// MARK: Calls from the daemon

extension SensorSession {
  func start() {
    guard state == .disabled || state == .error else { return }
    trouble = Trouble()
    silences = SilenceBackOff()
    retryDeadline?.cancel()
    retryAt = nil
    transition(on: .started)
  }

  /// The user, or a client, does not want the sensor to be connected.
  func disable(because reason: StateReason) {
    disconnect()
    retryAt = nil
    record.interrupt()
    transition(on: .disabled, because: reason)
  }

  /// Keeps counters and distances.
  func apply(_ settings: SensorSettings) {
    self.settings = settings
    host?.settingsChanged(settings)
  }

  func rename(to name: String) {
    self.name = name
  }

  /// The daemon stops, or the sensor was forgotten. Nothing more is published or logged.
  func discard() {
    delegate = nil
    disconnect()
  }

  func handle(_ advert: Advert) {
    if let rssi = advert.rssi { self.rssi = rssi }
    if let name = advert.name, name != deviceName {
      deviceName = name
      host?.nameChanged(name)
    }
    capture(advert)
    if state == .searching { ticket?.provePresence() }
    guard !handleBroadcast(advert), needsAdverts, !isBroadcaster else { return }
    if let retryAt, retryAt > environment.loop.now {
      advertisedEarly = true
      return
    }
    requestConnect()
  }

  /// Names a sensor that is being paired after its first advert.
  func introduce(id: String, name: String, deviceName: String) {
    guard streams.isEmpty else { return }
    self.id = id
    self.name = name
    self.deviceName = deviceName
  }

  /// Called when the radio becomes available or unavailable.
  func radioChanged(_ condition: RadioCondition) {
    // A broadcaster has no link that would fail.
    guard state == .searching || isBroadcaster && condition.obstacle != nil else { return }
    if let obstacle = condition.obstacle {
      leaveQueue()
      retryDeadline?.cancel()
      advertisedEarly = false
      transition(on: .radioLost, because: obstacle)
    } else if reason?.isOfRadio == true {
      retryAt = nil
      transition(on: .radioBack)
    }
  }
}

// MARK: States

extension SensorSession {
  /// Changes the state according to SessionTable. Transitions that are not in the table are errors.
  func transition(on event: SessionEvent, because why: StateReason? = nil) {
    guard let transition = SessionTable.transition(from: state, on: event) else {
      assertionFailure("\(event) in \(state)")
      return environment.log.error("\(title): \(event) in the state \(state.rawValue): please report it", .sensor(id))
    }
    let reason: StateReason? =
      switch transition.reason {
      case .none: nil
      case .request: why
      case .silent: .silent
      case .failure: environment.radio.condition.obstacle ?? why
      case .radio: environment.radio.condition.obstacle
      case .same: self.reason
      }
    guard transition.to != state || reason != self.reason else { return }
    state = transition.to
    self.reason = reason
    since = Clock.wallTime
    delegate?.sessionChangedState(self)
  }
}
