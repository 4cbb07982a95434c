// Faults. Each is named after its row of docs/field-failures.md and reports when its cause is over.
// From then on the daemon must recover by itself.

import DBus
import Linux
import TestSupport
import Time

struct Fault: Sendable {
  let name: String
  /// Other sensors must not be affected.
  let isOfOneSensor: Bool
  /// Calls `over` once, later. Returns false if the fault is not possible at the moment.
  let begin: @Sendable (Household, Sensor, _ over: @escaping () -> Void) -> Bool

  var row: String { String(name.prefix { $0 != " " }) }

  static let all = ofLinks + ofServices + ofBluetoothd + ofTheComputer

  static func ofSensor(
    _ name: String, _ begin: @escaping @Sendable (Household, Sensor, _ over: @escaping () -> Void) -> Void
  ) -> Fault {
    Fault(name: name, isOfOneSensor: true) { house, sensor, over in
      begin(house, sensor, over)
      return true
    }
  }

  static func ofAll(
    _ name: String, _ begin: @escaping @Sendable (Household, _ over: @escaping () -> Void) -> Bool
  ) -> Fault {
    Fault(name: name, isOfOneSensor: false) { house, _, over in begin(house, over) }
  }
}

extension Household {
  func cut(_ sensor: Sensor) {
    let reasons: [LinkLoss] = [.timeout, .remote, .local, .unknown]
    sensor.fake.dropLink(reasons[Int.random(in: 0..<reasons.count, using: &random)])
  }

  /// Drops the link and plays the script of following events. Over when the sensor is present
  /// again.
  fileprivate func cut(_ sensor: Sensor, _ over: @escaping () -> Void) {
    cut(sensor)
    later(.zero, over)
  }

  func refuse(_ member: String, at path: String?, with error: BusError, for span: Duration) {
    let until = now + span
    refusals.append((until, { $0.member == member && (path == nil || $0.path == path) ? error : nil }))
  }
}

// MARK: Links

extension Fault {
  private static let ofLinks = [
    ofSensor("1 connect aborted") { house, sensor, over in
      let count = Int.random(in: 1...5, using: &house.random)
      sensor.connects = (0..<count).map { _ in
        house.chance(70)
          ? .flap(upFor: house.milliseconds(10...1000), .connectionAborted)
          : .fail(.bluezFailed("Software caused connection abort"), after: house.milliseconds(0...500))
      }
      house.cut(sensor, over)
    },
    ofSensor("2 connect in progress for ever") { house, sensor, over in
      sensor.connects = [.never]
      house.cut(sensor, over)
    },
    ofSensor("2 connect refused, in progress") { house, sensor, over in
      let span = house.milliseconds(500...8000)
      let path = house.fake.adapters.first?.device(sensor.fake)
      if let path { house.refuse("Connect", at: path, with: .inProgress, for: span) }
      house.cut(sensor)
      house.later(span, over)
    },
    ofSensor("3 br-connection-canceled") { house, sensor, over in
      let count = Int.random(in: 1...4, using: &house.random)
      sensor.connects = (0..<count).map { _ in .fail(.connectionCanceled, after: house.milliseconds(0...1500)) }
      house.cut(sensor, over)
    },
    ofSensor("4 object gone while connecting") { house, sensor, over in
      sensor.connects = [.vanish(after: house.milliseconds(0...900))]
      house.cut(sensor, over)
    },
    ofSensor("4 object gone") { house, sensor, over in
      house.fake.adapters.first?.forget(sensor.fake)
      house.later(.zero, over)
    },
    ofSensor("8 connected and silent") { house, sensor, over in
      sensor.isMute = true
      house.later(house.milliseconds(1000...60_000)) {
        sensor.isMute = false
        over()
      }
    },
    ofSensor("13 out of range") { house, sensor, over in
      sensor.fake.goAway()
      house.later(house.milliseconds(500...240_000)) {
        sensor.fake.advertise()
        over()
      }
    },
    ofSensor("14 link lost, several times") { house, sensor, over in
      let count = Int.random(in: 1...4, using: &house.random)
      for step in 0..<count {
        house.later(.seconds(4) * step) {
          house.cut(sensor)
          if step == count - 1 { over() }
        }
      }
    },
  ]
}

// MARK: Services and values

extension Fault {
  private static let ofServices = [
    ofSensor("5 services never come") { house, sensor, over in
      sensor.resolves = [.never]
      house.cut(sensor, over)
    },
    ofSensor("5 services come in disorder") { house, sensor, over in
      let isEarly = house.chance(50)
      let span = house.milliseconds(10...2000)
      sensor.resolves = [isEarly ? .early(objectsAfter: span) : .flip(every: span)]
      house.cut(sensor, over)
    },
    ofSensor("7 notifications taken away") { house, sensor, over in
      let characteristic = sensor.fake.services.first?.characteristics.first
      characteristic?.hangUpDescriptor()
      if house.chance(50) { house.later(.seconds(5)) { characteristic?.hangUpDescriptor() } }
      house.later(.seconds(5), over)
    },
    ofSensor("7 notifications held by another") { house, sensor, over in
      let characteristic = sensor.fake.services.first?.characteristics.first
      characteristic?.isHeldByAnother = true
      house.cut(sensor)
      house.later(house.milliseconds(1000...60_000)) {
        characteristic?.isHeldByAnother = false
        over()
      }
    },
    ofSensor("7 notifications doubled") { house, sensor, over in
      sensor.isDoubling = true
      house.later(house.milliseconds(2000...10_000)) {
        sensor.isDoubling = false
        over()
      }
    },
    ofSensor("7 no descriptors available") { house, sensor, over in
      house.refuse("AcquireNotify", at: nil, with: .notPermitted, for: .seconds(20))
      house.cut(sensor, over)
    },
    ofSensor("18 battery service claimed or not") { house, sensor, over in
      house.fake.script.claimsBatteryService.toggle()
      house.fake.adapters.first?.forget(sensor.fake)
      house.later(.zero, over)
    },
  ]
}
