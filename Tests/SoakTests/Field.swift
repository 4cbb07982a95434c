// The household of the soak on a calm day: eight sensors stream, and a test lets one thing go wrong.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing

@testable import soak

final class Field {
  let house: Household
  /// Every state that was published since the calm: "soak-power-4 searching link_lost".
  private(set) var published: [String] = []

  /// The bound within which eight sensors stream again: eight connects in turn, and the rhythm of the slowest sensor.
  static let bound = Duration.seconds(30)

  init() throws {
    let book = LogBook()
    self.book = book
    house = try Household(seed: 1) { book.lines.append($0) }
    house.fake.script.saysDisconnectReason = true
    try streamAgain()
    house.listener.changed = { [weak self] sensor, state, reason in
      self?.published.append("\(sensor.id) \(state) \(reason)")
    }
    book.lines = []
  }

  private let book: LogBook
  var logged: String { book.lines.joined(separator: "\n") }

  /// A sensor for what befalls only one.
  var one: Sensor { house.sensors[3] }

  /// All of them, or all but those: each has had a sample from now on.
  func streamAgain(without absent: [Sensor] = [], within span: Duration = bound) throws {
    let begin = house.now
    let isDone = try house.world.run(within: span) {
      house.sensors.allSatisfy { sensor in
        absent.contains { $0 === sensor } || house.listener.hears(sensor, since: begin)
      }
    }
    #expect(isDone, "\(house.sensors.map { "\($0.id) \(house.listener.state(of: $0))" })")
    #expect(house.listener.defect == nil)
    #expect(house.fake.adapters.allSatisfy { $0.mostConnectsAtOnce <= 1 })
  }

  func pass(_ span: Duration) throws {
    try house.world.run(for: span)
    #expect(house.listener.defect == nil)
  }

  /// What was published of this sensor: states with their reasons.
  func states(of sensor: Sensor) -> [String] {
    published.filter { $0.hasPrefix(sensor.id + " ") }.map { String($0.dropFirst(sensor.id.count + 1)) }
  }

  func wasSaidOfAll(_ state: String) -> Bool {
    house.sensors.allSatisfy { states(of: $0).contains(state) }
  }

  var onlyOneWasConcerned: Bool { published.allSatisfy { $0.hasPrefix(one.id + " ") } }
}

private final class LogBook {
  var lines: [String] = []
}
