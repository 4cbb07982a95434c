// The totals of points: of imported activities, of edited ones, and of the laps of those. The numbers
// are defined as the daemon's (docs/metrics.md); where the daemon counted along, its counters are used.

package import ActivityFiles
import Earth
package import LogbookWire
import Metrics
import Time

package struct TotalsTally {
  /// What is known of the activity beforehand.
  package struct Conditions {
    package var rider = StoredRider(text: nil)
    /// For how many seconds a value holds: files of some devices have a point every few seconds.
    package var longestStep = 1
    package var hasBarometer = false

    package init() {}
  }

  private let conditions: Conditions
  private let heartRateZones: HeartRateZones?
  private var powerZones: PowerZoneTimes?
  private var load: HeartRateLoad
  private var power = RiddenPower()
  private var last: ActivityPoint?
  /// Whether the next point is the first of the activity, or of another part of an edited one.
  private var beginsPart = true
  private var lastPosition: Coordinate?
  /// Of the parts before this one.
  private var past = PartSums()
  private var seconds = 0.0
  private var movingSeconds = 0.0
  private var counters: [CounterGrowth] = Array(repeating: CounterGrowth(), count: RideCounter.allCases.count)
  private var distance = CounterGrowth()
  private var energy = CounterGrowth()
  private var vehicles = CounterGrowth()
  private var path = 0.0
  private var speedPath: Double?
  private var climb = Climb()
  private var hasAltitude = false
  private var hasPositions = false
  private var partHasPositions = false
  private var heartRate = WeightedMean()
  private var cadence = WeightedMean()
  private var balance = WeightedMean()
  private var maxima = FieldValues<PointField>()
  private var zoneSeconds: [Double]

  package init() { self.init(Conditions()) }

  package init(_ conditions: Conditions) {
    self.conditions = conditions
    heartRateZones = HeartRateZones(conditions.rider.rider)
    powerZones = PowerZoneTimes(conditions.rider.rider)
    load = HeartRateLoad(conditions.rider.rider)
    zoneSeconds = heartRateZones.map { Array(repeating: 0, count: $0.floors.count + 1) } ?? []
  }

  package mutating func add(_ point: ActivityPoint) { add(point, RideSecond()) }

  /// Returns for how many seconds the power of this point was ridden.
  @discardableResult
  package mutating func add(_ point: ActivityPoint, _ ride: RideSecond) -> Int {
    let step = step(to: point)
    let moved = moved(to: point)
    let isMoving = isMoving(point, ride, moved: moved / Double(step))
    let time = Double(step)
    if ride.state != .pausedByHand { seconds += time }
    if isMoving { movingSeconds += time }
    count(point, ride)
    if isMoving {
      path += moved
      if let speed = point[.speed] { speedPath = (speedPath ?? 0) + speed * time }
      average(point, time)
    }
    if let altitude = point[.altitude], ride.state == .moving || ride.state == .unknown {
      hasAltitude = true
      climb.add(altitude, threshold: conditions.hasBarometer ? 2 : 10)
    }
    if let bpm = point[.heartRate] {
      load.add(
        bpm: bpm, at: MonotonicTime(nanoseconds: Int64(point.t) * 1_000_000_000), counts: ride.state != .pausedByHand)
    }
    (last, beginsPart) = (point, false)
    lastPosition = point.position ?? lastPosition
    partHasPositions = partHasPositions || point.position != nil
    hasPositions = hasPositions || partHasPositions
    guard isMoving, let watts = point[.power] else { return 0 }
    for _ in 0..<step {
      _ = power.add(watts)
      powerZones?.add(watts)
    }
    return step
  }

  /// A lap begins: sums start again, and counters go on from where they are.
  package mutating func beginLap() {
    var next = TotalsTally(conditions)
    (next.last, next.lastPosition, next.beginsPart) = (last, lastPosition, beginsPart)
    (next.counters, next.distance, next.energy, next.vehicles) = (counters, distance, energy, vehicles)
    for index in next.counters.indices { next.counters[index].restart() }
    next.distance.restart()
    next.energy.restart()
    next.vehicles.restart()
    self = next
  }

  /// Another part of an edited activity begins. What happened between the last point and the next one
  /// does not count, and what one part lacks is computed for that part. The counters of points go on:
  /// see `ShownCounters`.
  package mutating func beginPart() {
    past = sums
    (beginsPart, lastPosition) = (true, nil)
    (seconds, movingSeconds, path, speedPath, partHasPositions) = (0, 0, 0, nil, false)
    for index in counters.indices { counters[index] = CounterGrowth() }
    distance.beginPart()
    (climb, hasAltitude) = (Climb(), false)
  }
}

// MARK: One point

extension TotalsTally {
  /// The seconds for which a point counts.
  private func step(to point: ActivityPoint) -> Int {
    guard let last, !beginsPart else { return 1 }
    let step = point.t - last.t
    return step <= conditions.longestStep ? max(1, step) : 1
  }

  /// Metres since the last point, by the counter or else by the positions.
  private func moved(to point: ActivityPoint) -> Double {
    if let before = last?[.distance], let now = point[.distance] { return max(0, now - before) }
    if let lastPosition, let position = point.position { return lastPosition.distance(to: position) }
    return 0
  }

  private func isMoving(_ point: ActivityPoint, _ ride: RideSecond, moved: Double) -> Bool {
    switch ride.state {
    case .moving: return true
    case .standing, .pausedByHand: return false
    case .unknown: break
    }
    if let watts = point[.power], watts > 0 { return true }
    if let speed = point[.speed] { return speed >= Self.leastSpeed }
    if point[.distance] != nil || point.position != nil { return moved >= Self.leastSpeed || beginsPart }
    // Without any of these, as in a swim or at the gym, all of it counts.
    return point[.cadence] ?? 1 > 0
  }

  /// A slower bike stands, in m/s.
  private static let leastSpeed = 0.5
  /// A counter of an activity that begins with it has at most so much after the first second.
  private static let firstMetres = 50.0

  private mutating func count(_ point: ActivityPoint, _ ride: RideSecond) {
    for counter in RideCounter.allCases {
      let isClock = counter == .rideTime || counter == .movingTime
      let counts = ride.state == .moving || counter == .rideTime && ride.state == .standing
      counters[counter.rawValue].add(ride[counter], first: beginsPart && isClock && counts ? 1 : 0)
    }
    let begins = last == nil && point.t <= 2
    let metres = point[.distance] ?? 0
    distance.add(point[.distance], first: begins && metres < Self.firstMetres ? metres : 0)
    energy.add(point[.energy], first: begins && metres < Self.firstMetres ? point[.energy] ?? 0 : 0)
    vehicles.add(point[.vehicleCount], first: begins && metres < Self.firstMetres ? point[.vehicleCount] ?? 0 : 0)
  }

  private mutating func average(_ point: ActivityPoint, _ time: Double) {
    for field in [PointField.speed, .cadence, .power, .heartRate] {
      guard let value = point[field] else { continue }
      maxima[field] = max(maxima[field] ?? value, value)
    }
    if let bpm = point[.heartRate] {
      heartRate.add(bpm, seconds: time)
      if let zone = heartRateZones?.zone(of: bpm) { zoneSeconds[zone] += time }
    }
    if let rpm = point[.cadence], rpm > 0 { cadence.add(rpm, seconds: time) }
    if let share = point[.leftBalance] ?? point[.balance] { balance.add(share, seconds: time) }
  }
}

// MARK: The numbers

extension TotalsTally {
  package var totals: StoredTotals {
    var totals = StoredTotals()
    totals.effort = effort
    guard last != nil else { return totals }
    totals.rideTimeS = sums.rideTime
    totals.carsPassed = vehicles.sum.map { Int($0) }
    totals.heartRateLoad = load.load
    totals.hasTrack = hasPositions
    if let threshold = conditions.rider.rider.thresholdPowerW, threshold > 0, let normalized = power.normalized(.ride) {
      let intensity = normalized / threshold
      totals.intensityFactor = intensity
      totals.trainingStressScore = power.sums(.ride).seconds * normalized * intensity / (threshold * 3600) * 100
    }
    return totals
  }

  package var effort: EffortTotals {
    var effort = EffortTotals()
    guard last != nil else { return effort }
    let sums = sums
    effort.movingTimeS = sums.movingTime
    (effort.distanceM, effort.ascentM, effort.descentM) = (sums.distance, sums.ascent, sums.descent)
    effort.workJ = power.workJ(.ride)
    effort.energyKcal = energy.sum
    effort.coastingTimeS = sums.coastingTime
    if let metres = effort.distanceM, let time = effort.movingTimeS, time >= 1, metres > 0 {
      effort.speedAvgMps = metres / time
    }
    effort.speedMaxMps = maxima[.speed]
    (effort.cadenceAvgRpm, effort.cadenceMaxRpm) = (cadence.mean, maxima[.cadence])
    (effort.powerAvgW, effort.powerMaxW) = (power.average(.ride), maxima[.power])
    effort.normalizedPowerW = power.normalized(.ride)
    (effort.bpmAvg, effort.bpmMax, effort.balanceAvgPct) = (heartRate.mean, maxima[.heartRate], balance.mean)
    return effort
  }

  package var zones: ActivityZoneTimes {
    var zones = ActivityZoneTimes()
    if let heartRateZones, zoneSeconds.contains(where: { $0 > 0 }) {
      (zones.heartRateS, zones.floorsBpm) = (zoneSeconds, heartRateZones.floors)
    }
    if let times = powerZones?.saved.seconds, times.contains(where: { $0 > 0 }) { zones.powerS = times }
    return zones
  }

  /// Of all parts so far.
  private var sums: PartSums {
    var sums = past
    sums.rideTime += growth(.rideTime) ?? seconds
    sums.movingTime += growth(.movingTime) ?? movingSeconds
    sums.distance.add(distance.sum ?? (partHasPositions ? path : speedPath))
    sums.ascent.add(growth(.ascent) ?? (hasAltitude ? climb.ascentM : nil))
    sums.descent.add(growth(.descent) ?? (hasAltitude ? climb.descentM : nil))
    sums.coastingTime.add(growth(.coastingTime))
    return sums
  }

  private func growth(_ counter: RideCounter) -> Double? { counters[counter.rawValue].sum }
}
