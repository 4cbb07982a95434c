// Which of a sensor's plugins said what kind of sample when, and which of them speaks for the kind. A sensor's packets are
// alike: what follows a kind is what followed it last time, so a claim is mostly found at once.

struct KindClaims {
  private struct Claim {
    let kind: SampleKind
    let plugin: Int
    /// The place of the kind in `speakers`.
    let place: Int
    var time: MonotonicTime
  }

  private var claims: [Claim] = []
  /// Which plugin publishes a kind.
  private var speakers: [(kind: SampleKind, plugin: Int)] = []
  private var next = 0

  /// Notes that the plugin says something of the kind; gives back who speaks for it.
  @inline(__always)
  mutating func claim(_ kind: SampleKind, by plugin: Int, at time: MonotonicTime) -> Int {
    let index: Int
    if next < claims.count, claims[next].plugin == plugin, claims[next].kind == kind {
      index = next
    } else {
      index = find(kind, plugin, time)
    }
    claims[index].time = time
    next = index + 1 < claims.count ? index + 1 : 0
    return speakers[claims[index].place].plugin
  }

  func lastClaim(of kind: SampleKind, by plugin: Int) -> MonotonicTime? {
    claims.first { $0.plugin == plugin && $0.kind == kind }?.time
  }

  mutating func appoint(_ plugin: Int, for kind: SampleKind) {
    for index in speakers.indices where speakers[index].kind == kind { speakers[index].plugin = plugin }
  }

  private mutating func find(_ kind: SampleKind, _ plugin: Int, _ time: MonotonicTime) -> Int {
    if let index = claims.firstIndex(where: { $0.plugin == plugin && $0.kind == kind }) { return index }
    let place = speakers.firstIndex { $0.kind == kind } ?? speakers.count
    if place == speakers.count { speakers.append((kind, plugin)) }
    claims.append(Claim(kind: kind, plugin: plugin, place: place, time: time))
    return claims.count - 1
  }
}

/// Most sensors have one plugin for each kind, and nothing to settle between them.
struct Rivals {
  private let hasRival: [Bool]

  init(among infos: [SensorInfo]) {
    hasRival = infos.indices.map { plugin in
      infos.indices.contains { $0 != plugin && !Set(infos[$0].kinds).isDisjoint(with: infos[plugin].kinds) }
    }
  }

  func contains(_ plugin: Int) -> Bool { hasRival[plugin] }
}
