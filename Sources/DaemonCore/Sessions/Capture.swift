// Running captures: they send the undecoded traffic between sensors and the daemon to the clients
// that asked for it.

import CaptureFormat
import Serving
import Time
import Wire

final class Capture: ClientOperation {
  private weak var client: Client?
  private let names: Set<String>?
  private let onEnd: (Capture) -> Void

  /// Captures the sensors with these ids, or all sensors.
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
    client?.operation = nil
    end()
  }

  /// Sends an event to this capture only, because the others already have it.
  func record(_ event: CaptureEvent, of sensor: String, at time: MonotonicTime) {
    send(RawRecord(sensor: sensor, time: time, event: event))
  }

  fileprivate func send(_ record: RawRecord) {
    if wants(record.sensor) { client?.send(record) }
  }

  /// Position reports belong to no sensor, so captures of selected sensors do not get them.
  fileprivate func send(_ record: RawReport) {
    if names == nil { client?.send(record) }
  }
}

/// All captures of the daemon. Usually there are none, and packets then cost nothing here.
final class Captures {
  private var running: [Capture] = []

  var isEmpty: Bool { running.isEmpty }

  func add(_ capture: Capture) {
    running.append(capture)
  }

  func remove(_ capture: Capture) {
    running.removeAll { $0 === capture }
  }

  func record(_ event: @autoclosure () -> CaptureEvent, of sensor: String, at time: MonotonicTime) {
    guard !running.isEmpty else { return }
    let record = RawRecord(sensor: sensor, time: time, event: event())
    for capture in running { capture.send(record) }
  }
  /// Sends a report from gpsd.
  func record(report: String, at time: MonotonicTime) {
    guard !running.isEmpty else { return }
    for capture in running { capture.send(RawReport(time: time, report: report)) }
  }
}
