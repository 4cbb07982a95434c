// A simulated bike that is ridden for hours, with known speed, distance, cadence, power and heart
// rate, and with stops at lights and in cafés. The same seed gives the same ride.

import Foundation
import TestSupport

struct StudyBike {
  /// Seconds per step of the simulation.
  static let step = 0.25
  static let circumference = 2.1

  private(set) var time = 50_000.0
  private(set) var speed = 0.0
  private(set) var metres = 0.0
  private(set) var rpm = 0.0
  private(set) var watts = 0.0
  private(set) var bpm = 90.0
  /// Whole revolutions, and the time at which the last one was complete.
  private(set) var wheel = (turns: 0, at: 50_000.0)
  private(set) var crank = (turns: 0, at: 50_000.0)
  /// Intervals between beats since the strap last sent, in milliseconds.
  var beats: [Double] = []

  private var random: SeededRandom
  private var cruise = 8.0
  private var legEnd = 0.0
  private var isStopping = false
  private var isCoasting = false
  private var phase = (wheel: 0.0, crank: 0.0, heart: 0.0)
  private var untilBeat = 0.8

  init(seed: UInt64) { random = SeededRandom(seed) }

  mutating func within(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + random.uniform() * (range.upperBound - range.lowerBound)
  }

  mutating func chance(_ part: Double) -> Bool { random.uniform() < part }

  /// The bike stands for this long, because the computer or the rider sleeps.
  mutating func rest(_ seconds: Double) {
    (speed, rpm, watts) = (0, 0, 0)
    isStopping = true
    time += seconds
    legEnd = time + 5
  }

  mutating func ride() {
    if time >= legEnd { beginLeg() }
    let wanted = isStopping ? 0 : cruise
    let change = min(max(wanted - speed, -1.8 * Self.step), 0.7 * Self.step)
    let before = speed
    speed = max(0, speed + change)
    if chance(0.01) { isCoasting.toggle() }
    let isPedalling = speed > 1 && !isStopping && !isCoasting
    rpm = isPedalling ? 55 + 4 * speed : 0
    watts = isPedalling ? max(0, min(900, 15 * speed + 120 * sin(time / 40) + within(-25...25))) : 0
    bpm += ((90 + watts / 4) - bpm) * Self.step / 40
    roll((before + speed) / 2 * Self.step)
    pump()
    time += Self.step
  }

  private mutating func beginLeg() {
    isStopping = !isStopping && chance(0.3)
    isCoasting = false
    cruise = within(3.5...13)
    legEnd = time + (isStopping ? (chance(0.1) ? within(200...900) : within(8...70)) : within(20...240))
  }

  private mutating func roll(_ way: Double) {
    metres += way
    advance(&phase.wheel, by: way / Self.circumference, &wheel)
    advance(&phase.crank, by: rpm / 60 * Self.step, &crank)
  }

  private func advance(_ phase: inout Double, by part: Double, _ counter: inout (turns: Int, at: Double)) {
    let before = phase
    phase += part
    let turns = Int(phase)
    guard turns > Int(before) else { return }
    counter = (counter.turns + turns - Int(before), time + (Double(turns) - before) / part * Self.step)
  }

  private mutating func pump() {
    untilBeat -= Self.step
    while untilBeat <= 0 {
      let interval = 60 / bpm * (1 + within(-0.02...0.02))
      beats.append(interval * 1000)
      untilBeat += interval
    }
  }
}
