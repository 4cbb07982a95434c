// The life of one sensor: heard, connected, streaming, silent, lost, heard again. It owns the sensor's plugins and its link,
// and is the only place where bytes of the one become samples of the other.
//
// Always so: samples are published in the state `streaming` only, which begins with a value of what the sensor is for; a link that was let go of is never listened to again.

import EventLoop
import Linux
import SensorKit
import Sensors
import Wire

protocol SensorSessionDelegate: AnyObject {
  func sessionChangedState(_ session: SensorSession)
  /// The first sample since its link opened.
  func sessionHeardFirstValue(_ session: SensorSession)
  /// It is known by another address from now on.
  func sessionMoved(_ session: SensorSession)
  /// What is known of the sensor changed: its facts, its plugins.
  func sessionLearned(_ session: SensorSession)
}

final class SensorSession {
  var address: DeviceAddress {
    didSet { sender = Sender(address: address.text, name: deviceName) }
  }
  /// What it is called in samples; final once it streams.
  private(set) var id: String
  private(set) var name: String
  /// What it calls itself, whatever its user calls it: by this plugins may know it.
  private(set) var deviceName: String {
    didSet { sender = Sender(address: address.text, name: deviceName) }
  }
  /// Who its packets are from: made once, for each of them names it.
  private(set) var sender: Sender
  private(set) var settings: SensorSettings
  private(set) var state = SessionTable.initial
  private(set) var reason: StateReason?
  private(set) var since: Wire.WallTime?
  var infos: [SensorInfo] = [] {
    didSet { isUrgent = infos.contains(where: \.watchesTheRoad) }
  }
  /// It is connected before the others.
  var isUrgent = false
  var facts: [(name: String, value: JSON)] = []
  /// Those that it can take, as its characteristics show; nil until its first connection.
  var commands: [CommandInfo]?
  var batteryPct: Double?
  /// Of its link, or of the advert that was heard last.
  var rssi: Int? {
    didSet { if rssi != oldValue { tellSignal() } }
  }
  var record = ConnectionRecord()
  /// The characteristic whose packets are counted.
  var paceSetter: BluetoothUUID?
  var strengthIsDue = BootTime(nanoseconds: 0)
  var failure: LinkFailure?

  let environment: Environment
  weak var delegate: (any SensorSessionDelegate)?
  var host: PluginHost?
  var batch = Batch()
  var link: (any Link)?
  /// The sensor is connected.
  var isLinkUp = false
  /// The link is up, and what the sensor offers is known.
  var isLinkOpen = false
  var ticket: ConnectQueue.Ticket?
  var actions: ActionQueue?
  var commandUnderWay: CommandUnderWay?
  var streams: [Stream] = []
  /// By which the ride knows it, once it has a sample to give.
  var rideSource: RideKeeper.Source?
  var lastHeard = BootTime(nanoseconds: 0)
  var hasValue = false
  var firstValueAt = BootTime(nanoseconds: 0)
  /// All that it is of use for is subscribed to: its values are awaited, or arrive.
  var isSubscribed = false
  var subscribedAt = BootTime(nanoseconds: 0)
  /// It sent something since its link opened.
  var hasSpoken = false
  /// It was subscribed to once more on this link, because it had sent nothing.
  var wasDemanded = false
  var silences = SilenceBackOff()
  /// Samples of companions that arrived before the first value: published with it.
  var early: [EarlyPacket] = []
  /// It is being paired: nobody hears its samples yet.
  var isProvisional = false {
    didSet { link?.mayBond = isProvisional }
  }
  /// It only advertises, and is never connected to.
  var isBroadcaster = false
  /// Something was learned that nobody has been told yet.
  var hasNews = false
  /// BlueZ had a bond with it when it worked last.
  var isBonded = false
  var trouble = Trouble()
  var connect = ConnectUnderWay()
  var retryAt: BootTime?
  var wasHeardEarly = false
  /// The failure that the log told last: it is told once.
  var toldFailure: LinkFailure?
  var connectDeadline: Deadline?
  var turnDeadline: Deadline?
  var retryDeadline: Deadline?
  var silenceDeadline: Deadline?
  var tickDeadline: Deadline?

  /// What every session of a daemon shares.
  struct Environment {
    let loop: EventLoop
    let radio: any Radio
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

  /// Whether discovery should run for it.
  var needsAdverts: Bool { isBroadcaster ? state != .disabled : state == .searching && ticket == nil }

  var stateRecord: StateRecord {
    StateRecord(sensor: id, state: state, reason: reason, since: since, retryMS: retryMS)
  }

  private var retryMS: Int? {
    guard state == .searching, let retryAt, retryAt > environment.loop.now else { return nil }
    return Int((retryAt - environment.loop.now).wholeNanoseconds / 1_000_000)
  }
}

// MARK: From outside

extension SensorSession {
  func start() {
    guard state == .disabled || state == .error else { return }
    trouble = Trouble()
    silences = SilenceBackOff()
    retryDeadline?.cancel()
    retryAt = nil
    enter(by: .started)
  }

  /// The user does not want it to be looked for.
  func disable() {
    letGo()
    retryAt = nil
    record.interrupt()
    enter(by: .disabled)
  }

  /// Counters and distances go on.
  func apply(_ settings: SensorSettings) {
    self.settings = settings
    host?.settingsChanged(settings)
  }

  func rename(to name: String) {
    self.name = name
  }

  /// The daemon ends, or the sensor was forgotten: nothing more is said of it.
  func discard() {
    delegate = nil
    letGo()
  }

  func heard(_ advert: Advert) {
    if let rssi = advert.rssi { self.rssi = rssi }
    if let name = advert.name, name != deviceName {
      deviceName = name
      host?.nameChanged(name)
    }
    note(advert)
    if state == .searching { ticket?.provePresence() }
    guard !hearBroadcast(advert), needsAdverts, !isBroadcaster else { return }
    if let retryAt, retryAt > environment.loop.now {
      wasHeardEarly = true
      return
    }
    requestConnect()
  }

  /// A sensor that is being paired is called by what it says of itself when it is first heard.
  func introduce(id: String, name: String, deviceName: String) {
    guard streams.isEmpty else { return }
    self.id = id
    self.name = name
    self.deviceName = deviceName
  }

  /// The radio can or cannot hear anything now.
  func radioChanged(_ condition: RadioCondition) {
    // A broadcaster has no link whose loss would say it.
    guard state == .searching || isBroadcaster && condition.obstacle != nil else { return }
    if let obstacle = condition.obstacle {
      leaveQueue()
      retryDeadline?.cancel()
      wasHeardEarly = false
      enter(by: .radioLost, because: obstacle)
    } else if reason?.isOfRadio == true {
      retryAt = nil
      enter(by: .radioBack)
    }
  }
}

// MARK: States

extension SensorSession {
  /// By the table of transitions: what is not in it does not happen.
  func enter(by event: SessionEvent, because why: StateReason? = nil) {
    guard let transition = SessionTable.transition(from: state, on: event) else {
      assertionFailure("\(event) in \(state)")
      return environment.log.error("\(title): \(event) in the state \(state.rawValue): please report it", .sensor(id))
    }
    let reason: StateReason? =
      switch transition.reason {
      case .none: nil
      case .user: .user
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
