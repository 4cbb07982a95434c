// What a receiver adds to the ride, and what it makes of the wheels: fixes come in, and the sizes that plugins reckon with go out.

import EventLoop
import Linux
import Metrics
import SensorKit

extension RideKeeper {
  /// A fix as the receiver reported it.
  func take(_ fix: Fix) {
    out.removeAll()
    reckonResumed()
    metrics.take(fix, into: &out)
    publish(at: fix.time)
    // Who does not know where it is keeps nothing going.
    if fix.mode > .none { beginTelling(at: fix.time) }
    for place in sources.indices {
      let size = metrics.circumferenceM(of: sources[place].source)
      guard size != sources[place].circumferenceM else { continue }
      sources[place].circumferenceM = size
      wheelChanged(sources[place].id)
    }
  }

  var wantsManyFixes: Bool { metrics.wantsManyFixes(at: Clock.monotonic(loop.now)) }

  /// As the user set it, with the wheel's size as it was measured where the user leaves it to that.
  func settings(of sensor: PairedSensor) -> SensorSettings {
    var settings = sensor.settings
    if sensor.usesMeasuredSize, let size = entered(sensor.id)?.circumferenceM { settings.circumferenceMM = size * 1000 }
    return settings
  }

  /// Of its wheel, what was measured; nil while nothing was.
  func measuredMM(of id: String) -> Double? {
    entered(id).flatMap { metrics.measuredWheel(of: $0.source) }.map { $0.circumferenceM * 1000 }
  }

  /// A wheel is no other within minutes; a power cut costs no more of the measuring than this.
  private static let wheelPause = Duration.seconds(300)

  func saveWheels(atOnce: Bool = false) {
    guard atOnce || loop.now - wheelsSaved >= Self.wheelPause else { return }
    wheelsSaved = loop.now
    wheels.save(
      sources.compactMap { sensor in
        metrics.savedWheel(of: sensor.source).map { WheelStore.Wheel(sensor: sensor.id, size: $0) }
      })
  }
}
