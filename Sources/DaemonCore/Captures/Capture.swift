// A capture for one client: it sends the undecoded traffic between sensors and the daemon.

import Sensing
import Serving
import Wire

final class Capture: ClientOperation, CaptureTaker {
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
    client?.endOperation()
    end()
  }

  func record(_ record: RawRecord) {
    if wants(record.sensor) { client?.send(record) }
  }

  /// Position reports belong to no sensor, so captures of selected sensors do not get them.
  func record(_ report: RawReport) {
    if names == nil { client?.send(report) }
  }
}
