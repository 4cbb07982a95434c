// The accuracy of measured wheel sizes: every scene with several seeds, checked against its bounds.
// Each scene prints its row of the table in docs/metrics.md. WHEEL_SEEDS=40 uses 40 seeds, not 8.

import Foundation
import Testing

@testable import Metrics

struct WheelStudyTests {
  struct Scene: CustomTestStringConvertible {
    let name: String
    var pieces: [(Surroundings, ClosedRange<Double>)] = [(.open, 1_000...1_000)]
    var lights: ClosedRange<Double>?
    var wheel = WheelSensor()
    var receiver = Receiver()
    var cruises = 5.5...9.5
    /// The relative error of the user's size.
    var wrongBy = 0.02
    var kilometres = 15.0
    /// Open road after which `bound` applies.
    var openMetres = 5_000.0
    /// The largest error after that; nil if the size cannot be measured and must not change.
    var bound: Double? = 0.003
    /// How much larger the error may become than that of the user's size.
    var mayBeWorse = 0.0
    /// The first event, if any.
    var first: Event? = .resized
    var testDescription: String { name }
  }

  enum Event {
    case resized, misses, double, half, disagrees

    static func of(_ event: WheelEvent) -> Event? {
      switch event {
      case .resized: .resized
      case .missesTurns: .misses
      case .countsDouble: .double
      case .countsHalf: .half
      case .disagrees: .disagrees
      case .measured, .agreesAgain: nil
      }
    }
  }

  static let everything: [(Surroundings, ClosedRange<Double>)] = [
    (.open, 500...3_000), (.trees, 300...2_000), (.canyon, 300...2_000), (.tunnel, 100...800),
    (.switchbacks, 300...2_000),
  ]

  static let scenes = [
    Scene(name: "open road, said too large"),
    Scene(name: "open road, said too small", wrongBy: -0.02),
    Scene(name: "open road, said right", wrongBy: 0, mayBeWorse: 0.002, first: nil),
    Scene(name: "traffic lights", lights: 150...900),
    Scene(name: "tunnels", pieces: [(.open, 300...1_500), (.tunnel, 200...1_500)]),
    Scene(name: "everything in turn", pieces: everything, lights: 300...2_000, kilometres: 30),
    Scene(
      name: "everything in turn, said right", pieces: everything, lights: 300...2_000, wrongBy: 0, kilometres: 30,
      mayBeWorse: 0.003, first: nil),
    Scene(name: "trees only", pieces: [(.trees, 1_000...1_000)], bound: nil, first: nil),
    Scene(name: "trees only, quick rider", pieces: [(.trees, 1_000...1_000)], cruises: 9...13, bound: nil, first: nil),
    Scene(
      name: "trees only, sensor that tells no rate", pieces: [(.trees, 1_000...1_000)],
      wheel: WheelSensor(tellsRate: false), bound: nil, first: nil),
    Scene(name: "urban canyon only", pieces: [(.canyon, 1_000...1_000)], lights: 100...500, bound: nil, first: nil),
    Scene(
      name: "urban canyon only, said right", pieces: [(.canyon, 1_000...1_000)], lights: 100...500, wrongBy: 0,
      bound: nil, first: nil),
    Scene(name: "switchbacks only", pieces: [(.switchbacks, 1_000...1_000)], bound: nil, first: nil),
    Scene(name: "slow rider", cruises: 3.5...5.5),
    Scene(name: "quick rider", cruises: 9...13),
    Scene(name: "wheel of 1.3 m", wheel: WheelSensor(truth: 1.3)),
    Scene(name: "receiver of 5 fixes a second", receiver: Receiver(seconds: 0.2)),
    Scene(name: "receiver that is 1.6 times as coarse", receiver: Receiver(coarseness: 1.6)),
    Scene(
      name: "receiver that filters for 1.5 s, traffic lights", lights: 150...900, receiver: Receiver(filter: 1.5),
      bound: 0.0035),
    Scene(name: "tire loses 1.5 % an hour", wheel: WheelSensor(lossPerHour: 0.015), kilometres: 27, bound: 0.004),
    Scene(
      name: "tire loses 1.5 % an hour, said right", wheel: WheelSensor(lossPerHour: 0.015), wrongBy: 0, kilometres: 27,
      bound: 0.004, mayBeWorse: 0.002, first: nil),
    Scene(
      name: "tire begins to after 40 minutes, said right", wheel: WheelSensor(lossPerHour: 0.015, lossBegins: 2_400),
      wrongBy: 0, kilometres: 36, bound: 0.0045, mayBeWorse: 0.003, first: nil),
    Scene(name: "sensor that tells no rate", wheel: WheelSensor(tellsRate: false)),
    Scene(name: "the same, wheel of 1.3 m", wheel: WheelSensor(truth: 1.3, tellsRate: false)),
    Scene(
      name: "the same, everything in turn", pieces: everything, lights: 300...2_000,
      wheel: WheelSensor(tellsRate: false), kilometres: 30, bound: 0.0045),
    Scene(name: "misses every 40th turn", wheel: WheelSensor(missesEvery: 40), first: .misses),
    Scene(name: "misses every 15th turn", wheel: WheelSensor(missesEvery: 15), first: .misses),
    Scene(
      name: "misses every 15th turn, said right", wheel: WheelSensor(missesEvery: 15), wrongBy: 0, mayBeWorse: 0.003,
      first: .misses),
    Scene(name: "misses every 7th turn", wheel: WheelSensor(missesEvery: 7), first: .misses),
    Scene(name: "misses every 3rd turn", wheel: WheelSensor(missesEvery: 3), wrongBy: 0.01, bound: nil, first: .misses),
    Scene(name: "misses every other turn", wheel: WheelSensor(missesEvery: 2), wrongBy: 0.01, bound: nil, first: .half),
    Scene(name: "two magnets", wheel: WheelSensor(hasTwoMagnets: true), wrongBy: 0.01, bound: nil, first: .double),
    Scene(name: "said 7 % too large", wrongBy: 0.07, bound: nil, first: .disagrees),
  ]

  struct Outcome {
    var end = 0.0
    /// The largest error after `openMetres`.
    var afterFive = 0.0
    /// How much larger the error became than that of the user's size.
    var worse = 0.0
    /// Changes by more than 0.1 % without an event.
    var silentJumps = 0
    var events: [WheelEvent] = []
    /// Times with a confidence of at least 0.9, and those of them at which the size was right.
    var sure = 0
    var sureAndRight = 0
    var rested = 0.0
  }

  static func ride(_ scene: Scene, seed: UInt64) -> Outcome {
    var road = RoadSimulator(
      scene.pieces, lights: scene.lights, wheel: scene.wheel, receiver: scene.receiver, cruises: scene.cruises,
      seed: seed)
    let said = scene.wheel.truth * (1 + scene.wrongBy)
    var size = WheelSize(circumferenceM: said)
    var outcome = Outcome()
    var (rests, fixes) = (0.0, 0.0)
    while road.metres < scene.kilometres * 1_000 {
      road.advance { reception in
        switch reception {
        case .wheel(let turns, let rate, let time): size.add(turns: turns, rate: rate, at: time)
        case .fix(let fix):
          fixes += 1
          // While no fixes are wanted the receiver runs slowly, so they would not arrive.
          guard size.wantsFixes else { return rests += 1 }
          let before = size.circumferenceM ?? 0
          let event = size.add(fix)
          if let event { outcome.events.append(event) }
          if event == nil, abs((size.circumferenceM ?? 0) / before - 1) > 0.001_01 { outcome.silentJumps += 1 }
        }
      }
      let error = abs((size.circumferenceM ?? 0) / road.circumference - 1)
      outcome.end = error
      outcome.worse = max(outcome.worse, error - abs(said / road.circumference - 1))
      if road.openMetres >= scene.openMetres { outcome.afterFive = max(outcome.afterFive, error) }
      if let confidence = size.confidence, confidence >= 0.9 {
        outcome.sure += 1
        if error < 0.003 { outcome.sureAndRight += 1 }
      }
    }
    outcome.rested = rests / fixes
    return outcome
  }

  @Test("a measured wheel size stays within the bounds of its scene", arguments: scenes)
  func study(_ scene: Scene) {
    let seeds = ProcessInfo.processInfo.environment["WHEEL_SEEDS"].flatMap(UInt64.init) ?? 8
    let outcomes = (1...seeds).map { (seed: $0, outcome: Self.ride(scene, seed: $0)) }
    for (seed, outcome) in outcomes {
      if let bound = scene.bound {
        #expect(outcome.afterFive < bound, "seed \(seed)")
      } else {
        #expect(outcome.end == abs(scene.wrongBy) || abs(outcome.end - abs(scene.wrongBy)) < 1e-9, "seed \(seed)")
      }
      #expect(outcome.worse <= scene.mayBeWorse, "seed \(seed)")
      #expect(outcome.silentJumps == 0, "seed \(seed)")
      #expect(outcome.events.first.flatMap(Event.of) == scene.first, "seed \(seed): \(outcome.events)")
    }
    let sure = outcomes.map(\.outcome.sure).reduce(0, +)
    let right = outcomes.map(\.outcome.sureAndRight).reduce(0, +)
    // A confidence of 0.9 must mean that at least 90 % of these sizes are right.
    #expect(Double(right) >= 0.9 * Double(sure))
    print(Self.row(scene, outcomes.map(\.outcome), share: sure == 0 ? nil : Double(right) / Double(sure)))
  }

  static func row(_ scene: Scene, _ outcomes: [Outcome], share: Double?) -> String {
    func percent(_ value: Double) -> String { String(format: "%.2f", value * 100) }
    func column(_ value: (Outcome) -> Double) -> String {
      let sorted = outcomes.map(value).sorted()
      return percent(sorted[sorted.count / 2]) + " | " + percent(sorted[sorted.count - 1])
    }
    return "| "
      + [
        scene.name, percent(abs(scene.wrongBy)), column(\.end), scene.bound == nil ? "- | -" : column(\.afterFive),
        percent(outcomes.map(\.worse).max() ?? 0), share.map(percent) ?? "-",
        percent(outcomes.map(\.rested).reduce(0, +) / Double(outcomes.count)),
      ].joined(separator: " | ") + " |"
  }
}
