// Faults that affect all sensors: bluetoothd, the adapter, discovery, the computer, the bus, other
// clients.

import EventLoop
import Linux
import TestSupport

extension Fault {
  static let ofBluetoothd = [
    ofAll("9 bluetoothd killed") { house, over in
      guard house.fake.isRunning else { return false }
      house.fake.crash()
      house.later(house.milliseconds(10...60_000)) {
        house.fake.start()
        over()
      }
      return true
    },
    ofAll("9 the name org.bluez dropped") { house, over in
      // A pending Connect would continue and could not be cancelled.
      guard house.fake.isRunning, house.fake.adapters.allSatisfy({ $0.connectsUnderWay == 0 }) else { return false }
      house.fake.dropName()
      house.later(house.milliseconds(1...5000)) {
        house.fake.takeName()
        over()
      }
      return true
    },
    ofAll("10 adapter gone, back as another") { house, over in
      guard let adapter = house.fake.adapters.first else { return false }
      house.fake.removeAdapter(adapter)
      let name = house.chance(50) ? "hci0" : adapter.name == "hci1" ? "hci2" : "hci1"
      house.later(house.milliseconds(10...60_000)) {
        house.fake.addAdapter(name)
        over()
      }
      return true
    },
    ofAll("11 adapter blocked") { house, over in
      guard let adapter = house.fake.adapters.first, !adapter.isBlocked else { return false }
      adapter.setBlocked(true)
      house.later(house.milliseconds(100...60_000)) {
        adapter.setBlocked(false)
        // bluetoothd does the same: the kernel reports the change, and it powers on what was on.
        if house.fake.adapters.first === adapter { adapter.setPowered(true) }
        over()
      }
      return true
    },
    ofAll("11 adapter off and on") { house, over in
      guard let adapter = house.fake.adapters.first, adapter.isPowered, !adapter.isBlocked else { return false }
      adapter.setPowered(false)
      house.later(house.milliseconds(10...30_000)) {
        if !adapter.isBlocked { adapter.setPowered(true) }
        over()
      }
      return true
    },
    ofAll("11 adapter not ready after a restart") { house, over in
      guard house.fake.isRunning else { return false }
      let span = house.milliseconds(500...10_000)
      house.fake.script.autoEnable = false
      house.refuse("Set", at: nil, with: house.chance(50) ? .notReady : .bluezFailed("Busy"), for: span)
      house.fake.crash()
      house.fake.start()
      house.later(span) {
        over()
        house.later(.seconds(1)) { house.fake.script.autoEnable = true }
      }
      return true
    },
  ]
}

extension Fault {
  /// These matter only while discovery has to find a sensor.
  private static func ofDiscovery(
    _ name: String, _ begin: @escaping @Sendable (Household) -> Void,
    _ end: @escaping @Sendable (Household) -> Void = { _ in }
  ) -> Fault {
    Fault(name: name, isOfOneSensor: true) { house, sensor, over in
      sensor.fake.goAway()
      house.later(.seconds(5)) { begin(house) }
      house.later(house.milliseconds(6000...30_000)) {
        sensor.fake.advertise()
        end(house)
        over()
      }
      return true
    }
  }

  static let ofTheComputer = [
    ofDiscovery(
      "12 Discovering says false", { $0.fake.script.claimedDiscovering = false },
      { house in house.later(.seconds(20)) { house.fake.script.claimedDiscovering = nil } }),
    ofDiscovery("12 discovery refused, in progress") { house in
      house.refuse("StartDiscovery", at: nil, with: .inProgress, for: .seconds(6))
    },
    ofDiscovery("12 discovery receives nothing") { $0.fake.adapters.first?.goDeaf() },
    ofAll("13 no slots left") { house, over in
      guard let adapter = house.fake.adapters.first, adapter.slots == nil else { return false }
      adapter.slots = Int.random(in: 1...7, using: &house.random)
      for sensor in house.sensors where house.chance(40) { house.cut(sensor) }
      house.later(house.milliseconds(5000...60_000)) {
        adapter.slots = nil
        over()
      }
      return true
    },
    ofAll("15 suspended and woken") { house, over in
      guard !house.logind.isPreparing else { return false }
      house.logind.prepareForSleep(true)
      house.later(house.milliseconds(10...900)) {
        house.sleep()
        house.later(house.milliseconds(10...900)) {
          house.logind.prepareForSleep(false)
          over()
        }
      }
      return true
    },
    ofAll("15 suspended without notice") { house, over in
      house.sleep()
      house.later(.milliseconds(1), over)
      return true
    },
    ofAll("17 crowd of strangers") { house, over in
      house.fake.adapters.first?.flood(signalsPerSecond: 2000, for: .seconds(2))
      house.later(.seconds(2), over)
      return true
    },
    ofAll("19 bus restarted") { house, over in
      guard house.isBusUp else { return false }
      house.stopBus()
      house.later(house.milliseconds(1...60_000)) {
        house.startBus()
        over()
      }
      return true
    },
    ofAll("20 clients that do not behave") { house, over in
      house.misbehave(for: .seconds(10))
      house.later(.seconds(10), over)
      return true
    },
  ]
}

extension Household {
  /// Clients that do not read, send invalid requests, and send a line that never ends.
  func misbehave(for span: Duration) {
    let requests = Array(String(repeating: #"{"id":1,"method":"sensors"}"# + "\n", count: 500).utf8)
    let texts = [requests, [UInt8](repeating: 0xff, count: 10_000) + [10], [UInt8](repeating: 0x20, count: 200_000)]
    var clients: [FileDescriptorBox] = []
    for number in 0..<9 {
      guard let socket = try? UnixSocket.connect(to: folder.file("metrics.sock"), nonBlocking: true) else { continue }
      let text = texts[number % texts.count]
      _ = try? StreamSocket.send(socket.number, text.span)
      clients.append(FileDescriptorBox(socket))
    }
    later(span) { clients = [] }
  }
}
