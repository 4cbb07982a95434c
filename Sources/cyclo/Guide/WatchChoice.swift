// What `watch` was asked for, and which of it comes from the daemon and which from the guide.

import CyclometerClient
import GuideWire
import Linux
import Wire

struct WatchChoice {
  /// The ids and kinds that were named; none means all.
  let sensors: [String]
  let kinds: [String]

  var ofDaemon: Subscription {
    var subscription = Subscription()
    subscription.sensors = sensors.filter { $0 != SensorID.guide }
    subscription.kinds = kinds.filter { !GuideKinds.all.contains($0) }
    let isOfGuide = subscription.sensors.isEmpty && !sensors.isEmpty || subscription.kinds.isEmpty && !kinds.isEmpty
    subscription.samples = !isOfGuide
    return subscription
  }

  /// Nil if no sample of the guide is wanted. No rate limit: the guide sends at most one per position.
  func guideFeed(of endpoint: Endpoint, snapshot: Bool = true) -> GuideFeed? {
    let named = kinds.filter(GuideKinds.all.contains)
    guard sensors.isEmpty || sensors.contains(SensorID.guide), kinds.isEmpty || !named.isEmpty else { return nil }
    let isAwaited = !named.isEmpty || !sensors.isEmpty
    return GuideFeed(Subscription(kinds: named, snapshot: snapshot), of: endpoint, isAwaited: isAwaited, at: .now)
  }
}

/// Whether the guide is there, as the user was told.
struct GuidePresence {
  private var isMissed = false

  /// What to report, once per change. A guide that was not asked for and never there is not missed.
  mutating func change(of guide: GuideFeed) -> String? {
    if guide.isFollowing {
      defer { isMissed = false }
      return isMissed ? "the guide is there" : nil
    }
    guard !isMissed, guide.hasFollowed || guide.isRetrying, let absence = guide.absence else { return nil }
    isMissed = true
    if guide.hasFollowed { return "lost the guide; waiting for it to return" }
    return "\(absence.ofGuide); waiting for it"
  }
}
