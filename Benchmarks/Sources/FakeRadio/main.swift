// `FakeRadio STRAPS SOCKET [radar]`: a machine with a Bluetooth adapter and that many heart rate straps in
// range, on a private bus whose address it prints first. A client of the socket gets a strap's
// packets without a bus, from the same code.
//
// It reads orders from standard input until its end:
//
//   send bus|socket|signals RATE FIRST COUNT TIMES [PROGRESS WINDOW]
//
// sends COUNT packets of each strap, numbered from FIRST, at RATE packets per second of all straps
// together. They go to the descriptors acquired on the bus, to the socket's clients, or out as
// D-Bus signals. A RATE of 0 (not with signals) means as fast as the readers follow: they report
// their counts on the FIFO PROGRESS, and at most WINDOW packets are under way. For each packet, the
// file TIMES gets the time right before its write, as 64-bit nanoseconds of CLOCK_BOOTTIME. Prints
// `sent` at the end.
//
// Between orders the straps keep themselves alive twice per second. `rest` makes them send at once
// and then pause for two seconds, and prints `rested`. From `quiet` to `speak` they send nothing,
// but stay connected.
//
// With the word `radar`, one more sensor is in range, a rear radar. `car DISTANCE` makes it report a
// car at that many metres, and prints `car` and the time right before the write.

import CSender
import DBus
import EventLoop
import Glibc
import Linux
import TestSupport
import Time

func say(_ line: String) {
  _ = try? writeDescriptor(1, Array("\(line)\n".utf8).span)
}

func fail(_ why: String) -> Never {
  _ = try? writeDescriptor(2, Array("FakeRadio: \(why)\n".utf8).span)
  exit(1)
}

final class Straps {
  private let loop: EventLoop
  private let fake: FakeBlueZ
  private let count: Int
  private let listener: Int32
  private var visitors: Watch?
  /// By target, a descriptor for each strap.
  private var descriptors: [String: [Int32]]
  private var sensors: [FakeSensor] = []
  private var radar: FakeSensor?
  /// The last packet of the radar. The first one is that of a clear road.
  private var seen: [UInt8] = [0x02]
  private var nextSign: Deadline?

  /// Garmin's service and characteristic for the cars behind a rider.
  private static func radarID(_ number: String) -> String { "6a4e\(number)-667b-11e3-949a-0800200c9a66" }

  static func address(_ index: Int) -> String {
    "C0:00:00:00:00:" + (index < 16 ? "0" : "") + String(index, radix: 16, uppercase: true)
  }

  init(_ count: Int, _ socket: String, _ fake: FakeBlueZ) throws {
    loop = fake.loop
    self.fake = fake
    self.count = count
    descriptors = ["bus": Array(repeating: -1, count: count), "socket": []]
    // The path is read within the call.
    listener = unsafe sender_listen(socket)
    guard listener >= 0 else { fail("\(socket): \(errno)") }
    visitors = try loop.watch(listener, for: .readable) { [weak self] _ in self?.welcome() }
    for index in 0..<count { addStrap(index) }
  }

  func addRadar() {
    let targets = FakeCharacteristic(Self.radarID("3203"))
    let radar = fake.addSensor(
      Self.address(count + 1), name: "RTL1", services: [FakeService(Self.radarID("3200"), [targets])])
    radar.isPaired = true
    radar.advertise()
    self.radar = radar
  }

  private func addStrap(_ index: Int) {
    let measurement = FakeCharacteristic("2a37")
    measurement.onAcquire = { [weak self] number in
      self?.descriptors["bus"]?[index] = number
      _ = sender_keep_alive(number)
    }
    let strap = fake.addSensor(
      Self.address(index + 1), name: "Strap \(index + 1)", services: [FakeService("180d", [measurement])])
    // Where a bond might have to be made, a link begins with signals; what is measured is a
    // descriptor.
    strap.isPaired = true
    strap.advertise()
    sensors.append(strap)
  }

  private func welcome() {
    while case let number = sender_accept(listener), number >= 0 { descriptors["socket"]?.append(number) }
  }

  /// Some of them have no subscriber.
  func keepAlive() {
    for number in descriptors["socket"] ?? [] { _ = sender_keep_alive(number) }
    for sensor in sensors { sensor.notify("2a37", [0x00, 60]) }
    radar?.notify(Self.radarID("3203"), seen)
    planSign(after: .milliseconds(500))
  }

  /// Well within the time after which a silent strap is taken for lost.
  private func planSign(after span: Duration) {
    nextSign?.cancel()
    nextSign = loop.schedule(after: span) { [weak self] in self?.keepAlive() }
  }

  private func finish(_ times: [UInt64], _ path: String) {
    write(times, to: path)
    // Later, because what was sent is still being counted.
    planSign(after: .milliseconds(500))
    say("sent")
  }

  func obey(_ words: [String]) {
    switch words {
    case ["speak"]: keepAlive()
    case ["quiet"]:
      keepAlive()
      nextSign?.cancel()
    case ["rest"]:
      keepAlive()
      planSign(after: .seconds(2))
      say("rested")
    case _ where words.first == "car": reportCar(words.last ?? "")
    default: send(words)
    }
  }

  /// Of one car, which approaches at 10 m/s.
  private func reportCar(_ distance: String) {
    guard let radar, let distance = UInt8(distance) else { fail("no radar, or not a distance: \(distance)") }
    seen = [0x02, 1, distance, 40]
    let time = UInt64(MonotonicTime.now.nanoseconds)
    radar.notify(Self.radarID("3203"), seen)
    say("car \(time)")
  }

  private func send(_ words: [String]) {
    guard words.count >= 6, words[0] == "send", let rate = Double(words[2]), let first = UInt32(words[3]),
      let packets = UInt32(words[4])
    else { fail("not understood: \(words)") }
    nextSign?.cancel()
    if words[1] == "signals", rate > 0 {
      return sendSignals(loop, sensors, rate, first..<first + packets) { [weak self] in self?.finish($0, words[5]) }
    }
    guard let all = descriptors[words[1]] else { fail("not understood: \(words)") }
    let progress = words.count == 8 ? unsafe open(words[6], O_RDWR | O_CLOEXEC) : -1
    defer { if progress >= 0 { close(progress) } }
    var times = [UInt64](repeating: 0, count: Int(packets) * all.count)
    // The plan's pointers live as long as the call.
    let outcome = unsafe all.withUnsafeBufferPointer { descriptors in
      var plan = unsafe sender_plan(
        descriptors: descriptors.baseAddress, straps: UInt32(descriptors.count), first: first, count: packets,
        rate: rate, window: UInt32(words.last ?? "") ?? 1, progress: progress)
      return unsafe sender_send(&plan, &times)
    }
    guard outcome == 0 else { fail("sending to \(words[1]) failed: \(errno)") }
    finish(times, words[5])
  }

  private func write(_ times: [UInt64], to path: String) {
    guard let file = unsafe fopen(path, "wb") else { fail("\(path): \(errno)") }
    // The array is only read, within the call.
    let written = unsafe fwrite(times, MemoryLayout<UInt64>.size, times.count, file)
    guard unsafe fclose(file) == 0, written == times.count else { fail("\(path) was not written") }
  }
}

let words = CommandLine.arguments
guard words.count == 3 || words.dropFirst(3) == ["radar"], let count = Int(words[1]), 1...64 ~= count else {
  fail("usage: FakeRadio STRAPS SOCKET [radar]")
}
let loop = try EventLoop()
let bus = try PrivateBus()
let fake = FakeBlueZ(loop: loop) { Bus(loop: loop, address: bus.address) }
let straps = try Straps(count, words[2], fake)
if words.count > 3 { straps.addRadar() }
fake.script.timing.connect = .milliseconds(20)
fake.script.timing.resolve = .milliseconds(20)
fake.script.timing.pair = .milliseconds(20)
fake.addAdapter()
fake.start()
straps.keepAlive()

var typed: [UInt8] = []
let input = try loop.watch(0, for: .readable) { _ in
  var buffer = [UInt8](repeating: 0, count: 4096)
  guard case .done(let size)? = try? readDescriptor(0, into: &buffer), size > 0 else { return loop.stop() }
  typed += buffer[..<size]
  while let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
    let line = String(decoding: typed[..<end], as: UTF8.self)
    typed.removeSubrange(...end)
    straps.obey(line.split(separator: " ").map(String.init))
  }
}
say("bus \(bus.address)")
try loop.run()
