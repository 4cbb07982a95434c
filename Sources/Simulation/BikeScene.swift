// A complete bike on rolling hills: a strap, a wheel, pedals, a radar and a satellite receiver. The
// simulated rider pedals it by the laws of mechanics, stops at a light every five minutes, and is
// sometimes overtaken by cars.

public import Radio

public struct BikeScene: Scene {
  public let devices: [SceneDevice]
  public let leadIn = Duration.zero
  private var pending: [SceneEvent] = []
  private var second = 0
  private var rider: SimulatedRider
  private var bike = SimulatedBike()
  private var traffic = Traffic()
  private var pedals = PedalControlPoint()

  public init(seed: UInt64 = 1) {
    rider = SimulatedRider(seed: seed, resting: 62, hardest: 184)
    var wheel = SceneDevice("wheel", "C0:FF:EE:00:00:03", "Wheel", [.wheel, .wheelFeature, .wheelControl])
    wheel?.settings = [PlayedSensor.Setting(key: "circumference_mm", value: "2105")]
    devices = [
      .strap("strap", "C0:FF:EE:00:00:01", "Strap"), wheel,
      SceneDevice("pedals", "C0:FF:EE:00:00:04", "Pedals", [.power, .powerFeature, .powerControl]),
      SceneDevice("radar", "C0:FF:EE:00:00:05", "Radar", [.radar]),
    ].compactMap(\.self)
    pending = [
      SceneEvent(at: .zero, device: 0, .holds(.bodyLocation, [1])),
      SceneEvent(at: .zero, device: 1, .holds(.wheelFeature, WheelControlPoint.feature)),
      SceneEvent(at: .zero, device: 2, .holds(.powerFeature, PedalControlPoint.feature)),
    ]
    for (device, charge) in [87, 74, 66, 58].enumerated() {
      pending += SceneEvent.identity(of: device, charge: UInt8(charge))
    }
    pending.reverse()
  }

  public mutating func next() -> SceneEvent? {
    if pending.isEmpty { rideOn() }
    return pending.popLast()
  }

  public mutating func actions(
    afterWriting value: [UInt8], to endpoint: Endpoint, of device: Int
  ) -> [SceneEvent.Action] {
    switch endpoint {
    case .wheelControl: [.notifies(endpoint, bike.wheelResponse(to: value), indicated: true)]
    case .powerControl: [.notifies(endpoint, pedals.response(to: value), indicated: true)]
    default: []
    }
  }

  /// Simulates one second; each sensor sends at its own moment.
  private mutating func rideOn() {
    second += 1
    bike.ride(atSecond: second, effort: rider.effort(Double(second)), luck: rider.nextRandom())
    traffic.pass(bikeSpeed: bike.speed, luck: rider.nextRandom())
    let packets: [(Endpoint, [UInt8])] = [
      (.heartRate, rider.packet(atSecond: second)), (.wheel, bike.wheelPacket), (.power, bike.pedalPacket),
      (.radar, traffic.packet),
    ]
    for (device, packet) in packets.enumerated() {
      let at = Duration.milliseconds(1000 * second + 200 * device)
      pending.append(SceneEvent(at: at, device: device, .notifies(packet.0, packet.1, indicated: false)))
    }
    pending.append(SceneEvent(at: .milliseconds(1000 * second + 900), report: bike.report))
    pending.reverse()
  }
}

/// The state of the bike, and the packets of its sensors.
struct SimulatedBike {
  /// In m/s.
  private(set) var speed = 0.0
  private var way = 0.0
  private var climbed = 0.0
  private var watts = 0.0
  private var grade = 0.0
  private var now = 0.0
  /// Crank revolutions, and the time of the last whole one.
  private var turns = 0.0
  private var lastTurn = 0.0
  private var balance = 0.5
  /// The direction of the road as a unit vector, east and north; and the position.
  private var heading = (east: 0.0, north: 1.0)
  /// The same in degrees from north.
  private var course = 0.0
  private var place = (east: 0.0, north: 0.0)
  private var wheelControl = WheelControlPoint()

  /// Bike and rider, in kilograms.
  private static let mass = 85.0
  private static let circumference = 2.105
  /// In seconds.
  private static let light = (period: 300, red: 20)
  private static let metresPerDegree = 111_195.0

  mutating func ride(atSecond second: Int, effort: Double, luck: Double) {
    now = Double(second)
    let isRed = second % Self.light.period > Self.light.period - Self.light.red
    watts = isRed || effort < 0.25 ? 0 : 60 + 220 * effort + 30 * (luck - 0.5)
    // Riders push harder where it is steeper.
    grade = 0.08 * (effort - 0.5)
    let former = speed
    // Steps small enough for a start from rest.
    for _ in 0..<10 { speed = max(0, speed + 0.1 * acceleration(isRed)) }
    let grown = (former + speed) / 2
    way += grown
    climbed += grown * grade
    balance = 0.49 + 0.02 * luck
    turnCrank()
    turnRoad(grown)
  }

  private func acceleration(_ isRed: Bool) -> Double {
    if isRed { return speed > 0 ? -2 : 0 }
    let push = min(watts * 0.975 / max(speed, 0.5), 250)
    let rolling = Self.mass * 9.81 * (grade + (speed > 0 ? 0.005 : 0))
    return (push - rolling - 0.5 * 1.2 * 0.38 * speed * speed) / Self.mass
  }

  private mutating func turnCrank() {
    guard watts > 0 else { return }
    let former = turns
    turns += min(speed / 6, 1) * 0.4 + 1.05
    if turns.rounded(.down) > former.rounded(.down) {
      lastTurn = now - (turns - turns.rounded(.down)) / (turns - former)
    }
  }

  /// The road has bends at intervals.
  private mutating func turnRoad(_ grown: Double) {
    let bend = Int(way / 400) % 3 == 2 ? 0.002 * grown : 0
    let (east, north) = (heading.east + heading.north * bend, heading.north - heading.east * bend)
    let length = (east * east + north * north).squareRoot()
    heading = (east / length, north / length)
    course = (course + bend * 180 / .pi).truncatingRemainder(dividingBy: 360)
    place = (place.east + heading.east * grown, place.north + heading.north * grown)
  }
}

// MARK: Packets

extension SimulatedBike {
  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Revolutions, and the time of the last one in 1/1024 s.
  var wheelPacket: [UInt8] {
    let whole = (way / Self.circumference).rounded(.down)
    let ago = speed > 0.5 ? (way - whole * Self.circumference) / speed : 0
    return [0x01] + Self.bytes(wheelControl.total(atTurn: Int(whole)), 4) + Self.bytes(Int((now - ago) * 1024), 2)
  }

  mutating func wheelResponse(to request: [UInt8]) -> [UInt8] {
    wheelControl.response(to: request, atTurn: Int(way / Self.circumference))
  }

  /// Power, the left leg's share, and crank revolutions.
  var pedalPacket: [UInt8] {
    [0x23, 0] + Self.bytes(Int(watts), 2) + [UInt8(balance * 200)] + Self.bytes(Int(turns), 2)
      + Self.bytes(Int(lastTurn * 1024), 2)
  }

  /// The gpsd report, at 47° north, where a degree of longitude is 0.682 times one of latitude.
  var report: String {
    let latitude = 47 + place.north / Self.metresPerDegree
    let longitude = 11 + place.east / Self.metresPerDegree / 0.682
    return #"{"class":"TPV","device":"/dev/simulated","mode":3,"lat":\#(latitude),"lon":\#(longitude),"#
      + #""altMSL":\#(580 + climbed),"speed":\#(speed),"track":\#(course),"eph":4.5,"epv":8.0}"#
  }
}

/// About one car per minute, from 130 m behind until it has passed.
struct Traffic {
  private var cars: [(id: UInt8, distance: Double, speed: Double)] = []
  private var nextID: UInt8 = 0x80
  private var pieces = 0

  mutating func pass(bikeSpeed: Double, luck: Double) {
    for index in cars.indices { cars[index].distance -= max(3, cars[index].speed - bikeSpeed) }
    cars.removeAll { $0.distance <= 0 }
    if luck < 0.025, cars.count < 6 {
      nextID = nextID == 0xff ? 0x80 : nextID + 1
      cars.append((nextID, 130, 14 + 200 * luck))
    }
  }

  /// The packet's number and a flag that it is complete; for each car an id, the distance in
  /// metres, and the speed in steps of 0.25 m/s.
  var packet: [UInt8] {
    mutating get {
      pieces = (pieces + 1) % 16
      return [UInt8(pieces << 4) | 2]
        + cars.flatMap { [$0.id, UInt8($0.distance), UInt8(min(255, $0.speed * 4 - 24))] }
    }
  }
}
