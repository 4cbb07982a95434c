// What is done about a failure, by its kind: how often it is tried again and when, and when the user is called. Values only:
// the page docs/sessions.md is made of this table, and tests walk it.

struct ReconnectPolicy: Equatable {
  /// How often it is tried again at once, within the one deadline of the connect and without having been heard anew.
  let quickTries: Int
  /// Before the first, second, ... connect after a failed one; the last stands for all that follow. Never begun before the
  /// sensor is heard again. Empty: nothing is tried.
  let pauses: [Duration]
  /// What is done, for the page.
  let meaning: String

  /// What comes next.
  enum Step: Equatable {
    /// The same connect once more, within its deadline.
    case again(after: Duration)
    /// It was there a moment ago: tried without having been heard, for a short time.
    case atOnce
    /// Not before that pause, and not before it is heard.
    case search(after: Duration)
    /// All that bluetoothd remembers of it is forgotten, then as `search`.
    case forget(after: Duration)
    /// Until the radio can hear again.
    case wait
    /// Until the user does something.
    case stop
  }

  /// What has happened so far.
  struct History: Equatable {
    /// It was being connected, not connected already.
    var isConnecting = false
    /// How often this connect was tried again at once.
    var quickTries = 0
    /// What is left of the connect's deadline.
    var timeLeft = Duration.zero
    /// Connects that came to nothing since the last value.
    var attempts = 0
    /// The link had brought a value.
    var hadWorked = false
    /// What bluetoothd remembered was forgotten since the last value.
    var hasForgotten = false
    /// Why nothing can be heard by any sensor, if so.
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
        quickTries: 9, pauses: growing, meaning: "tried again at once, then when it is heard, ever more seldom")
    ),
    (
      .gone,
      ReconnectPolicy(
        quickTries: 0, pauses: [.milliseconds(250), .seconds(4), .seconds(4), .seconds(8), .seconds(15), .seconds(30)],
        meaning: "looked for by its address")
    ),
    (
      .busy,
      ReconnectPolicy(
        quickTries: 0, pauses: [.seconds(4), .seconds(4), .seconds(4), .seconds(8), .seconds(15), .seconds(30)],
        meaning: "left to whoever has it for a while")
    ),
    (.unanswered, ReconnectPolicy(quickTries: 0, pauses: growing, meaning: "tried when it is heard, ever more seldom")),
    (
      .outdated,
      ReconnectPolicy(
        quickTries: 0, pauses: growing,
        meaning: "what bluetoothd remembers of it is forgotten, once and if it is nobody else's; then as unanswered")
    ),
    (.needsUser, ReconnectPolicy(quickTries: 0, pauses: [], meaning: "state `error`, and nothing is tried")),
    (
      .adapter,
      ReconnectPolicy(quickTries: 0, pauses: growing, meaning: "tried when the radio is there and it is heard")
    ),
  ]

  static func of(_ kind: FailureKind) -> ReconnectPolicy {
    for row in table where row.kind == kind { return row.policy }
    // Every kind has its row: a test holds the table to it.
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
  /// How long the link may take to come up, by the connects that came to nothing before: at first no longer than a sensor
  /// that is there needs, for the others wait; in the end as long as the kernel tries. A sensor that advertises every 2.5 s is
  /// there if the kernel hears one of two adverts.
  static let linkTimes: [Duration] = [.seconds(6), .seconds(6), .seconds(8), .seconds(15), .seconds(25)]

  /// For a sensor that was there a moment ago, while adverts of others are needed: most advertise at once.
  static let hopefulTime = Duration.seconds(2)
  /// For the same while nothing else needs adverts: as long as the kernel tries.
  static let longestHope = Duration.seconds(20)

  /// No connect is cancelled while the controller creates its link. The kernel itself ends that after 4 s; so long after somebody
  /// wanted to cancel it, it has ended.
  static let creationTime = Duration.seconds(5)

  /// A controller that keeps a link which the kernel does not know is switched off and on when it has no other link; where a
  /// radar is missing, after this time in any case.
  static let longestLostLinkOfRadar = Duration.seconds(30)

  /// From the link to the services, and from these to the first subscription.
  static let serviceTime = Duration.seconds(30)

  /// While others wait a link that is up keeps the turn so long, and the link itself after.
  static let longestTurn = Duration.seconds(6)

  static func linkTime(attempts: Int) -> Duration { linkTimes[min(attempts, linkTimes.count - 1)] }
}

// MARK: Bonds

extension ReconnectPolicy {
  /// A bonded sensor whose link comes up and ends so often in a row, each time before a value came, seems to have forgotten its
  /// bond: bluetoothd says no more than that.
  static let endsThatMeanALostBond = 8

  /// That is a suspicion only, for at the edge of its range a link ends alike. So it is tried again, seldom enough to be no
  /// storm, and for few links.
  static let secondThought = Duration.seconds(60)
  static let endsOnSecondThought = 3
}
