// Whether an absent sensor delays those that are there: the whole daemon over a fake BlueZ, in virtual time, with and without
// it.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Wire

@testable import DaemonCore

/// A daemon with so many paired belts.
final class DaemonStand {
  let world: TestWorld
  let fake: FakeBlueZ
  let daemon: Daemon
  private let folder: TemporaryFolder

  /// `radars`: how many of them, from the last on, are radars; `powersOn`: whether adapters are switched on.
  init(
    _ count: Int, radars: Int = 0, powersOn: Bool = true, _ prepare: (FakeBlueZ) -> Void = { _ in }
  ) throws {
    world = try TestWorld()
    fake = FakeBlueZ(world)
    folder = try TemporaryFolder()
    let log = Log { _ in }
    let radio = BlueZRadio(
      loop: world.loop, bus: world.makeBus(), log: log, powersOn: powersOn, controllers: .init(fake))
    var configuration = Configuration()
    // Not whatever runs on this machine.
    configuration.gpsd = nil
    daemon = try Daemon(
      loop: world.loop, radio: radio, configuration: configuration,
      folders: Daemon.Folders(runtime: folder.path, state: folder.path), log: log, release: "0.0.0")
    for number in 0..<count {
      let address = "C0:00:00:00:00:1\(number)"
      let isRadar = number >= count - radars
      let service =
        isRadar
        ? FakeService(Self.radarService, [FakeCharacteristic(Self.radar)])
        : FakeService("180d", [FakeCharacteristic("2a37")])
      fake.addSensor(address, name: "Belt", services: [service])
      let sensor = PairedSensor(
        id: "belt-\(number)", address: try #require(DeviceAddress(address)), name: "Belt",
        plugins: [isRadar ? "varia_radar" : "heart_rate"])
      try daemon.roster.put(sensor)
    }
    prepare(fake)
    fake.addAdapter()
    try daemon.start()
    #expect(try world.run { radio.condition == .ready })
  }

  static let radarService = "6a4e3200-667b-11e3-949a-0800200c9a66"
  static let radar = "6a4e3203-667b-11e3-949a-0800200c9a66"

  /// Whether the condition came true meanwhile; all that are connected say a value four times a second.
  func ride(within span: Duration, until condition: () -> Bool) throws -> Bool {
    let end = world.loop.now + span
    while world.loop.now < end {
      for sensor in fake.sensors {
        sensor.notify("2a37", [0, 60])
        sensor.notify(Self.radar, [0x12])
      }
      let next = min(end, world.loop.now + .milliseconds(250))
      if try world.loop.run(until: next, condition) { return true }
    }
    return condition()
  }

  func session(_ number: Int) -> SensorSession { daemon.sessions[number] }

  var areAllStreaming: Bool { daemon.sessions.allSatisfy { $0.state == .streaming } }

  /// Time passes, and whoever is connected says a value every second.
  func ride(seconds: Int) throws {
    for _ in 0..<seconds {
      for sensor in fake.sensors { sensor.notify("2a37", [0, 60]) }
      try world.run(for: .seconds(1))
    }
  }

  /// When each sensor streamed, counted from now; those that never do are left out. Each says values until it streams.
  func times(within span: Duration) throws -> [Int: Duration] {
    var times: [Int: Duration] = [:]
    let start = world.loop.now
    while world.loop.now < start + span, times.count < daemon.sessions.count {
      for number in daemon.sessions.indices where times[number] == nil { fake.sensors[number].notify("2a37", [0, 60]) }
      try world.run(for: .milliseconds(10))
      for (number, session) in daemon.sessions.enumerated()
      where times[number] == nil && session.state == .streaming && fake.sensors[number].isConnected {
        times[number] = world.loop.now - start
      }
    }
    try world.settle()
    return times
  }
}

struct FairnessTests {
  /// Something happens to the last seven of eight belts; the first one is away for ever, or not paired at all.
  private func compare(
    absent: (FakeSensor) -> Void = { $0.goAway() }, happens: (DaemonStand) throws -> Void, within tolerance: Duration
  ) throws {
    var slowest: [Duration] = []
    for isPaired in [false, true] {
      let stand = try DaemonStand(8) { fake in for sensor in fake.sensors { sensor.advertise() } }
      #expect(try stand.times(within: .seconds(60)).count == 8)
      if isPaired {
        absent(stand.fake.sensors[0])
      } else {
        stand.daemon.sessions[0].disable()
        stand.fake.sensors[0].goAway()
      }
      try happens(stand)
      let times = try stand.times(within: .seconds(60)).filter { $0.key > 0 }
      #expect(times.count == 7)
      #expect(stand.fake.adapters[0].mostConnectsAtOnce == 1)
      slowest.append(try #require(times.values.max()))
    }
    #expect(slowest[1] <= slowest[0] + tolerance, "\(slowest[0]) without it, \(slowest[1]) with it")
  }

  /// An advert's interval is by chance more or less.
  private static let advertInterval = Duration.milliseconds(250)

  @Test func oneThatIsAwayForEverDelaysNobodyWhenBluetoothdRestarts() throws {
    try compare(
      happens: { stand in
        try stand.ride(seconds: 30)
        stand.fake.crash()
        stand.fake.start()
      }, within: Self.advertInterval)
  }

  @Test func oneThatGoesWithAllTheOthersDelaysNoneThatComesBack() throws {
    try compare(
      absent: { _ in },
      happens: { stand in
        stand.fake.sensors[0].goAway()
        for sensor in stand.fake.sensors { sensor.dropLink(.timeout) }
      }, within: Self.advertInterval)
  }

  @Test func oneThatWentAMomentAgoDelaysNobody() throws {
    try compare(
      happens: { stand in
        try stand.world.run(for: .milliseconds(500))
        for sensor in stand.fake.sensors { sensor.dropLink(.timeout) }
      }, within: .milliseconds(500))
  }

  @Test func oneThatIsHeardAndNeverAnswersCostsNoMoreThanItsShortTurns() throws {
    try compare(
      absent: { sensor in
        sensor.dropLink(.timeout)
      },
      happens: { stand in
        stand.fake.script.onConnect = { [unowned fake = stand.fake] sensor, _ in
          sensor === fake.sensors[0] ? .fail(.connectionAborted, after: .seconds(25)) : .succeed()
        }
        try stand.ride(seconds: 60)
        for sensor in stand.fake.sensors { sensor.dropLink(.timeout) }
      }, within: ReconnectPolicy.longestTurn * 2)
  }

  /// The time from the loss of a link to its values, whoever is missing meanwhile.
  @Test(arguments: [0, 1, 3])
  func aLinkThatIsLostAloneIsBackAtOnce(absent: Int) throws {
    let stand = try DaemonStand(8) { fake in for sensor in fake.sensors { sensor.advertise() } }
    #expect(try stand.times(within: .seconds(60)).count == 8)
    for number in 0..<absent { stand.fake.sensors[number].goAway() }
    try stand.ride(seconds: 30)
    stand.fake.sensors[7].dropLink(.timeout)
    try stand.world.settle()
    let start = stand.world.loop.now
    while stand.session(7).state != .streaming, stand.world.loop.now < start + .seconds(5) {
      stand.fake.sensors[7].notify("2a37", [0, 60])
      try stand.world.run(for: .milliseconds(10))
    }
    // A bare connect takes 200 ms, its services 300, subscribing 30.
    #expect(stand.world.loop.now - start < .milliseconds(1060))
  }
}
