// The daemon as a service: its status line, its health, and the start of its life under systemd.

import Connections
public import ProgramKit
import Radio
import Wire

extension Daemon: Service {
  /// `3 of 4 sensors stream. Varia RTL515: searching, link lost`
  public var statusLine: String {
    let sessions = sensors.sessions
    let wanted = sessions.filter { $0.state != .disabled }
    let count = wanted.count { $0.state == .streaming }
    let noun = wanted.count == 1 ? "sensor streams" : "sensors stream"
    var text = sessions.isEmpty ? "No sensor is paired" : "\(count) of \(wanted.count) \(noun)"
    if let obstacle = radio.condition.obstacle {
      return text + ". Bluetooth: \(obstacle.words)"
    }
    for session in wanted.filter({ $0.state != .streaming }).prefix(Self.mostNamed) {
      text += ". \(session.name): \(session.state.rawValue)"
      if let reason = session.connection.reason { text += ", \(reason.words)" }
    }
    return text
  }

  /// Alive if the bus answers.
  public func prove(_ done: @escaping (_ isAlive: Bool) -> Void) { radio.prove(done) }

  /// More would make the line too long to read.
  private static let mostNamed = 3
}
