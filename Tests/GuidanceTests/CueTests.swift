// Cues of routes, and turns in their lines.

import Testing

@testable import Guidance

@Suite struct CueTests {
  @Test(
    "turns are found in the line",
    arguments: [
      (45, "slight_right"), (90, "right"), (135, "sharp_right"), (180, "u_turn"), (-45, "slight_left"), (-90, "left"),
      (-135, "sharp_left"),
    ])
  func turns(degrees: Double, kind: String) throws {
    let angle = degrees * .pi / 180
    let end = Spot(500 * Self.sine(angle), 500 + 500 * Self.sine(.pi / 2 - angle))
    let line = try #require(route([Spot(0, 0), Spot(0, 500), end]))
    let guide = CueGuide([], of: line)
    #expect(guide.count == 1)
    let next = try #require(guide.next(at: 0))
    #expect(next.cue.kind.rawValue == kind)
    #expect(abs(next.distanceM - 500) < 10)
  }

  /// Within 180 degrees.
  private static func sine(_ angle: Double) -> Double {
    let quarter = angle > .pi / 2 ? .pi - angle : angle < -.pi / 2 ? -.pi - angle : angle
    var (term, sum, n) = (quarter, quarter, 1.0)
    while abs(term) > 1e-12 {
      term *= -quarter * quarter / ((n + 1) * (n + 2))
      sum += term
      n += 2
    }
    return sum
  }

  @Test("a wide bend is not a turn")
  func bend() throws {
    let bend = (0...90).map {
      Spot(200 - 200 * Self.sine(.pi / 2 - Double($0) * .pi / 180), 200 * Self.sine(Double($0) * .pi / 180))
    }
    #expect(CueGuide([], of: try #require(route([Spot(0, -300)] + bend))).count == 0)
  }

  @Test("a cue is announced once, within 300 m")
  func announcement() throws {
    let line = try #require(route([Spot(0, 0), Spot(3000, 0)]))
    var guide = CueGuide([Cue(.left, atM: 2000, text: "Mill"), Cue(.right, atM: 1000)], of: line)
    var announced: [(at: Double, kind: Cue.Kind)] = []
    for distance in stride(from: 0.0, to: 3000, by: 10) {
      if let next = guide.announce(at: distance) { announced.append((distance, next.cue.kind)) }
    }
    #expect(announced.map(\.at) == [700, 1700])
    #expect(announced.map(\.kind) == [.right, .left])
    #expect(guide.next(at: 1500)?.cue.text == "Mill")
    #expect(guide.next(at: 2500) == nil)
  }

  @Test("two cues at one place are both announced, once each, also if the rider turns back before the second")
  func twoAtOnePlace() throws {
    let line = try #require(route([Spot(0, 0), Spot(3000, 0)]))
    var guide = CueGuide([Cue(.left, atM: 1000), Cue(.right, atM: 1000), Cue(.left, atM: 1100)], of: line)
    var kinds: [Cue.Kind] = []
    for distance in stride(from: 0.0, to: 990, by: 10) {
      if let next = guide.announce(at: distance) { kinds.append(next.cue.kind) }
    }
    #expect(kinds == [.left, .right])
    for distance in stride(from: 1010.0, to: 1200, by: 10) {
      if let next = guide.announce(at: distance) { kinds.append(next.cue.kind) }
    }
    #expect(kinds == [.left, .right, .left])
  }

  @Test("turns take as long to find as the line has points, however far these are from each other")
  func longLine() throws {
    let (near, far) = (try staircase(steps: 20, of: 200), try staircase(steps: 20, of: 20_000))
    #expect(near.count == far.count)
    #expect(CueGuide([], of: near).count == 39 && CueGuide([], of: far).count == 39)
    #expect(shortest(far) < shortest(near) * 10)
  }

  /// A line of corners only, with turns to the left and to the right.
  private func staircase(steps: Int, of width: Double) throws -> Route {
    var spots = [Spot(0, 0)]
    for step in 0..<steps {
      let (left, height) = (Double(step) * width, Double(step + 1) * 200)
      spots += [Spot(left + width, height - 200), Spot(left + width, height)]
    }
    return try #require(route(spots, every: .infinity))
  }

  /// The shortest of some times that it takes to find the turns: the machine does other things too.
  private func shortest(_ line: Route) -> Duration {
    let clock = ContinuousClock()
    return (0..<5).map { _ in clock.measure { _ = CueGuide([], of: line) } }.min() ?? .zero
  }
}
