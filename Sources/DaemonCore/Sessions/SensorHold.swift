// A client keeps a sensor disabled for as long as it stays connected: another receiver has the
// sensor. If the client listens, it gets the sensor's adverts, so that receivers can compare who is
// nearer.

import EventLoop
import Linux
import Serving
import Time
import Wire

final class SensorHold {
  let sensor: String
  let listens: Bool
  private(set) weak var client: Client?
  private var reportedAt: MonotonicTime?

  /// At most four adverts per second are reported.
  private static let pause = Duration.milliseconds(250)

  init(of sensor: String, for client: Client, listens: Bool) {
    self.sensor = sensor
    self.client = client
    self.listens = listens
  }

  func belongs(to client: Client) -> Bool { self.client === client }

  /// Adverts in between are dropped: the next one is as good.
  func report(rssi: Int?, at now: MonotonicTime) {
    guard listens, let rssi, reportedAt.map({ now >= $0 + Self.pause }) ?? true else { return }
    reportedAt = now
    client?.offer(AdvertRecord(sensor: sensor, rssiDBm: rssi, t: now.seconds))
  }
}
