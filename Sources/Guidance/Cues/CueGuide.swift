// The cues of a route in their order: the next one, and when to announce it.

package struct CueGuide: Sendable {
  package struct Next: Equatable, Sendable {
    package var cue: Cue
    package var distanceM: Double
  }

  /// A cue is announced when it is this near, in metres.
  package static let announcement = 300.0
  /// A cue is next until the rider is this far beyond it, in metres: receivers err.
  private static let beyond = 5.0

  private let cues: [Cue]
  private var announced: Int?

  /// With the cues of the route. If there are none, they come from its line.
  package init(_ cues: [Cue], of route: Route) {
    let cues = cues.isEmpty ? TurnFinder(route).cues : cues
    self.cues = cues.sorted { $0.distanceM < $1.distanceM }
  }

  package var count: Int { cues.count }

  package func next(at distanceM: Double) -> Next? {
    let index = index(at: distanceM)
    guard index < cues.count else { return nil }
    return Next(cue: cues[index], distanceM: max(0, cues[index].distanceM - distanceM))
  }

  /// The next cue, once: when it is near for the first time. Cues at one place follow each other.
  package mutating func announce(at distanceM: Double) -> Next? {
    var index = index(at: distanceM)
    guard index < cues.count else { return nil }
    let place = cues[index].distanceM
    if let last = announced, cues[last].distanceM == place { index = last + 1 }
    guard index < cues.count, cues[index].distanceM == place else { return nil }
    let next = Next(cue: cues[index], distanceM: max(0, place - distanceM))
    guard next.distanceM <= Self.announcement else { return nil }
    announced = index
    return next
  }

  /// Of the next cue.
  private func index(at distanceM: Double) -> Int {
    var (low, high) = (0, cues.count)
    while low < high {
      let middle = (low + high) / 2
      if cues[middle].distanceM >= distanceM - Self.beyond { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
