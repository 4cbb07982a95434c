// All parts of one soak on one loop: a bus, BlueZ, logind, eight sensors, the daemon and its
// subscriber.

import BlueZRadio
import DBus
import DaemonCore
import EventLoop
import Linux
import ProgramKit
import Sensors
import TestSupport
import Time

final class Household {
  let world: TestWorld
  let fake: FakeBlueZ
  let logind: FakeLogind
  let sensors: [Sensor]
  let daemon: Daemon
  let listener: Listener
  var random: SeededRandom
  /// Calls that bluetoothd refuses at the moment.
  var refusals: [(until: MonotonicTime, error: (BusMessage) -> BusError?)] = []
  let folder: TemporaryFolder
  private(set) var isBusUp = true
  private(set) var slept = Duration.zero
  private let bus: Bus
  private let book: Book

  private static let kinds: [Sensor.Kind] = [
    .heartRate, .heartRate, .heartRate, .power, .power, .power, .radar, .bodyTemperature,
  ]

  init(seed: UInt64, log: @escaping (String) -> Void) throws {
    random = SeededRandom(seed)
    world = try TestWorld()
    fake = FakeBlueZ(world)
    logind = FakeLogind(world.makeBus())
    let fake = fake
    sensors = Self.kinds.enumerated().map { Sensor($1, $0 + 1, in: fake) }
    folder = try TemporaryFolder()
    let roster = sensors.map { sensor in
      #"{"id":"\#(sensor.id)","address":"\#(sensor.fake.address)","name":"\#(sensor.fake.name)","#
        + #""plugins":["\#(sensor.kind.plugin)"]}"#
    }
    let content = #"{"version":1,"sensors":["# + roster.joined(separator: ",") + "]}\n"
    try Files.replace(folder.file("roster.json"), with: Array(content.utf8), mode: 0o600)
    fake.addAdapter()
    bus = world.makeBus()
    let book = Book(world.loop, log)
    self.book = book
    let daemonLog = Log { book.write($0) }
    let radio = BlueZSensorRadio(loop: world.loop, bus: bus, log: daemonLog, controllers: .init(fake))
    var configuration = DaemonConfiguration()
    // Ignore a gpsd of this machine.
    configuration.gpsd = nil
    daemon = try Daemon(
      loop: world.loop, radio: radio, configuration: configuration,
      plugins: PluginKeeper(builtInPlugins, log: daemonLog),
      directories: ServiceDirectories(runtime: folder.path, state: folder.path), log: daemonLog, release: "0.0.0")
    try daemon.start()
    listener = try Listener(folder.file("metrics.sock"), on: world.loop, of: sensors)
    writeScript()
    for sensor in sensors {
      sensor.fake.advertise()
      beat(sensor, after: .milliseconds(Int.random(in: 0..<2000, using: &random)))
    }
  }

  var now: MonotonicTime { world.loop.now }

  func later(_ span: Duration, _ action: @escaping () -> Void) {
    world.loop.schedule(after: span, action)
  }

  func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &random))
  }

  func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  func note(_ line: String) {
    book.write("-- \(line)\n")
  }

  /// The last lines of the daemon's log.
  var lastWords: [String] { book.recent }

  /// Sleeps for minutes. Some links outlive it, as far as BlueZ knows.
  func sleep() {
    let lost = sensors.filter { _ in chance(70) }
    for sensor in lost { sensor.fake.dropLink(.timeout) }
    let span = Duration.seconds(Int.random(in: 20...3600, using: &random))
    slept += span
    world.time.sleep(for: span)
  }

  func stopBus() {
    isBusUp = false
    world.privateBus.stop()
  }

  func startBus() {
    do {
      try world.privateBus.start()
      isBusUp = true
    } catch {
      note("the bus does not start: \(error)")
    }
  }

  private func beat(_ sensor: Sensor, after span: Duration) {
    later(span) { [weak self, sensor] in
      guard let self else { return }
      sensor.beat(on: world.loop, &random)
      beat(sensor, after: sensor.pause)
    }
  }
}

extension Household {
  /// Sets BlueZ's usual timing and the errors that are active.
  private func writeScript() {
    // Older releases crash when a link ends at the wrong moment.
    if chance(50) { fake.script.release = (5, 66) }
    fake.script.saysDisconnectReason = chance(50)
    fake.script.acquiresIndications = chance(50)
    fake.script.onConnect = { [weak self] sensor, _ in
      guard let self else { return .never }
      guard sensor.isInRange else { return .fail(.connectionAborted, after: .seconds(20)) }
      let mine = sensors.first { $0.fake === sensor }
      if let mine, !mine.connects.isEmpty { return mine.connects.removeFirst() }
      return .succeed(after: milliseconds(50...800))
    }
    fake.script.onResolve = { [weak self] sensor, _ in
      guard let self else { return .never }
      let mine = sensors.first { $0.fake === sensor }
      if let mine, !mine.resolves.isEmpty { return mine.resolves.removeFirst() }
      return .resolve(after: milliseconds(100...1500))
    }
    fake.script.refuse = { [weak self] call in
      guard let self, !refusals.isEmpty else { return nil }
      refusals.removeAll { $0.until <= self.now }
      return refusals.lazy.compactMap { $0.error(call) }.first
    }
  }
}

/// Keeps the end of the daemon's log.
private final class Book {
  private(set) var recent: [String] = []
  private let loop: EventLoop
  private let start: MonotonicTime
  private let show: (String) -> Void

  init(_ loop: EventLoop, _ show: @escaping (String) -> Void) {
    self.loop = loop
    start = loop.now
    self.show = show
  }

  func write(_ text: String) {
    let line = "\(seconds(loop.now - start)) s  \(text.split(separator: "\n").joined(separator: " "))"
    show(line)
    recent.append(line)
    if recent.count > 200 { recent.removeFirst(100) }
  }
}

// MARK: What must not grow

/// The resources of the daemon and the fake while all sensors stream.
struct Holdings: Equatable, CustomStringConvertible {
  var descriptors: [String: Int] = [:]
  var watches = 0
  var deadlines = 0
  var matchRules: Int?

  /// The resources that differ.
  func differences(from other: Holdings) -> String {
    let sorts = Set(descriptors.keys).union(other.descriptors.keys).sorted()
    let changed = sorts.filter { descriptors[$0] != other.descriptors[$0] }
      .map { "\($0) \(other.descriptors[$0] ?? 0) -> \(descriptors[$0] ?? 0)" }
    return "\(other) became \(self); \(changed.joined(separator: ", "))"
  }

  var description: String {
    "\(descriptors.values.reduce(0, +)) descriptors, \(watches) watches, \(deadlines) deadlines, "
      + "\(matchRules.map(String.init) ?? "unknown") match rules"
  }
}

extension Household {
  func takeStock() throws -> Holdings {
    let matchRules = try countMatchRules()
    // Foundation creates its own loops, on any thread, when it starts the bus.
    let descriptors = openDescriptors().filter { !$0.key.hasPrefix("anon_inode") }
    // The pings that show whether the bus is idle have deadlines too.
    try world.settle()
    return Holdings(
      descriptors: descriptors, watches: world.loop.watchCount,
      deadlines: world.loop.deadlineCount, matchRules: matchRules)
  }

  /// What the bus reports to hold for the daemon's connection.
  private func countMatchRules() throws -> Int? {
    guard let connection = bus.connection, let name = connection.name else { return nil }
    let service = "org.freedesktop.DBus"
    let question = BusMessage.call(
      to: service, path: "/org/freedesktop/DBus", interface: service + ".Debug.Stats", member: "GetConnectionStats")
    var answer: Result<BusMessage, BusError>?
    connection.call(question.append(.string(name))) { answer = $0 }
    guard try world.run(until: { answer != nil }), case .success(let message)? = answer else { return nil }
    var reader = message.reader
    return reader.properties()?["MatchRules"]?.integer
  }
}

/// With three decimals.
func seconds(_ span: Duration) -> String {
  let milliseconds = span.wholeNanoseconds / 1_000_000
  let rest = String(milliseconds % 1000)
  return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
}

extension BlueZSensorRadio.Controllers {
  init(_ fake: FakeBlueZ) {
    self.init(
      watch: { [weak fake] in fake?.watchController($0) },
      hasLink: { [weak fake] in fake?.kernelHasLink($0, $1) ?? false })
  }
}
