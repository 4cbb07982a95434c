// The life of one sensor: heard, connected, streaming, silent, lost, heard again. It owns the sensor's plugins and its link,
// and is the only place where bytes of the one become samples of the other.
//
// Always so: samples are published in the state `streaming` only; a link that was let go of is never listened to again.

import EventLoop
import Linux
import SensorKit
import Sensors
import Wire

protocol SensorSessionDelegate: AnyObject {
  func sessionChangedState(_ session: SensorSession)
  /// The first sample since its link opened.
  func sessionHeardFirstValue(_ session: SensorSession)
  /// What is known of the sensor changed: its facts, its plugins.
  func sessionLearned(_ session: SensorSession)
}

final class SensorSession {
  let address: DeviceAddress
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
  private(set) var state = SensorState.disabled
  private(set) var reason: StateReason?
  private(set) var since: Wire.WallTime?
  var infos: [SensorInfo] = []
  var facts: [(name: String, value: JSON)] = []
  var batteryPct: Double?
  private(set) var rssi: Int?
  private(set) var reconnects = 0
  var failure: LinkFailure?

  let environment: Environment
  weak var delegate: (any SensorSessionDelegate)?
  var host: PluginHost?
  var batch = Batch()
  var link: (any Link)?
  /// The link is up, and what the sensor offers is known.
  var isLinkOpen = false
  private(set) var ticket: ConnectQueue.Ticket?
  var actions: ActionQueue?
  var commandUnderWay: CommandUnderWay?
  var streams: [Stream] = []
  var lastHeard = BootTime(nanoseconds: 0)
  var hasValue = false
  /// It is being paired: nobody hears its samples yet.
  var isProvisional = false {
    didSet { link?.mayBond = isProvisional }
  }
  /// It only advertises, and is never connected to.
  var isBroadcaster = false
  /// Something was learned that nobody has been told yet.
  var hasNews = false
  var attempts = 0
  var retryAt: BootTime?
  private var wasHeardEarly = false
  private var connectTime = Duration.zero
  var connectDeadline: Deadline?
  private var retryDeadline: Deadline?
  var silenceDeadline: Deadline?
  var tickDeadline: Deadline?

  /// What every session of a daemon shares.
  struct Environment {
    let loop: EventLoop
    let radio: any Radio
    let queue: ConnectQueue
    let publisher: Publisher
    let captures: Captures
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
    attempts = 0
    retryAt = nil
    enter(.searching, environment.radio.condition.obstacle)
  }

  /// The user does not want it to be looked for.
  func disable() {
    letGo()
    retryAt = nil
    enter(.disabled, .user)
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
      enter(.searching, obstacle)
    } else if reason?.isOfRadio == true {
      retryAt = nil
      enter(.searching, nil)
    }
  }
}

extension StateReason {
  /// Said of every sensor alike, because nothing can be heard.
  var isOfRadio: Bool {
    switch self {
    case .adapterAbsent, .adapterOff, .adapterBlocked, .bluetoothdGone, .busGone, .suspended: true
    default: false
    }
  }
}

// MARK: Connecting

extension SensorSession {
  static let usualConnectTime = Duration.seconds(30)
  /// For a sensor that was there a moment ago: most advertise at once, and one that does not must not hold the others up.
  private static let eagerConnectTime = Duration.seconds(2)
  /// Before the first, second, ... attempt after a failed one; the last stands for all that follow.
  private static let retryAfter: [Duration] = [
    .milliseconds(250), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(4),
    .seconds(4), .seconds(8), .seconds(15), .seconds(30),
  ]

  /// `time` is what the attempt may take: less where nobody knows whether the sensor is there.
  private func requestConnect(within time: Duration = usualConnectTime) {
    wasHeardEarly = false
    connectTime = time
    ticket = environment.queue.request { [weak self] in self?.connect() }
    environment.queue.advance()
  }

  private func connect() {
    enter(.connecting, nil)
    let link = environment.radio.link(to: address)
    link.delegate = self
    link.mayBond = isProvisional
    self.link = link
    limitConnecting(to: connectTime)
    link.open()
  }

  func limitConnecting(to time: Duration) {
    connectDeadline?.cancel()
    connectDeadline = environment.loop.schedule(after: time) { [weak self] in
      self?.fail(LinkFailure(.connectingFailed, "no link within \(time)"))
    }
  }

  func leaveQueue() {
    guard let ticket else { return }
    self.ticket = nil
    environment.queue.release(ticket)
  }

  /// Forgets the link and everything that was under way on it.
  private func letGo() {
    for deadline in [connectDeadline, retryDeadline, silenceDeadline, tickDeadline] { deadline?.cancel() }
    endCommand(.failure(CommandFailure(.timeout, "the link was lost")))
    actions?.discard()
    actions = nil
    hasValue = false
    wasHeardEarly = false
    host?.disconnected()
    if let link {
      if isLinkOpen { environment.captures.note(.disconnected, of: id, at: Clock.monotonic(environment.loop.now)) }
      isLinkOpen = false
      self.link = nil
      link.delegate = nil
      link.close()
    }
    leaveQueue()
  }

  func fail(_ failure: LinkFailure) {
    // A link that gave no value proves nothing: one that always ends after subscribing must not be rebuilt without a pause.
    let hadWorked = hasValue
    if state == .streaming || state == .stale { reconnects += 1 }
    if failure != self.failure {
      environment.log.info("\(name) (\(address)): \(failure.reason.rawValue): \(failure.detail)")
    }
    self.failure = failure
    letGo()
    if failure.needsUser { return enter(.error, failure.reason) }
    if hadWorked {
      retryAt = nil
    } else {
      let pause = Self.retryAfter[min(attempts, Self.retryAfter.count - 1)]
      attempts += 1
      retryAt = environment.loop.now + pause
      retryDeadline = environment.loop.schedule(after: pause) { [weak self] in self?.retry() }
    }
    let obstacle = environment.radio.condition.obstacle
    enter(.searching, obstacle ?? failure.reason)
    if hadWorked, obstacle == nil, delegate != nil { requestConnect(within: Self.eagerConnectTime) }
  }

  func enter(_ state: SensorState, _ reason: StateReason?) {
    guard state != self.state || reason != self.reason else { return }
    self.state = state
    self.reason = reason
    since = Clock.wallTime
    delegate?.sessionChangedState(self)
  }

  private func retry() {
    if wasHeardEarly, needsAdverts { requestConnect() }
  }
}
