// Records which plugin of a sensor produced which kind of sample and when, and which plugin
// publishes the kind. Kinds usually follow each other in the same order as last time, so a lookup
// mostly succeeds at once.

import Time
import Vocabulary

struct KindClaims {
  private struct Claim {
    let kind: SampleKind
    let plugin: Int
    /// The index of the kind in `selected`.
    let place: Int
    var time: MonotonicTime
  }

  private var claims: [Claim] = []
  /// The plugin that publishes each kind.
  private var selected: [(kind: SampleKind, plugin: Int)] = []
  private var next = 0

  /// Records that a plugin produced a sample of this kind. Returns the plugin that publishes the
  /// kind.
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
    return selected[claims[index].place].plugin
  }

  func lastClaim(of kind: SampleKind, by plugin: Int) -> MonotonicTime? {
    claims.first { $0.plugin == plugin && $0.kind == kind }?.time
  }

  /// Nil as long as the kind has only one plugin.
  func selected(for kind: SampleKind) -> Int? { selected.first { $0.kind == kind }?.plugin }

  mutating func promote(_ plugin: Int, for kind: SampleKind) {
    for index in selected.indices where selected[index].kind == kind { selected[index].plugin = plugin }
  }

  /// The plugins have other indices now; nil for one that is gone.
  mutating func renumber(_ index: (Int) -> Int?) {
    let former = self
    self = KindClaims()
    for choice in former.selected {
      if let plugin = index(choice.plugin) { selected.append((choice.kind, plugin)) }
    }
    for claim in former.claims {
      guard let plugin = index(claim.plugin), let place = selected.firstIndex(where: { $0.kind == claim.kind }) else {
        continue
      }
      claims.append(Claim(kind: claim.kind, plugin: plugin, place: place, time: claim.time))
    }
  }

  private mutating func find(_ kind: SampleKind, _ plugin: Int, _ time: MonotonicTime) -> Int {
    if let index = claims.firstIndex(where: { $0.plugin == plugin && $0.kind == kind }) { return index }
    let place = selected.firstIndex { $0.kind == kind } ?? selected.count
    if place == selected.count { selected.append((kind, plugin)) }
    claims.append(Claim(kind: kind, plugin: plugin, place: place, time: time))
    return claims.count - 1
  }
}

/// The plugins that share a kind with another one of this sensor. Most sensors have none.
struct Rivals {
  private let hasRival: [Bool]

  init(among infos: [SensorInfo]) {
    hasRival = infos.indices.map { plugin in
      infos.indices.contains { $0 != plugin && !Set(infos[$0].kinds).isDisjoint(with: infos[plugin].kinds) }
    }
  }

  func contains(_ plugin: Int) -> Bool { hasRival[plugin] }
}
