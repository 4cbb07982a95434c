// How each kind of failure is handled: how often to retry, when, and when the user is needed.
// Values only. The page docs/sessions.md is generated from this table, and tests walk through it.

import Radio

struct ReconnectPolicy: Equatable {
  /// How often to retry at once, within the deadline of the connect and without a new advert.
  let quickTries: Int
  /// The pauses after failed connects; the last one repeats. Each connect also waits for a new
  /// advert. Empty to stop retrying.
  let pauses: [Duration]
  /// The description on the page.
  let meaning: String

  enum Step: Equatable {
    /// Retry the same connect, within its deadline.
    case again(after: Duration)
    /// The sensor was there a moment ago: connect for a short time without waiting for an advert.
    case atOnce
    /// Connect after the pause, once the sensor is found.
    case search(after: Duration)
    /// Make bluetoothd forget its data about the sensor, then continue like `search`.
    case forget(after: Duration)
    /// Wait until the radio works again.
    case wait
    /// Wait until the user does something.
    case stop
  }

  struct History: Equatable {
    /// The sensor was being connected, not connected already.
    var isConnecting = false
    /// How often this connect was retried at once.
    var quickTries = 0
    /// The time left until the connect's deadline.
    var timeLeft = Duration.zero
    /// Failed connects since the last value.
    var attempts = 0
    /// The link had delivered a value.
    var hadWorked = false
    /// bluetoothd's data was forgotten since the last value.
    var hasForgotten = false
    /// Whether the radio is unavailable, which affects all sensors.
    var isRadioLost = false
  }
}

extension ReconnectPolicy {
  static let quickPause = Duration.milliseconds(250)

  private static let growing: [Duration] = [
    .milliseconds(250), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(4),
    .seconds(4), .seconds(8), .seconds(15), .seconds(30),
  ]

  static let table: [(kind: FailureKind, policy: ReconnectPolicy)] = [
    (
      .transient,
      ReconnectPolicy(
        quickTries: 9, pauses: growing, meaning: "retry at once, then when it advertises, with growing pauses")
    ),
    (
      .gone,
      ReconnectPolicy(
        quickTries: 0, pauses: [.milliseconds(250), .seconds(4), .seconds(4), .seconds(8), .seconds(15), .seconds(30)],
        meaning: "search for its address")
    ),
    (
      .busy,
      ReconnectPolicy(
        quickTries: 0, pauses: [.seconds(4), .seconds(4), .seconds(4), .seconds(8), .seconds(15), .seconds(30)],
        meaning: "wait until another program is done with it")
    ),
    (
      .unanswered,
      ReconnectPolicy(quickTries: 0, pauses: growing, meaning: "retry when it advertises, with growing pauses")
    ),
    (
      .outdated,
      ReconnectPolicy(
        quickTries: 0, pauses: growing,
        meaning: "once, remove what bluetoothd stores about it, if no other program uses it; then as unanswered")
    ),
    (.needsUser, ReconnectPolicy(quickTries: 0, pauses: [], meaning: "state `error`: no retry")),
    (
      .adapter,
      ReconnectPolicy(quickTries: 0, pauses: growing, meaning: "retry when the radio is available and it advertises")
    ),
  ]

  static func of(_ kind: FailureKind) -> ReconnectPolicy {
    for row in table where row.kind == kind { return row.policy }
    // Every kind has a row; a test checks that.
    return ReconnectPolicy(quickTries: 0, pauses: growing, meaning: "")
  }

  static func step(after kind: FailureKind, _ history: History) -> Step {
    let policy = of(kind)
    guard !policy.pauses.isEmpty else { return .stop }
    if history.isRadioLost { return .wait }
    if history.hadWorked, kind != .gone, kind != .outdated { return .atOnce }
    if history.isConnecting, history.quickTries < policy.quickTries, history.timeLeft > quickPause {
      return .again(after: quickPause)
    }
    let pause = policy.pauses[min(history.attempts, policy.pauses.count - 1)]
    if kind == .outdated, !history.hasForgotten { return .forget(after: pause) }
    return .search(after: pause)
  }
}

// MARK: Times

extension ReconnectPolicy {
  /// How long the link may take to come up, by the number of failed connects. The first tries are
  /// as short as a present sensor allows, because others wait. The last are as long as the kernel
  /// tries. The shortest time covers two adverts of a sensor that advertises every 2.5 s.
  static let linkTimes: [Duration] = [.seconds(6), .seconds(6), .seconds(8), .seconds(15), .seconds(25)]

  /// For speculative connects while adverts of other sensors are needed: most sensors advertise at
  /// once.
  static let speculativeTimeout = Duration.seconds(2)
  /// For speculative connects while no other adverts are needed: as long as the kernel tries.
  static let longestHope = Duration.seconds(20)

  /// From the link to the services, and from there to the first subscription.
  static let serviceTime = Duration.seconds(30)

  /// If others wait, a link that is up keeps its turn for at most this long. The link itself stays.
  static let longestTurn = Duration.seconds(6)

  static func linkTime(attempts: Int) -> Duration { linkTimes[min(attempts, linkTimes.count - 1)] }
}

// MARK: Bonds

extension ReconnectPolicy {
  /// If the link of a bonded sensor comes up and ends this often in a row without a value, the
  /// sensor has probably lost its bond. bluetoothd gives no better reason.
  static let endsThatMeanALostBond = 8

  /// Links also end like this at the edge of the range. So the daemon retries after a while, with
  /// few links.
  static let lostBondRetryDelay = Duration.seconds(60)
  static let endsOnSecondThought = 3
}
