// A rider or a runner, second by second: power from the plan and the slope, speed from the forces,
// and a heart that follows the power after half a minute.

import ActivityFiles

struct DemoEffort {
  enum Kind {
    case ride, run
  }

  private let kind: Kind
  /// Of the threshold of 250 W.
  private let intensity: Double
  private var way: DemoLoop
  private var random: DemoRandom
  private var speed = 0.0
  private var bpm = 82.0
  private(set) var distance = 0.0
  private(set) var work = 0.0

  private static let threshold = 250.0
  private static let bpm = (resting: 52, threshold: 170, max: 186)
  private static let mass = 84.0
  private static let gravity = 9.81

  init(_ kind: Kind, way: DemoLoop, intensity: Double, _ random: DemoRandom) {
    (self.kind, self.way, self.intensity, self.random) = (kind, way, intensity, random)
  }

  static var rider: ActivityRider {
    var rider = ActivityRider()
    (rider.sex, rider.restingHeartRate, rider.maxHeartRate) = (.female, bpm.resting, bpm.max)
    return rider
  }

  static var thresholds: ActivityZones {
    var zones = ActivityZones(span: .activity)
    (zones.thresholdHeartRate, zones.thresholdPower) = (bpm.threshold, Int(threshold))
    return zones
  }

  mutating func second(_ t: Int) -> ActivityPoint {
    let before = way.altitude
    let step = kind == .ride ? speed : runningSpeed(slope: 0)
    way.advance(by: max(0.5, step))
    let slope = min(0.14, max(-0.14, (way.altitude - before) / max(0.5, step)))
    var point = ActivityPoint(t: t)
    switch kind {
    case .ride: ride(slope, &point)
    case .run: run(slope, &point)
    }
    distance += speed
    point.position = way.place?.position
    point[.altitude] = way.altitude
    point[.speed] = speed
    point[.distance] = distance
    point[.heartRate] = bpm.rounded()
    point[.airTemperature] = 17
    return point
  }

  private mutating func ride(_ slope: Double, _ point: inout ActivityPoint) {
    var power = Self.threshold * intensity * (1 + 4 * slope) + 12 * random.noise()
    if slope < -0.03 || speed > 15 { power = 0 }
    power = max(0, power)
    let drag = 0.19 * speed * speed
    let rolling = 0.0045 * Self.mass * Self.gravity
    let thrust = power * 0.97 / max(2, speed)
    speed = min(19, max(1.5, speed + (thrust - drag - rolling - Self.mass * Self.gravity * slope) / Self.mass))
    work += power
    point[.power] = power.rounded()
    point[.cadence] = power > 0 ? (84 - 120 * max(0, slope) + 2 * random.noise()).rounded() : 0
    point[.leftBalance] = power > 0 ? 49.5 : nil
    follow(power / Self.threshold)
  }

  private mutating func run(_ slope: Double, _ point: inout ActivityPoint) {
    speed = runningSpeed(slope: slope) + 0.05 * random.noise()
    point[.cadence] = (84 + random.noise()).rounded()
    follow(intensity * 1.1)
  }

  private func runningSpeed(slope: Double) -> Double { max(1.6, 3.1 * intensity / 0.75 - 6 * slope) }

  private mutating func follow(_ share: Double) {
    bpm += (72 + 98 * min(1.15, share) - bpm) / 32 + 0.2 * random.noise()
  }
}
