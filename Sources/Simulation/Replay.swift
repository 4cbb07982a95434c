// A capture that arrives in pieces while the radio runs.

import CaptureFormat
import EventLoop
import Linux
import Radio
import Time

/// Events that have arrived but are not played yet.
struct Replay {
  /// The most pending events; a capture of hours arrives while it is played.
  static let capacity = 100_000
  /// Time for connecting, as in a recorded scene.
  static let leadIn = Duration.seconds(2)

  let began: MonotonicTime
  var speed: Double
  /// The indices of devices, by their names in the capture.
  var places: [String: Int] = [:]
  var events: [SceneEvent] = []
  var next = 0

  var isFull: Bool { events.count - next > Self.capacity }

  /// Later than any computer runs, because nanoseconds have to fit into 63 bits.
  static let longest = Duration.seconds(1_000_000_000)

  func time(of event: SceneEvent) -> MonotonicTime { began + min(event.at / speed, Self.longest) }
}
