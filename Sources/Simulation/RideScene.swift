// The default scene: a rider on rolling hills, with a chest strap that is paired, and a second strap in the drawer that can
// be found and paired. The rider is a simple model (effort follows the hills, the heart follows the effort); the straps send
// what real ones do: flags, rate, contact, and every beat since the last packet as an RR interval.

import DaemonCore
import Linux
import SensorKit

public struct RideScene: Scene {
  public let devices: [SceneDevice]
  public let leadIn = Duration.zero
  private var pending: [SceneEvent] = []
  private var second = 0
  private var rider: Rider
  private var resting: Rider

  private enum UUID {
    static let heartRate = BluetoothUUID(0x180d)
    static let battery = BluetoothUUID(0x180f)
    static let deviceInformation = BluetoothUUID(0x180a)
  }

  private static let measurement = Endpoint(service: UUID.heartRate, characteristic: BluetoothUUID(0x2a37))
  private static let location = Endpoint(service: UUID.heartRate, characteristic: BluetoothUUID(0x2a38))
  private static let charge = Endpoint(service: UUID.battery, characteristic: BluetoothUUID(0x2a19))
  private static let maker = Endpoint(service: UUID.deviceInformation, characteristic: BluetoothUUID(0x2a29))
  private static let model = Endpoint(service: UUID.deviceInformation, characteristic: BluetoothUUID(0x2a24))

  public init(seed: UInt64 = 1) {
    rider = Rider(seed: seed, resting: 62, hardest: 184)
    resting = Rider(seed: seed &+ 1, resting: 55, hardest: 70)
    devices = [
      Self.strap("C0:FF:EE:00:00:01", "Simulated strap", isPaired: true),
      Self.strap("C0:FF:EE:00:00:02", "Spare strap", isPaired: false),
    ].compactMap(\.self)
    for device in devices.indices {
      pending.append(SceneEvent(at: .zero, device: device, .holds(Self.location, [1])))
      pending.append(SceneEvent(at: .zero, device: device, .holds(Self.charge, [device == 0 ? 87 : 64])))
      pending.append(SceneEvent(at: .zero, device: device, .holds(Self.maker, Array("Cyclometer".utf8))))
      pending.append(SceneEvent(at: .zero, device: device, .holds(Self.model, Array("Simulation".utf8))))
    }
    pending.reverse()
  }

  private static func strap(_ address: String, _ name: String, isPaired: Bool) -> SceneDevice? {
    guard let address = DeviceAddress(address) else { return nil }
    var device = SceneDevice(
      address: address, name: name, services: [UUID.heartRate, UUID.battery, UUID.deviceInformation],
      endpoints: [measurement, location, charge, maker, model])
    device.isPaired = isPaired
    return device
  }

  public mutating func next() -> SceneEvent? {
    if pending.isEmpty { rideOn() }
    return pending.popLast()
  }

  /// One packet a second from each strap, as the profile asks for; the second strap's half a second later.
  private mutating func rideOn() {
    second += 1
    let packets = [rider.packet(atSecond: second), resting.packet(atSecond: second)]
    for (device, packet) in packets.enumerated().reversed() {
      let at = Duration.milliseconds(1000 * second + 500 * device)
      pending.append(SceneEvent(at: at, device: device, .notifies(Self.measurement, packet, indicated: false)))
    }
  }
}

/// A heart, and the effort it follows.
struct Rider {
  private var random: UInt64
  private let resting: Double
  private let hardest: Double
  private var rate: Double
  /// When the next beat falls, in seconds; the length of the interval before it, in 1/1024 s.
  private var nextBeat = 0.0
  private var interval: UInt16 = 0

  init(seed: UInt64, resting: Double, hardest: Double) {
    random = seed
    self.resting = resting
    self.hardest = hardest
    rate = resting + 0.3 * (hardest - resting)
    advanceBeat()
  }

  /// Hills of four minutes with shorter ones on them: from 0, coasting, to 1, all there is.
  private func effort(_ second: Double) -> Double {
    let hills = 0.5 + 0.3 * wave(second / 240) + 0.15 * wave(second / 47)
    return max(0, min(1, hills))
  }

  /// A smooth wave of period 1 between -1 and 1, near enough to a sine for hills.
  private func wave(_ phase: Double) -> Double {
    let place = phase - phase.rounded(.down)
    let half = place < 0.5 ? place : place - 0.5
    let arch = 16 * half * (0.5 - half)
    return place < 0.5 ? arch : -arch
  }

  mutating func packet(atSecond second: Int) -> [UInt8] {
    let now = Double(second)
    let goal = resting + effort(now) * (hardest - resting)
    // A heart needs about half a minute to follow.
    rate += (goal - rate) / 30
    var intervals: [UInt16] = []
    while nextBeat <= now {
      intervals.append(interval)
      advanceBeat()
    }
    var packet: [UInt8] = [0x16, UInt8(max(30, min(250, rate.rounded())))]
    for interval in intervals { packet += [UInt8(interval & 0xff), UInt8(interval >> 8)] }
    return packet
  }

  private mutating func advanceBeat() {
    let wander = 1 + 0.03 * (nextRandom() - 0.5)
    let ticks = (60 / rate * wander * 1024).rounded()
    interval = UInt16(max(200, min(2048, ticks)))
    nextBeat += Double(interval) / 1024
  }

  /// SplitMix64: the same ride for the same seed. From 0 to 1.
  private mutating func nextRandom() -> Double {
    random &+= 0x9e37_79b9_7f4a_7c15
    var mixed = random
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }
}
