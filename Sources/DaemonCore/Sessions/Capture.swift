// Captures under way: what passes between sensors and the daemon goes to the clients that asked for it, undecoded.

import SensorKit
import Wire

final class Capture: Undertaking {
  private weak var client: Client?
  private let names: Set<String>?
  private let onEnd: (Capture) -> Void

  /// Of the sensors with these ids, or of all of them.
  init(of names: [String]?, for client: Client, onEnd: @escaping (Capture) -> Void) {
    self.names = names.map(Set.init)
    self.client = client
    self.onEnd = onEnd
  }

  func wants(_ sensor: String) -> Bool {
    names?.contains(sensor) ?? true
  }

  func end() {
    onEnd(self)
  }

  func cancel() {
    client?.undertaking = nil
    end()
  }

  /// Something that the other captures know already.
  func note(_ event: CaptureEvent, of sensor: String, at time: MonotonicTime) {
    send(RawRecord(sensor: sensor, time: time, event: event))
  }

  fileprivate func send(_ record: RawRecord) {
    if wants(record.sensor) { client?.send(record) }
  }

  /// Where the bike is belongs to no sensor: whoever asks for some of them does not get it.
  fileprivate func send(_ record: RawReport) {
    if names == nil { client?.send(record) }
  }
}

/// All captures of a daemon. Where there is none, and that is nearly always, a packet costs them nothing.
final class Captures {
  private var running: [Capture] = []

  var isEmpty: Bool { running.isEmpty }

  func add(_ capture: Capture) {
    running.append(capture)
  }

  func remove(_ capture: Capture) {
    running.removeAll { $0 === capture }
  }

  func note(_ event: @autoclosure () -> CaptureEvent, of sensor: String, at time: MonotonicTime) {
    guard !running.isEmpty else { return }
    let record = RawRecord(sensor: sensor, time: time, event: event())
    for capture in running { capture.send(record) }
  }
  /// What gpsd said.
  func note(report: String, at time: MonotonicTime) {
    guard !running.isEmpty else { return }
    for capture in running { capture.send(RawReport(time: time, report: report)) }
  }
}
