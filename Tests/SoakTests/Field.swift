// The soak's household without its faults: eight sensors stream, and a test causes one failure.

import DBus
import EventLoop
import Linux
import TestSupport
import Testing
import Vocabulary

@testable import soak

final class Field {
  let house: Household
  /// Every state published since all sensors streamed: "soak-power-4 searching link_lost".
  private(set) var published: [String] = []

  /// The time in which eight sensors must stream again: eight connects, one at a time, and the
  /// interval of the slowest sensor.
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

  /// The sensor for failures that affect only one.
  var one: Sensor { house.sensors[3] }

  /// Waits until each sensor except `absent` has sent a new sample.
  func streamAgain(
    without absent: [Sensor] = [], within span: Duration = bound,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let begin = house.now
    let isDone = try house.world.run(within: span) {
      house.sensors.allSatisfy { sensor in
        absent.contains { $0 === sensor } || house.listener.isStreaming(sensor, since: begin)
      }
    }
    #expect(
      isDone, "\(house.sensors.map { "\($0.id) \(house.listener.state(of: $0))" })",
      sourceLocation: sourceLocation)
    #expect(house.listener.defect == nil, sourceLocation: sourceLocation)
    #expect(
      house.fake.adapters.allSatisfy { $0.mostConnectsAtOnce <= 1 }, sourceLocation: sourceLocation)
  }

  func pass(_ span: Duration, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try house.world.run(for: span)
    #expect(house.listener.defect == nil, sourceLocation: sourceLocation)
  }

  /// The published states of this sensor, with their reasons.
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
