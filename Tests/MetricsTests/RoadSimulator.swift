// Simulated roads, riders and receivers: the data of a wheel sensor and a satellite receiver, with
// the truth to compare it with. The same seed gives the same ride.

import Foundation
import SensorKit
import TestSupport
import Time

@testable import Metrics

/// Random numbers for roads and receivers.
struct RoadRandom {
  private var random: SeededRandom
  init(_ seed: UInt64) { random = SeededRandom(seed) }

  mutating func unit() -> Double { random.uniform() }

  mutating func within(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  mutating func normal(_ deviation: Double) -> Double {
    deviation * (-2 * log(max(unit(), 1e-300))).squareRoot() * cos(2 * .pi * unit())
  }
}

/// A Gauss-Markov error with a time constant of `memory` seconds.
struct Drift {
  let memory: Double
  var value = 0.0

  mutating func step(_ seconds: Double, _ deviation: Double, _ random: inout RoadRandom) -> Double {
    // A receiver recovers within seconds when it leaves bad surroundings.
    let kept = exp(-seconds / (abs(value) > 2 * deviation ? min(memory, 15) : memory))
    value = value * kept + random.normal(deviation * (1 - kept * kept).squareRoot())
    return value
  }
}

/// The surroundings of the road, which decide how well the receiver works.
enum Surroundings: CaseIterable {
  case open, trees, canyon, tunnel, switchbacks

  /// Standard deviations of the slow error of the position, its noise, and the slow error of the
  /// speed.
  func errors(_ coarseness: Double) -> (drift: Double, noise: Double, speed: Double) {
    let errors: (drift: Double, noise: Double, speed: Double) =
      switch self {
      case .open: (2.5, 0.3, 0.05)
      case .trees: (6, 1.5, 0.3)
      case .canyon: (15, 4, 0.6)
      case .tunnel: (15, 5, 2)
      case .switchbacks: (4, 0.8, 0.15)
      }
    return (errors.drift * coarseness, errors.noise * coarseness, errors.speed * coarseness)
  }

  /// The accuracy that the receiver claims (19 m for a dilution of 1, as in gpsd). Between houses
  /// it is too optimistic.
  func stated(_ random: inout RoadRandom) -> (accuracy: Double, satellites: Int) {
    switch self {
    case .open: (random.within(10...24), Int(random.within(8...13)))
    case .trees: (random.within(16...40), Int(random.within(6...9)))
    case .canyon: (random.within(16...80), Int(random.within(5...8)))
    case .tunnel: (random.within(20...99), Int(random.within(0...5)))
    case .switchbacks: (random.within(14...34), Int(random.within(6...10)))
    }
  }
}

struct WheelSensor {
  var truth = 2.1
  /// The share of the circumference that is lost per hour, from `lossBegins` seconds on.
  var lossPerHour = 0.0
  var lossBegins = 0.0
  var missesEvery: Int?
  var hasTwoMagnets = false
  var tellsRate = true
}

struct Receiver {
  /// The interval between fixes.
  var seconds = 1.0
  /// A factor on all errors.
  var coarseness = 1.0
  /// The time constant of the speed filter, in seconds.
  var filter = 0.5
}

/// A ride over the given pieces of road, repeated without end.
struct RoadSimulator {
  enum Reception {
    case wheel(turns: Double, rate: Double?, at: MonotonicTime)
    case fix(Fix)

    var time: MonotonicTime {
      switch self {
      case .wheel(_, _, let time): time
      case .fix(let fix): fix.time
      }
    }
  }

  let pieces: [(Surroundings, ClosedRange<Double>)]
  /// Metres between traffic lights.
  var lights: ClosedRange<Double>?
  let wheel: WheelSensor
  var receiver = Receiver()
  /// Cruising speeds in metres per second, except on switchbacks.
  var cruises = 5.5...9.5
  var random: RoadRandom

  private static let step = 0.1
  private(set) var time = 1_000.0
  private(set) var metres = 0.0
  private(set) var openMetres = 0.0
  private(set) var around = Surroundings.open
  var circumference: Double {
    wheel.truth * (1 - wheel.lossPerHour * max(0, time - 1_000 - wheel.lossBegins) / 3_600)
  }

  private var piece = -1
  private var pieceEnd = 0.0
  private var speed = 0.0, cruise = 7.0, cruiseEnd = 0.0, sway = Drift(memory: 8)
  private var nextLight = Double.infinity, waitEnd = 0.0, isBraking = false
  private var heading = 30.0, bend = 0.0, bendEnd = 0.0, nextBend = 0.0
  private var grade = 0.0, gradeEnd = 0.0
  private var latitude: Double, longitude = 8.5, altitude = 420.0
  private var turns = 0.0, pulses = 0, seen = 0, lastPulse = 0.0
  private var meter = CounterDelta(.bits32, ticksPerSecond: 1_024, fastest: 50)
  private var nextPacket: Double, nextFix: Double
  private let fixLatency: Double
  private var north = Drift(memory: 180), east = Drift(memory: 180), height = Drift(memory: 180)
  private var speedError = Drift(memory: 2), filteredSpeed = 0.0, bias = 0.0, biasEnd = 0.0
  /// What was sent and has not arrived yet, in order of arrival.
  private var underWay: [Reception] = []

  init(
    _ pieces: [(Surroundings, ClosedRange<Double>)], lights: ClosedRange<Double>? = nil, wheel: WheelSensor,
    receiver: Receiver = Receiver(), cruises: ClosedRange<Double> = 5.5...9.5, seed: UInt64
  ) {
    (self.pieces, self.lights, self.wheel) = (pieces, lights, wheel)
    (self.receiver, self.cruises) = (receiver, cruises)
    random = RoadRandom(seed)
    latitude = random.within(-60...60)
    nextPacket = 1_000 + random.unit()
    nextFix = 1_001
    fixLatency = random.within(0.1...0.5)
    if let lights { nextLight = random.within(lights) }
  }
}

extension RoadSimulator {
  /// Rides for a tenth of a second and passes on what arrives in it.
  mutating func advance(_ receive: (Reception) -> Void) {
    if metres >= pieceEnd {
      piece = (piece + 1) % pieces.count
      around = pieces[piece].0
      pieceEnd = metres + random.within(pieces[piece].1)
    }
    steer()
    accelerate()
    let covered = speed * Self.step
    metres += covered
    if around == .open { openMetres += covered }
    move(covered)
    roll(covered)
    time += Self.step
    if time >= nextPacket { send(packet()) }
    if time >= nextFix, let fix = fix() { send(.fix(fix)) }
    while let next = underWay.first, next.time.seconds <= time { receive(underWay.removeFirst()) }
  }

  private mutating func send(_ reception: Reception) {
    underWay.insert(reception, at: underWay.firstIndex { $0.time > reception.time } ?? underWay.count)
  }

  private mutating func steer() {
    let hairpins = around == .switchbacks
    if metres >= nextBend {
      let angle = hairpins ? 170.0 : random.within(5...90)
      let length = hairpins ? 25 : random.within(20...80)
      bend = (random.unit() < 0.5 ? -1 : 1) * angle / length
      bendEnd = metres + length
      nextBend = bendEnd + (hairpins ? random.within(60...220) : random.within(100...1_400))
    }
    if metres < bendEnd { heading += bend * speed * Self.step }
    if metres >= gradeEnd {
      grade = hairpins ? random.within(0.06...0.11) : random.within(-0.035...0.035)
      gradeEnd = metres + random.within(200...900)
    }
  }

  private mutating func accelerate() {
    if time >= cruiseEnd {
      cruise = around == .switchbacks ? random.within(2.8...4.5) : random.within(cruises)
      cruiseEnd = time + random.within(20...120)
    }
    if metres > nextLight - 20, let lights {
      isBraking = random.unit() < 0.5
      nextLight = metres + 20 + random.within(lights)
    }
    if isBraking {
      speed = max(0, speed - 1.5 * Self.step)
      if speed == 0 { (isBraking, waitEnd) = (false, time + random.within(4...40)) }
    } else if time >= waitEnd {
      let wanted = cruise + sway.step(Self.step, 0.25, &random)
      speed = max(0.5, speed + min(max(wanted - speed, -0.6 * Self.step), 0.6 * Self.step))
    }
  }

  private mutating func move(_ covered: Double) {
    let (level, phi) = (covered / (1 + grade * grade).squareRoot(), latitude * .pi / 180)
    // A series for the length of a degree. The estimator uses a different formula.
    let northDegree = 111_132.954 - 559.822 * cos(2 * phi) + 1.175 * cos(4 * phi)
    let eastDegree = 111_412.84 * cos(phi) - 93.5 * cos(3 * phi) + 0.118 * cos(5 * phi)
    let raised = 1 + altitude / 6_371_000
    latitude += level * cos(heading * .pi / 180) / (northDegree * raised)
    longitude += level * sin(heading * .pi / 180) / (eastDegree * raised)
    altitude += level * grade
  }

  private mutating func roll(_ covered: Double) {
    let before = turns
    turns += covered / circumference
    // The second magnet is not opposite the first one.
    for offset in wheel.hasTwoMagnets ? [0, 0.43] : [0]
    where (before + offset).rounded(.down) < (turns + offset).rounded(.down) {
      pulses += 1
      if let every = wheel.missesEvery, pulses % every == 0 { continue }
      seen += 1
      let part = ((turns + offset).rounded(.down) - before - offset) / (turns - before)
      lastPulse = time + part * Self.step
    }
  }

  private mutating func packet() -> Reception {
    nextPacket = time + 1 + random.normal(0.02)
    let now = MonotonicTime(seconds: time + random.within(0.03...0.12))
    let ticks = UInt16(truncatingIfNeeded: Int((lastPulse * 1_024).rounded()))
    let reading = meter.read(UInt32(seen), eventTime: ticks, at: now, unit: 1)
    return .wheel(turns: Double(seen), rate: wheel.tellsRate ? reading.rate : nil, at: now)
  }

  private mutating func fix() -> Fix? {
    nextFix += receiver.seconds
    let errors = around.errors(receiver.coarseness)
    // Receivers filter the speed, which delays it.
    filteredSpeed += (speed - filteredSpeed) * (1 - exp(-receiver.seconds / receiver.filter))
    if time >= biasEnd {
      bias = around == .canyon ? random.normal(0.03) : 0
      biasEnd = time + random.within(5...25)
    }
    let off = (
      north: north.step(receiver.seconds, errors.drift, &random) + random.normal(errors.noise),
      east: east.step(receiver.seconds, errors.drift, &random) + random.normal(errors.noise),
      height: height.step(receiver.seconds, 1.8 * errors.drift, &random) + random.normal(errors.noise)
    )
    let slow = speedError.step(receiver.seconds, errors.speed, &random) + random.normal(errors.speed / 2)
    // In a tunnel the receiver guesses for a few seconds, and then knows nothing.
    if around == .tunnel, random.unit() < 0.8 {
      return Fix(time: MonotonicTime(seconds: time + fixLatency), mode: .none)
    }
    let (accuracy, satellites) = around.stated(&random)
    var fix = Fix(time: MonotonicTime(seconds: time + fixLatency + abs(random.normal(0.03))), mode: .full)
    fix.epoch = 1_700_000_000 + (time * 10).rounded() / 10
    let degree = 111_200.0
    fix.latitudeDeg = ((latitude + off.north / degree) * 6e6).rounded() / 6e6
    fix.longitudeDeg = ((longitude + off.east / degree / cos(latitude * .pi / 180)) * 6e6).rounded() / 6e6
    fix.altitudeM = ((altitude + off.height) * 10).rounded() / 10
    fix.speedMps =
      (max(0, filteredSpeed / (1 + grade * grade).squareRoot() * (1 + bias) + slow) / 0.0257).rounded() * 0.0257
    fix.courseDeg = heading + random.normal(57 * errors.speed / max(speed, 1))
    (fix.accuracyM, fix.satellites) = (accuracy, satellites)
    return fix
  }
}
