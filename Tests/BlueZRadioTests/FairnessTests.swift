// Checks that an absent sensor does not delay the others. The whole daemon runs over a fake BlueZ
// in virtual time, with and without the absent sensor.

import BlueZRadio
import DBus
import EventLoop
import Linux
import ProgramKit
import Radio
import Sensors
import TestSupport
import Testing
import Time
import Wire

@testable import Connections
@testable import DaemonCore

/// A daemon with `count` paired belts.
final class DaemonStand {
  let world: TestWorld
  let fake: FakeBlueZ
  let daemon: Daemon
  private let folder: TemporaryFolder

  /// The last `radars` belts are radars. `powersOn` is the setting PowerOn.
  init(
    _ count: Int, radars: Int = 0, powersOn: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    _ prepare: (FakeBlueZ) -> Void = { _ in }
  ) throws {
    world = try TestWorld()
    fake = FakeBlueZ(world)
    folder = try TemporaryFolder()
    let log = Log { _ in }
    let radio = BlueZSensorRadio(
      loop: world.loop, bus: world.makeBus(), log: log, powersOn: powersOn, controllers: .init(fake))
    var configuration = DaemonConfiguration()
    // Ignore a gpsd of this machine.
    configuration.gpsd = nil
    daemon = try Daemon(
      loop: world.loop, radio: radio, configuration: configuration, plugins: PluginKeeper(builtInPlugins, log: log),
      directories: ServiceDirectories(runtime: folder.path, state: folder.path), log: log, release: "0.0.0")
    for number in 0..<count {
      let address = "C0:00:00:00:00:1\(number)"
      let isRadar = number >= count - radars
      let service =
        isRadar
        ? FakeService(Self.radarService, [FakeCharacteristic(Self.radar)])
        : FakeService("180d", [FakeCharacteristic("2a37")])
      fake.addSensor(address, name: "Belt", services: [service])
      let sensor = PairedSensor(
        id: "belt-\(number)", address: try #require(DeviceAddress(address), sourceLocation: sourceLocation),
        name: "Belt",
        plugins: [isRadar ? "varia_radar" : "heart_rate"])
      try daemon.sensors.roster.put(sensor)
    }
    prepare(fake)
    fake.addAdapter()
    try daemon.start()
    #expect(try world.run { radio.condition == .ready }, sourceLocation: sourceLocation)
  }

  static let radarService = "6a4e3200-667b-11e3-949a-0800200c9a66"
  static let radar = "6a4e3203-667b-11e3-949a-0800200c9a66"

  /// Whether the condition came true. Connected sensors send a value four times a second.
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

  func session(_ number: Int) -> SensorSession { daemon.sensors.sessions[number] }

  var areAllStreaming: Bool { daemon.sensors.sessions.allSatisfy { $0.state == .streaming } }

  /// Connected sensors send a value every second.
  func ride(seconds: Int) throws {
    for _ in 0..<seconds {
      for sensor in fake.sensors { sensor.notify("2a37", [0, 60]) }
      try world.run(for: .seconds(1))
    }
  }

  /// The time from now until each sensor streams. Sensors that never do are omitted. Each sensor
  /// sends values until it streams.
  func times(within span: Duration) throws -> [Int: Duration] {
    var times: [Int: Duration] = [:]
    let start = world.loop.now
    while world.loop.now < start + span, times.count < daemon.sensors.sessions.count {
      for number in daemon.sensors.sessions.indices where times[number] == nil {
        fake.sensors[number].notify("2a37", [0, 60])
      }
      try world.run(for: .milliseconds(10))
      for (number, session) in daemon.sensors.sessions.enumerated()
      where times[number] == nil && session.state == .streaming && fake.sensors[number].isConnected {
        times[number] = world.loop.now - start
      }
    }
    try world.settle()
    return times
  }
}

struct FairnessTests {
  /// Runs `happens` on eight belts, once with the first one enabled and absent, once with it
  /// disabled, and compares how long the slowest of the other seven takes to stream.
  private func compare(
    absent: (FakeSensor) -> Void = { $0.goAway() }, happens: (DaemonStand) throws -> Void, within tolerance: Duration,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var slowest: [Duration] = []
    for isPaired in [false, true] {
      let stand = try DaemonStand(8) { fake in for sensor in fake.sensors { sensor.advertise() } }
      #expect(try stand.times(within: .seconds(60)).count == 8, sourceLocation: sourceLocation)
      if isPaired {
        absent(stand.fake.sensors[0])
      } else {
        stand.daemon.sensors.sessions[0].connection.disable(because: .user)
        stand.fake.sensors[0].goAway()
      }
      try happens(stand)
      let times = try stand.times(within: .seconds(60)).filter { $0.key > 0 }
      #expect(times.count == 7, sourceLocation: sourceLocation)
      #expect(stand.fake.adapters[0].mostConnectsAtOnce == 1, sourceLocation: sourceLocation)
      slowest.append(try #require(times.values.max(), sourceLocation: sourceLocation))
    }
    #expect(
      slowest[1] <= slowest[0] + tolerance, "\(slowest[0]) without it, \(slowest[1]) with it",
      sourceLocation: sourceLocation)
  }

  /// The advertising interval varies at random.
  private static let advertInterval = Duration.milliseconds(250)

  @Test("an absent sensor delays no other when bluetoothd restarts")
  func absentAtRestart() throws {
    try compare(
      happens: { stand in
        try stand.ride(seconds: 30)
        stand.fake.crash()
        stand.fake.start()
      }, within: Self.advertInterval)
  }

  @Test("after all links drop, a sensor that stays away delays no other")
  func absentAfterDrop() throws {
    try compare(
      absent: { _ in },
      happens: { stand in
        stand.fake.sensors[0].goAway()
        for sensor in stand.fake.sensors { sensor.dropLink(.timeout) }
      }, within: Self.advertInterval)
  }

  @Test("a sensor that left a moment ago delays no other by more than 500 ms")
  func recentlyGone() throws {
    try compare(
      happens: { stand in
        try stand.world.run(for: .milliseconds(500))
        for sensor in stand.fake.sensors { sensor.dropLink(.timeout) }
      }, within: .milliseconds(500))
  }

  @Test("a sensor that advertises but never connects costs at most two turns")
  func neverConnects() throws {
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

  @Test("a lost link is back within 1060 ms, however many sensors are absent", arguments: [0, 1, 3])
  func lostAlone(absent: Int) throws {
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
    // A bare connect takes 200 ms, resolving services 300 ms, subscribing 30 ms.
    #expect(stand.world.loop.now - start < .milliseconds(1060))
  }
}
