// Decides which part of a route a rider is on, and in which direction. A route can pass a place
// several times: it crosses itself, comes back the same way, or has laps. Several matches are
// followed at once. Each one has a cost, which grows when the rider moves unlike the line and
// otherwise fades.

import Earth

struct RouteMatcher: Sendable {
  struct Match: Equatable, Sendable {
    var number: Int
    var along: Double
    var piece: Int
    var isForward: Bool
    var cost: Double
    /// How far the rider moved along the line with this match, in metres.
    var metres = 0.0
  }

  /// A movement of the rider that ends at the origin of the plane.
  struct Move {
    var plane: LocalPlane
    var metres: Double
    /// Of the rider, of length 1.
    var direction: PlanePoint
    /// Whether the rider went straight on, as far as that can be known.
    var isKnown: Bool
    /// Lines that are further away do not match.
    var reach: Double
  }

  /// What fades with each movement.
  private static let memory = 0.85
  /// What a new match costs while there are others.
  private static let entry = 8.0
  /// Riders seldom turn around.
  private static let backward = 3.0
  /// Another match has to be better by this, or equally good ones would take turns.
  private static let margin = 4.0
  /// A match counts after so many metres.
  private static let leastMetres = 14.0
  private static let leastMetresBackward = 30.0
  /// A rider who moves along the line, and not across it.
  private static let leastAgreement = 0.5
  /// A match that costs more is not chosen.
  private static let mostCost = 9.0
  /// Matches that are nearer to each other are one, in metres.
  private static let width = 60.0
  private static let mostMatches = 12
  /// A position can lie this far back on the line, because receivers err.
  private static let back = 15.0

  private var matches: [Match] = []
  private var found: [Match] = []
  /// Of the last match that was found.
  private var number = 0
  /// The number of the match that is believed.
  private var chosenNumber: Int?

  /// The match that is believed.
  var chosen: Match? { matches.first { $0.number == chosenNumber } }

  init() {
    matches.reserveCapacity(2 * Self.mostMatches)
    found.reserveCapacity(8 * Self.mostMatches)
  }

  mutating func forget() {
    matches.removeAll(keepingCapacity: true)
    chosenNumber = nil
  }

  /// `progress` is the last known place, if the rider was on the route before.
  mutating func add(_ move: Move, on route: Route, progress: Double?) {
    follow(move, on: route)
    find(move, on: route)
    choose(on: route, progress: progress)
  }

  /// What a place adds to the cost of a match.
  private func cost(_ place: Route.Place, _ move: Move, isForward: Bool, step: Double?) -> Double {
    let agreement = agreement(place, move, isForward: isForward)
    let pace = step.map { min(2, abs($0 - move.metres) / max(8, move.metres)) } ?? 0
    return min(place.offset, 60) / 15 + (1 - agreement) * 2 + (move.isKnown ? pace : pace / 4)
  }

  /// From -1 to 1: whether the rider moves as the line does.
  private func agreement(_ place: Route.Place, _ move: Move, isForward: Bool) -> Double {
    place.direction.dot(move.direction) * (isForward ? 1 : -1)
  }

  // MARK: Following

  private mutating func follow(_ move: Move, on route: Route) {
    for index in matches.indices { matches[index] = next(matches[index], move, on: route) }
    matches.removeAll { $0.cost == .infinity }
    // The cheaper one of two at the same place.
    for index in matches.indices {
      for other in matches.indices where other != index && matches[other].cost < .infinity {
        let isSame = matches[index].isForward == matches[other].isForward
        let isNear = abs(matches[index].along - matches[other].along) < Self.width / 2
        if isSame, isNear, matches[index].cost > matches[other].cost, matches[index].number != chosenNumber {
          matches[index].cost = .infinity
        }
      }
    }
    matches.removeAll { $0.cost == .infinity }
  }

  private func next(_ match: Match, _ move: Move, on route: Route) -> Match {
    let ahead = move.isKnown ? 1.3 * move.metres + 25 : 2 * move.metres + 100
    let range =
      match.isForward
      ? max(0, match.along - Self.back)...match.along + ahead : match.along - ahead...match.along + Self.back
    var (best, lowest, isAlong) = (match, Double.infinity, false)
    route.visitPieces(near: match.piece, in: range) { piece in
      let place = route.nearest(on: piece, around: move.plane, in: range)
      guard place.offset <= move.reach else { return }
      let step = match.isForward ? place.along - match.along : match.along - place.along
      let cost = cost(place, move, isForward: match.isForward, step: step)
      guard cost < lowest else { return }
      (lowest, isAlong) = (cost, agreement(place, move, isForward: match.isForward) > Self.leastAgreement)
      (best.along, best.piece) = (place.along, place.piece)
    }
    best.cost = match.cost * Self.memory + lowest
    best.metres = isAlong ? match.metres + move.metres : 0
    return best
  }

  // MARK: Finding

  private mutating func find(_ move: Move, on route: Route) {
    found.removeAll(keepingCapacity: true)
    var end = -Double.infinity
    // Of the stretch that is looked at.
    var first = 0
    route.index.search(around: move.plane, within: move.reach) { piece in
      let place = route.nearest(on: piece, around: move.plane)
      guard place.offset <= move.reach else { return move.reach }
      if place.along - end > 3 * move.reach { first = found.count }
      end = place.along
      keep(place, move, isForward: true, from: first)
      keep(place, move, isForward: false, from: first)
      return move.reach
    }
    var lowest = Double.infinity
    for match in matches { lowest = min(lowest, match.cost) }
    let entry = lowest < .infinity ? lowest + Self.entry : 0
    for var match in found where !isKnown(match) {
      number += 1
      match.number = number
      match.cost += entry
      matches.append(match)
    }
  }

  /// The best place of a stretch for each direction.
  private mutating func keep(_ place: Route.Place, _ move: Move, isForward: Bool, from first: Int) {
    let cost = cost(place, move, isForward: isForward, step: nil)
    let match = Match(number: 0, along: place.along, piece: place.piece, isForward: isForward, cost: cost)
    if let same = found[first...].firstIndex(where: { $0.isForward == isForward }) {
      if found[same].cost > cost { found[same] = match }
    } else if found.count < found.capacity {
      found.append(match)
    }
  }

  private func isKnown(_ match: Match) -> Bool {
    matches.contains { $0.isForward == match.isForward && abs($0.along - match.along) < Self.width }
  }

  // MARK: Choosing

  private mutating func choose(on route: Route, progress: Double?) {
    while matches.count > Self.mostMatches {
      var worst = matches[0].number == chosenNumber ? 1 : 0
      for index in matches.indices where matches[index].number != chosenNumber {
        if rank(matches[index], on: route, progress) > rank(matches[worst], on: route, progress) { worst = index }
      }
      matches.remove(at: worst)
    }
    var best: Match?
    for match in matches {
      let isBetter = best.map { rank(match, on: route, progress) < rank($0, on: route, progress) } ?? true
      if isBetter { best = match }
    }
    guard let best, best.metres >= (best.isForward ? Self.leastMetres : Self.leastMetresBackward) else { return }
    if let chosen {
      if rank(best, on: route, progress) + Self.margin < rank(chosen, on: route, progress) {
        chosenNumber = best.number
      }
    } else if best.cost < Self.mostCost {
      chosenNumber = best.number
    }
  }

  /// Cost, with what makes a match unlikely whatever the movement.
  private func rank(_ match: Match, on route: Route, _ progress: Double?) -> Double {
    guard match.isForward else { return match.cost + Self.backward }
    guard let progress else { return match.cost + min(6, match.along / 100) }
    let ahead = match.along - progress
    return match.cost + (ahead > -30 ? min(3, ahead / 2000) : min(4, 1 - ahead / 1000))
  }
}
