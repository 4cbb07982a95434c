// A sensor of the soak. It sends packets in its own rhythm, each with a unique number, so that
// every published sample can be traced to its packet.

import EventLoop
import JSON
import Linux
import TestSupport

final class Sensor {
  let id: String
  let kind: Kind
  let fake: FakeSensor
  /// Connected and silent.
  var isMute = false
  /// Sends each packet twice.
  var isDoubling = false
  /// The outcomes of the next Connect calls and of resolving services. When these are used up, all
  /// succeed.
  var connects: [ConnectOutcome] = []
  var resolves: [ResolveOutcome] = []
  private(set) var packets = 0
  /// The numbers of packets without a sample so far, oldest first.
  private var outstanding: [Int] = []
  private var burst = 0

  enum Kind: String, CaseIterable {
    case heartRate = "heart_rate"
    case power
    case radar
    case bodyTemperature = "body_temperature"
  }

  init(_ kind: Kind, _ number: Int, in bluez: FakeBlueZ) {
    self.kind = kind
    id = "soak-\(kind.rawValue.split(separator: "_").joined(separator: "-"))-\(number)"
    let address = "C0:00:00:00:00:0\(number)"
    let service = FakeService(kind.service, [FakeCharacteristic(kind.characteristic)] + kind.companions)
    fake = bluez.addSensor(address, name: "Soak \(number)", services: [service])
    if number.isMultiple(of: 2) { fake.batteryPercentage = 80 }
  }
}

// MARK: Packets

extension Sensor {
  /// One packet per interval, which is as long as the stale limit allows; sometimes four per second
  /// for 5 s.
  func beat(on loop: EventLoop, _ random: inout SeededRandom) {
    if burst > 0 {
      burst -= 1
    } else if Int.random(in: 0..<300, using: &random) == 0 {
      burst = 20
    }
    if !isMute, fake.isConnected {
      for _ in 0..<(isDoubling ? 2 : 1) { send() }
    }
  }

  var pause: Duration { burst > 0 ? .milliseconds(250) : kind.interval }

  private func send() {
    packets += 1
    let number = packets % kind.numbers
    outstanding.append(number)
    if outstanding.count > 64 { outstanding.removeFirst() }
    fake.notify(kind.characteristic, kind.packet(number))
  }

  /// Whether a packet with this number was sent, and neither it nor a later one has had a sample.
  func take(_ number: Int) -> Bool {
    guard let index = outstanding.firstIndex(of: number) else { return false }
    outstanding.removeFirst(index + 1)
    return true
  }
}

extension Sensor.Kind {
  var plugin: String {
    switch self {
    case .heartRate: "heart_rate"
    case .power: "cycling_power"
    case .radar: "varia_radar"
    case .bodyTemperature: "core_body_temperature"
    }
  }

  fileprivate var service: String {
    switch self {
    case .heartRate: "180d"
    case .power: "1818"
    case .radar: "6a4e3200-667b-11e3-949a-0800200c9a66"
    case .bodyTemperature: "00002100-5b1e-4347-b07c-97b514dae121"
    }
  }

  fileprivate var characteristic: String {
    switch self {
    case .heartRate: "2a37"
    case .power: "2a63"
    case .radar: "6a4e3203-667b-11e3-949a-0800200c9a66"
    case .bodyTemperature: "00002101-5b1e-4347-b07c-97b514dae121"
    }
  }

  fileprivate var companions: [FakeCharacteristic] {
    switch self {
    case .heartRate: [FakeCharacteristic("2a38", ["read"], value: [1])]
    case .power:
      [FakeCharacteristic("2a65", ["read"], value: [0, 0, 0, 0]), FakeCharacteristic("2a5d", ["read"], value: [4])]
    case .radar, .bodyTemperature: []
    }
  }

  /// The sensors become stale after 5, 3, 1.5 and 10 s. Slower packets would count as silence.
  fileprivate var interval: Duration {
    switch self {
    case .heartRate, .power: .seconds(2)
    case .radar: .seconds(1)
    case .bodyTemperature: .seconds(5)
    }
  }

  fileprivate var numbers: Int {
    switch self {
    case .heartRate, .radar: 180
    case .power, .bodyTemperature: 1000
    }
  }

  fileprivate func packet(_ number: Int) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }
    switch self {
    case .heartRate: return [0, UInt8(40 + number)]
    case .power: return [0, 0] + word(number)
    case .radar: return [UInt8(number % 16) << 4 | 2, 7, UInt8(1 + number), 20]
    case .bodyTemperature: return [0] + word(3000 + number)
    }
  }

  /// The number of this sample's packet.
  func number(of sample: JSONValue) -> Int? {
    switch self {
    case .heartRate: sample["bpm"]?.integer.map { $0 - 40 }
    case .power: sample["power_w"]?.integer
    case .radar: sample["targets"]?.items?.first?["distance_m"]?.integer.map { $0 - 1 }
    case .bodyTemperature: sample["core_temperature_c"]?.number.map { Int(($0 * 100).rounded()) - 3000 }
    }
  }
}
